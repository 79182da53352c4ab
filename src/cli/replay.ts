import { availableParallelism } from 'node:os'
import type { JudgeChange, SameForAll } from '../host/change-judging'
import { judgeChange } from '../host/judge-change'
import { replay } from '../host/replay'
import { rangeIn, wholeNumber } from '../host/replay-options'
import { progressBar, replayReport } from '../report/replay/replay'
import { replayLines } from '../report/replay/replay-json'
import type { Paint } from '../report/terminal'
import type { Io } from './io'

/** The options of `replay`, as they are written. */
export interface ReplayFlags extends Omit<SameForAll, 'policies'> {
  readonly policy: string[]
  readonly branch?: string
  readonly since?: string
  readonly last?: string
  readonly jobs?: string
  readonly format: 'terminal' | 'json'
}

/**
 * Judges the history of a branch.
 *
 * @returns the text to print, and the exit status: 3 where a commit could not be judged
 */
export async function replayHistory(
  flags: ReplayFlags,
  io: Io,
  paint: Paint,
): Promise<{ text: string; status: number }> {
  const { policy, branch, since, last, jobs, format, ...same } = flags
  const [today = ''] = (io.now ?? new Date()).toISOString().split('T')
  const range = rangeIn({ since, last }, today)
  const most = jobs === undefined ? availableParallelism() : wholeNumber(jobs, '--jobs', 'processes')
  const judge: JudgeChange =
    io.judge ?? (async (task) => judgeChange(task, io.run ?? (await import('../host/run')).run))
  const request = { options: { ...same, policies: policy }, range, branch, jobs: most, root: io.root }
  const bar = io.stderr.isTTY ? io.stderr : undefined
  const done = await replay(request, judge, (progress) => bar?.write(`\r${progressBar(progress)}\u001b[K`)).finally(
    () => bar?.write('\r\u001b[K'),
  )
  const isWhole = done.lines.every(({ verdict }) => verdict !== 'not-judged')
  return {
    text: format === 'json' ? replayLines(done.lines) : replayReport(done, paint),
    status: isWhole ? 0 : 3,
  }
}
