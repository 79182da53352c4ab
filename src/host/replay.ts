import { resolvePolicies } from '../policy/policy'
import type { Ending, ReplayLine } from '../report/replay/replay-schema'
import { type BranchCommit, branchHistory, type Range } from '../revision/history'
import { rules } from '../rules/index'
import { bundledPolicies } from './bundled'
import { ChangeJudging, type ChangeResult, type JudgeChange, type SameForAll } from './change-judging'
import { endingsOf } from './endings'
import { refuseInside } from './run'

/** The part of a history to judge, and how. */
export interface ReplayRequest {
  readonly options: SameForAll
  readonly range: Range
  /** The default branch without one. */
  readonly branch: string | undefined
  /** The number of changes that are judged at a time. */
  readonly jobs: number
  /** The folder of the package. */
  readonly root: string
}

/** A history, judged. */
export interface Replay {
  /** The name as it was given. */
  readonly branch: string
  readonly lines: readonly ReplayLine[]
  /** The number of changes that an earlier replay judged. */
  readonly kept: number
}

/** The progress of a replay. */
export interface ReplayProgress {
  readonly done: number
  readonly of: number
  readonly stopped: number
}

/**
 * Judges the history of a branch commit by commit, each as of its own day, and looks for the commit that fixed each
 * blocking finding. With a cache, results are kept, so that an interrupted replay continues.
 *
 * @throws GuardError if there is nothing to judge
 */
export async function replay(
  { options, range, branch: named, jobs, root }: ReplayRequest,
  judge: JudgeChange,
  watch: (progress: ReplayProgress) => void = () => {},
): Promise<Replay> {
  if (options.policies.length > 0) {
    const uses = options.policies.map((use) => ({ use }))
    resolvePolicies(uses, bundledPolicies(root), rules)
  }
  const { repository, named: name, branch, commits } = await branchHistory({ dir: options.repo }, named, range)
  if (options.cache !== undefined) refuseInside(options.cache, repository.dir)
  const judging = new ChangeJudging(options, root, branch, judge)
  let [done, stopped] = [0, 0]
  watch({ done, of: commits.length, stopped })
  const outcomes = await inTurns(commits, jobs, async ({ parent, commit, day }) => {
    const outcome = await judging.of(parent, commit, day)
    done += 1
    if ('judged' in outcome && outcome.judged.verdict === 'fail') stopped += 1
    watch({ done, of: commits.length, stopped })
    return outcome
  })
  const { kept } = judging
  const endings = await inTurns(commits, jobs, async (commit, index) => {
    const outcome = outcomes[index]
    if (!outcome || !('judged' in outcome) || outcome.judged.verdict === 'pass') return new Map<string, Ending>()
    return endingsOf(outcome.judged, commit, commits.slice(index + 1), judging)
  })
  await judging.end()
  return {
    branch: name,
    kept,
    lines: commits.map((commit, index) => lineOf(commit, outcomes[index], endings[index] ?? new Map())),
  }
}

function lineOf(
  { commit, parent, day }: BranchCommit,
  outcome: ChangeResult | undefined,
  endings: ReadonlyMap<string, Ending>,
): ReplayLine {
  const of = { format: 1 as const, commit, parent, date: day ?? null }
  if (!outcome || 'failed' in outcome) {
    const reason = outcome?.failed ?? 'It was not reached.'
    return { ...of, verdict: 'not-judged', reason, findings: [], notJudged: [], milliseconds: 0, peakMemory: 0 }
  }
  const { findings, ...rest } = outcome.judged
  return {
    ...of,
    ...rest,
    findings: findings.map((finding) => {
      const ending = endings.get(finding.fingerprint)
      return ending ? { ...finding, ending } : finding
    }),
  }
}

/** The results of a task for each item, so many of them at a time. */
async function inTurns<T, R>(
  items: readonly T[],
  most: number,
  task: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await task(item, index)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
  return results
}
