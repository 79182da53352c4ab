import type { Report } from '../finding/report'
import type { JudgeChange } from '../host/change-judging'
import type { Options } from '../host/options'
import type { Host } from '../host/run'

/** The process's side of the command line; tests pass buffers. */
export interface Io {
  readonly stdout: { write(text: string): unknown; isTTY?: boolean }
  readonly stderr: { write(text: string): unknown; isTTY?: boolean }
  /** The folder of the package. */
  readonly root: string
  /** Makes a run, if not in this thread. */
  readonly run?: (options: Options, host: Host) => Promise<Report>
  /** Judges a change of a history, if not in this process. */
  readonly judge?: JudgeChange
  /** The time; tests have one of their own. */
  readonly now?: Date
}
