import type { SemVer } from 'semver'
import { constraintOf, satisfies, versionOf } from '../connection/constraint'
import type { TreeRequest } from '../connection/fetching'

/** The branches and tags of a repository, and its default branch. */
export interface GitRefs {
  /** The commit of the default branch. */
  readonly head: string | undefined
  /** Commits by full name: `refs/heads/main`, `refs/tags/v1.0.0`. */
  readonly commits: ReadonlyMap<string, string>
}

/** A commit, or the beginning of one, that is not at the end of a branch or at a tag. */
export interface NamedCommit {
  readonly commit: string
  /** At least one of these refs has to contain the commit. */
  readonly within: readonly string[]
}

/** The result of resolving a request. */
export interface ResolvedRef {
  readonly commit: string
  /** The tag that a range of versions came to, or the tag that was asked for; else the commit. */
  readonly version: string
}

/** Parses the output of `git ls-remote`. An annotated tag has its commit in a second line. */
export function refsIn(listed: string): GitRefs {
  const commits = new Map<string, string>()
  let head: string | undefined
  for (const line of listed.split('\n')) {
    const [id = '', name = ''] = line.split('\t')
    if (!isWhole(id)) continue
    if (name === 'HEAD') head = id
    else if (name.startsWith('refs/heads/') || name.startsWith('refs/tags/'))
      commits.set(name.endsWith('^{}') ? name.slice(0, -'^{}'.length) : name, id)
  }
  return { head, commits }
}

/**
 * Finds the commit that a request names: as Flux does by its fields, as Argo CD does by a revision, and as git does by
 * a ref.
 *
 * @returns text that names the missing ref
 */
export function resolveRef(request: TreeRequest, refs: GitRefs): ResolvedRef | NamedCommit | string {
  const { commit, tag, semver, branch, revision, ref } = request
  if (commit) return heldBy(commit.toLowerCase(), refs, branch ? `refs/heads/${branch}` : undefined)
  if (tag) return named(refs, `refs/tags/${tag}`, tag) ?? `no tag ${tag}`
  if (semver) return highest(semver, refs) ?? `no tag that is ${semver}`
  if (branch) return named(refs, `refs/heads/${branch}`) ?? `no branch ${branch}`
  if (ref && ref !== 'HEAD') return resolveGitRef(ref, refs)
  return revision && revision !== 'HEAD' ? resolveRevision(revision, refs) : defaultOf(refs)
}

function resolveRevision(revision: string, refs: GitRefs): ResolvedRef | NamedCommit | string {
  if (isWhole(revision)) return heldBy(revision, refs)
  const range = versionOf(revision) || /^v?\d+(?:\.\d+)?$/.test(revision) ? undefined : highest(revision, refs)
  return (
    range ??
    named(refs, revision) ??
    named(refs, `refs/heads/${revision}`) ??
    named(refs, `refs/tags/${revision}`, revision) ??
    (/^[0-9a-f]{7,}$/i.test(revision)
      ? heldBy(revision.toLowerCase(), refs)
      : `no branch, tag or commit ${JSON.stringify(revision)}`)
  )
}

/** Resolves a ref like `git fetch origin REF`, which prefers a tag to a branch. */
function resolveGitRef(ref: string, refs: GitRefs): ResolvedRef | NamedCommit | string {
  if (isWhole(ref)) return heldBy(ref, refs)
  const names = ref.startsWith('refs/') ? [ref] : [`refs/tags/${ref}`, `refs/heads/${ref}`]
  const name = names.find((one) => refs.commits.has(one))
  return (
    (name && named(refs, name, name.startsWith('refs/tags/') ? ref : undefined)) ||
    `no tag, branch or commit ${JSON.stringify(ref)}`
  )
}

function defaultOf({ head }: GitRefs): ResolvedRef | string {
  return head === undefined ? 'no default branch' : { commit: head, version: head }
}

function named({ commits }: GitRefs, name: string, version?: string): ResolvedRef | undefined {
  const commit = commits.get(name)
  return commit === undefined ? undefined : { commit, version: version ?? commit }
}

/** A host may also serve commits of forks, so it does not count that it serves one. */
function heldBy(commit: string, refs: GitRefs, only?: string): ResolvedRef | NamedCommit | string {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return `no commit ${JSON.stringify(commit)}`
  const within = only === undefined ? [...refs.commits.keys()] : [only].filter((name) => refs.commits.has(name))
  if (only !== undefined && within.length === 0) return `no branch ${only.slice('refs/heads/'.length)}`
  const isEnd = within.some((name) => refs.commits.get(name) === commit)
  return isEnd ? { commit, version: commit } : { commit, within }
}

function highest(range: string, { commits }: GitRefs): ResolvedRef | undefined {
  const constraint = constraintOf(range)
  if (!constraint) return undefined
  let best: { tag: string; commit: string; version: SemVer } | undefined
  for (const [name, commit] of commits) {
    if (!name.startsWith('refs/tags/')) continue
    const tag = name.slice('refs/tags/'.length)
    const version = versionOf(tag)
    if (!version || !satisfies(version, constraint)) continue
    if (!best || version.compare(best.version) > 0) best = { tag, commit, version }
  }
  return best && { commit: best.commit, version: best.tag }
}

/** Whether that is the whole id of a commit. */
export function isWhole(id: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)
}
