import { GuardError } from '../errors'
import { deeperClone } from './deeper-clone'
import { defaultBranch, openRepository, resolveCommit, writtenParents } from './git'
import { ask, git, type Repository } from './git-command'

/** A commit of a branch, with the one before it on that branch. */
export interface BranchCommit {
  readonly commit: string
  readonly parent: string
  /** The day of its author date in UTC, YYYY-MM-DD; none for a date that no calendar has. */
  readonly day: string | undefined
}

/** The last commits of a branch, or those since a day. */
export type Range = { readonly last: number } | { readonly since: string }

/** The commits of a branch in a range, the oldest first. */
export interface BranchHistory {
  /** The top of the checkout; a bare repository unchanged. */
  readonly repository: Repository & { readonly bare: boolean }
  /** The name as it was given. */
  readonly named: string
  /** The branch itself, without the name of a remote; none for another revision. */
  readonly branch: string | undefined
  readonly commits: readonly BranchCommit[]
}

/**
 * The commits that changed a branch, by first parents: a merge is one change. The very first commit has none before it,
 * so it is left out.
 *
 * @param named the branch; the default branch without one
 * @throws GuardError if there are none, or if a shallow clone lacks some of them
 */
export async function branchHistory(
  given: Repository,
  named: string | undefined,
  range: Range,
): Promise<BranchHistory> {
  const repository = await openRepository(given)
  const name = named ?? (await branchWithCommits(repository))
  const tip = await resolveCommit(repository, name)
  const limit = 'last' in range ? `--max-count=${range.last}` : `--since=${range.since}T00:00:00Z`
  const text = await git(repository, 'rev-list', '--first-parent', '--format=%H %at %P', limit, tip)
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('commit '))
  const commits = lines.flatMap((line) => {
    const [commit = '', seconds, parent] = line.split(' ')
    return parent ? [{ commit, parent, day: dayOf(Number(seconds)) }] : []
  })
  const [last = ''] = lines.at(-1)?.split(' ') ?? []
  if (lines.length > commits.length && (await writtenParents(repository, last)).length > 0) {
    throw new GuardError(
      'source',
      `This shallow clone has only ${lines.length === 1 ? '1 commit' : `${lines.length} commits`} of what is asked for of ${name}. ${deeperClone(process.env)}.`,
    )
  }
  if (commits.length === 0) throw new GuardError('usage', whyNone(name, range, lines.length))
  const ref = await ask(repository, 'rev-parse', '--symbolic-full-name', name)
  const [, branch] = ref?.match(/^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/) ?? []
  return { repository, named: name, branch, commits: commits.reverse() }
}

/** The default branch; a repository without any commit is an error of its own. */
async function branchWithCommits(repository: Repository): Promise<string> {
  if (!(await ask(repository, 'rev-list', '--all', '--max-count=1'))) await resolveCommit(repository, 'HEAD')
  return defaultBranch(repository, '--branch')
}

function whyNone(branch: string, range: Range, seen: number): string {
  if (seen > 0) return `${branch} has only its first commit here, so there is no change to judge.`
  return 'since' in range
    ? `No commit of ${branch} is from ${range.since} or later. Name an earlier day with --since.`
    : `${branch} has no commit to judge.`
}

/** The day of a time of Git in UTC, YYYY-MM-DD; none for one that no calendar has. */
export function dayOf(seconds: number): string | undefined {
  const time = new Date(seconds * 1000)
  if (Number.isNaN(time.getTime())) return undefined
  const [day = ''] = time.toISOString().split('T')
  return day.length === 'YYYY-MM-DD'.length ? day : undefined
}
