import type { Ending, FoundInHistory, JudgedChange } from '../report/replay/replay-schema'
import type { BranchCommit } from '../revision/history'
import type { ChangeJudging } from './change-judging'

/**
 * Whether and when a blocking finding of a commit was fixed: the commit before it is compared with later ones, and the
 * first comparison without the finding shows the fix.
 */
export async function endingsOf(
  { findings }: JudgedChange,
  { parent, day }: BranchCommit,
  later: readonly BranchCommit[],
  judging: ChangeJudging,
): Promise<Map<string, Ending>> {
  const endings = new Map<string, Ending>()
  for (const finding of findings.filter(({ stops }) => stops)) {
    const stateAt = async (index: number): Promise<Ending> => {
      const then = later[index]
      if (!then) return { state: 'open' }
      const outcome = await judging.of(parent, then.commit, day)
      if ('failed' in outcome) return { state: 'unknown', reason: outcome.failed }
      if (isFound(finding, outcome.judged)) return { state: 'open' }
      return { state: 'fixed', commit: then.commit, ...(then.day === undefined ? {} : { date: then.day }) }
    }
    endings.set(finding.fingerprint, await firstFixed(later.length, stateAt))
  }
  return endings
}

/** The first state that is not open, if the last one is not: by steps that double, then by halves. */
async function firstFixed(length: number, stateAt: (index: number) => Promise<Ending>): Promise<Ending> {
  const last = await stateAt(length - 1)
  if (last.state !== 'fixed') return last
  let [open, fixed, ending] = [-1, length - 1, last]
  for (let step = 1; open + step < fixed; step *= 2) {
    const state = await stateAt(open + step)
    if (state.state === 'fixed') {
      ending = state
      fixed = open + step
      break
    }
    open += step
  }
  while (fixed - open > 1) {
    const middle = Math.floor((open + fixed) / 2)
    const state = await stateAt(middle)
    if (state.state === 'fixed') [fixed, ending] = [middle, state]
    else open = middle
  }
  return ending
}

/** A larger change may merge findings, so the same statement about the same file is the same, too. */
function isFound({ fingerprint, rule, message, path: file }: FoundInHistory, { findings }: JudgedChange): boolean {
  return findings.some(
    (one) =>
      one.fingerprint === fingerprint ||
      one.also.includes(fingerprint) ||
      (one.rule === rule && one.message === message && one.path === file),
  )
}
