import { emptyReport, type Progress } from '../report/unfinished'
import type { Options } from './options'

/** The progress of a run before it starts. */
export function emptyProgress({ base, head, all, failOn = 'error' }: Options, today: string): Progress {
  const known = { failOn, today, policies: [], config: { path: null, ignore: [], exceptions: [] } }
  const report = emptyReport(known, all ? null : (base ?? 'the default branch'), head ?? 'the working tree')
  return { report, judged: false }
}
