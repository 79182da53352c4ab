import type { Options } from '../options'
import type { Report } from '../report/report'
import type { Host } from '../run'

/** What a process gives the command line; tests give buffers. */
export interface Io {
  readonly stdout: { write(text: string): unknown; isTTY?: boolean }
  readonly stderr: { write(text: string): unknown }
  /** The folder of the package. */
  readonly root: string
  readonly limits?: Host['limits']
  /** How a run is made, where not in this thread. */
  readonly run?: (options: Options, host: Host) => Promise<Report>
}
