import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { GuardError } from '../errors'
import { deeperClone } from '../revision/deeper-clone'
import { DirectoryRevision } from '../revision/directory'
import {
  defaultBranch,
  isObjectId,
  isRevision,
  mergeBase,
  type OpenedChange,
  openChange,
  openRepository,
  resolveCommit,
} from '../revision/git'
import { Blobs } from '../revision/git-blobs'
import { ask, type Repository } from '../revision/git-command'
import { CommitRevision, WorkingTreeRevision } from '../revision/git-revision'
import { Remotes } from '../revision/remotes'
import { isFolder, repositoryName } from '../revision/repository-name'
import type { Revision } from '../revision/revision'
import type { Options } from './options'

/** The revisions that a host asks for, and facts that it knows besides their names. */
export interface RevisionRequest extends Pick<Options, 'repo' | 'base' | 'head' | 'all'> {
  /** The base is the very commit to compare with, so no merge base is sought. */
  readonly exactBase?: boolean
  /** Names from an event, which no person wrote: they are revisions, even if there are folders with these names. */
  readonly fromEvent?: readonly RevisionOption[]
  /** The branch that the change is merged to, where its base is named by a commit. */
  readonly branch?: string | undefined
  readonly token?: string | undefined
  readonly trusted?: boolean
  /** Ends the git processes. */
  readonly signal?: AbortSignal
}

/** The two names of an opening. */
export type RevisionOption = 'base' | 'head'

/** The revisions that were opened. */
export interface Opened {
  readonly base: Revision | undefined
  readonly head: Revision
  /** The names of the repository, as `repositoryName` gives them. */
  readonly repository: readonly string[]
  /** The branch that the change is merged to, where its name is known. */
  readonly branch?: string | undefined
}

/** Opens the two revisions of a change; no base when the whole head is judged. */
export async function openRevisions(opening: RevisionRequest): Promise<Opened> {
  const [headFolder, baseFolder] = await Promise.all([folderOf('head', opening), folderOf('base', opening)])
  if (headFolder && (baseFolder || opening.all)) {
    return {
      base: opening.all || !baseFolder ? undefined : new DirectoryRevision(baseFolder),
      head: new DirectoryRevision(headFolder),
      repository: [],
    }
  }
  const { repo: dir, token, trusted, signal } = opening
  const given: Repository = { dir, token, trusted, signal }
  const remotes = new Remotes(given)
  const { base: named, head: headName = 'HEAD', exactBase = false } = opening
  const isOfNames = named !== undefined && !opening.all && !headFolder && !baseFolder
  const [known, names] = await Promise.all([
    isOfNames ? openChange(given, { base: named, head: headName }, exactBase) : undefined,
    repositoryNames(remotes),
  ])
  const repository = known?.repository ?? (await openRepository(given))
  for (const [side, folder] of [['head', headFolder] as const, ['base', baseFolder] as const]) {
    if (folder) await refuseTracked(repository, side, folder)
  }
  const blobs = new Blobs(repository, remotes)
  const head = headFolder
    ? new DirectoryRevision(headFolder)
    : await openHead(repository, blobs, opening.head, known?.head)
  if (opening.all) return { base: undefined, head, repository: names }
  if (baseFolder) return { base: new DirectoryRevision(baseFolder), head, repository: names }
  const from = await baseOf(opening, repository, known, head)
  return {
    base: new CommitRevision(repository, blobs, from.commit, nameOf(from.named, from.commit), head),
    head,
    repository: names,
    branch: opening.branch ?? branchOf(from.named),
  }
}

/** The commit to compare with, and the name that it was asked for by. */
async function baseOf(
  { base, exactBase }: RevisionRequest,
  repository: Repository,
  known: OpenedChange | undefined,
  head: Revision,
): Promise<{ readonly commit: string; readonly named: string }> {
  if (base !== undefined && known) return { commit: known.base, named: base }
  const headCommit = head instanceof CommitRevision ? head.commit : await resolveCommit(repository, 'HEAD')
  const named = base ?? (await defaultBranch(repository))
  const commit = await resolveCommit(repository, named)
  return { commit: exactBase ? commit : await mergeBase(repository, commit, headCommit, named), named }
}

/** The branch that a change is merged to: that of the event, or one that the base is named by. */
function branchOf(base: string): string | undefined {
  const { GITHUB_BASE_REF: target, GITHUB_REF: ref = '' } = process.env
  const [, queued] = ref.match(/^refs\/heads\/gh-readonly-queue\/(.+)\/pr-\d+-[0-9a-f]+$/) ?? []
  const [, remote] = base.match(/^(?:refs\/remotes\/)?origin\/(.+)$/) ?? []
  return target || queued || remote
}

/** The names by which Argo CD and Flux objects may refer to this repository. */
async function repositoryNames(remotes: Remotes): Promise<string[]> {
  const { GITHUB_REPOSITORY: own, GITHUB_SERVER_URL: server = 'https://github.com' } = process.env
  const remote = await remotes.origin()
  return [own && `${server}/${own}`, remote].flatMap((url) => (url && !isFolder(url) ? [repositoryName(url)] : []))
}

async function openHead(
  repository: Repository & { bare: boolean },
  blobs: Blobs,
  named: string | undefined,
  known: string | undefined,
): Promise<Revision> {
  if (named === undefined && !repository.bare) return new WorkingTreeRevision(repository, blobs)
  const commit = known ?? (await resolveCommit(repository, named ?? 'HEAD'))
  return new CommitRevision(repository, blobs, commit, nameOf(named ?? 'HEAD', commit))
}

function nameOf(named: string, commit: string): string {
  const short = commit.slice(0, 8)
  const name = /^[0-9a-f]{40,}$/.test(named) ? named.slice(0, 8) : named
  return commit.startsWith(name) ? short : `${name} (${short})`
}

/**
 * The folder that a name refers to: the name is a path (`./x`, `../x`, `/x`), or no revision. A name from an event, and
 * the id of a commit, is a revision even if the clone lacks it: a pull request may add a folder with any name.
 */
async function folderOf(side: RevisionOption, opening: RevisionRequest): Promise<string | undefined> {
  const { [side]: named, fromEvent, repo: dir, token, trusted, signal } = opening
  if (!named || fromEvent?.includes(side) || isObjectId(named)) return undefined
  if (!statSync(named, { throwIfNoEntry: false })?.isDirectory()) return undefined
  if (isPath(named)) return named
  return (await isRevision({ dir, token, trusted, signal }, named)) ? undefined : named
}

/** No revision has such a name. */
function isPath(named: string): boolean {
  return named.startsWith('.') || path.isAbsolute(named)
}

/**
 * Refuses a folder of the checkout for a name that may be a revision's, such as a branch that a shallow clone lacks:
 * the author of the change decides the content of the folder.
 */
async function refuseTracked(repository: Repository, side: RevisionOption, folder: string): Promise<void> {
  if (isPath(folder)) return
  for (const place of new Set([path.resolve(folder), realpathSync(folder)])) {
    if (!(await ask(repository, '--literal-pathspecs', 'ls-files', '--', place))) continue
    throw new GuardError(
      'source',
      `The revision ${JSON.stringify(folder)} is not in this clone. The folder of that name is part of the checkout, so it is not used as the ${side}: fetch the revision, or write ./${folder} to use the folder. ${deeperClone(process.env)}.`,
    )
  }
}
