import { GuardError } from '../errors'
import type { Report } from '../finding/report'
import { judgedChange } from '../report/replay/replay-json'
import type { ChangeResult, ChangeTask } from './change-judging'
import type { Options } from './options'
import type { Host } from './run'

/** Judges one change of a history as `check` does, in this process. */
export async function judgeChange(
  { options, root, branch }: ChangeTask,
  run: (options: Options, host: Host) => Promise<Report>,
): Promise<ChangeResult> {
  const started = performance.now()
  try {
    const report = await run(options, { root, branch, exactBase: true })
    if (report.unfinished) {
      const { minutes, doing } = report.unfinished
      return { failed: `The time limit (${minutes} min) was reached while ${doing}.` }
    }
    const milliseconds = Math.round(performance.now() - started)
    const peakMemory = process.resourceUsage().maxRSS * 1024
    return { judged: judgedChange(report, { milliseconds, peakMemory }) }
  } catch (error) {
    if (error instanceof GuardError) return { failed: error.sentence }
    return { failed: `${error instanceof Error ? error.message : String(error)} (a bug in ingress-guard)` }
  }
}
