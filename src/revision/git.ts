import { existsSync } from 'node:fs'
import { GuardError } from '../errors'
import { deeperClone, lackedCommit } from './deeper-clone'
import { ask, git, gitError, type Repository, run } from './git-command'

/** The repository that contains a folder, at its top; a bare one is returned unchanged. */
export async function openRepository(given: Repository): Promise<Repository & { bare: boolean }> {
  if (!existsSync(given.dir)) throw new GuardError('source', `The folder ${given.dir} does not exist.`)
  const args = ['rev-parse', '--is-bare-repository', '--show-toplevel']
  const { status, stdout, stderr } = await run(given, args)
  const [bare, top] = stdout.toString('utf8').trimEnd().split('\n')
  // A bare repository has no top, which git reports as an error.
  if (bare === 'true') return { ...given, bare: true }
  if (status !== 0) throw gitError(given, args, stderr)
  return { ...given, dir: top || given.dir, bare: false }
}

/** A repository, and the commits of a change in it. */
export interface OpenedChange {
  readonly repository: Repository & { bare: boolean }
  readonly head: string
  readonly base: string
}

/** A name that means the same within a range; longer ones are looked up one by one. */
const plainName = /^[\w/~^@{}][\w./~^@{}-]*$/

/**
 * Opens a repository and looks up the commits of a change in one process.
 *
 * @param exactBase whether the base itself is compared, not the commit that the head branched from
 * @returns undefined where it is not that simple: the functions below say why
 */
export async function openChange(
  given: Repository,
  names: { readonly base: string; readonly head: string },
  exactBase: boolean,
): Promise<OpenedChange | undefined> {
  const { base, head } = names
  if (![base, head].every((name) => plainName.test(name) && !name.includes('..'))) return undefined
  const range = `${base}^{commit}${exactBase ? '..' : '...'}${head}^{commit}`
  const found = await ask(given, 'rev-parse', '--is-bare-repository', range, '--show-toplevel')
  const [bare, commit, ...rest] = found?.split('\n') ?? []
  const from = rest.find((line) => line.startsWith('^'))?.slice(1)
  const dir = rest.at(-1)
  if (bare !== 'false' || !commit || !from || !dir) return undefined
  return { repository: { ...given, dir, bare: false }, head: commit, base: from }
}

/** Whether a name refers to a commit of this clone. */
export async function isRevision(repository: Repository, name: string): Promise<boolean> {
  if (name.startsWith('-')) return false
  return (
    (await ask(repository, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)) !== undefined
  )
}

/** Whether a name is the id of an object, existing or not. */
export function isObjectId(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)
}

/** The commit of a revision; one that a shallow clone lacks is fetched by its id. */
export async function resolveCommit(repository: Repository, revision: string): Promise<string> {
  if (revision.startsWith('-'))
    throw new GuardError('usage', `${JSON.stringify(revision)} is not a valid revision. Name a branch, tag or commit.`)
  const parse = () => ask(repository, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`)
  const known = await parse()
  if (known) return known
  await git(repository, 'rev-parse', '--git-dir') // fails for "no repository", unlike "no such revision"
  if (isObjectId(revision)) {
    const remote = await defaultRemote(repository)
    // A full clone stays full: later steps may need its history.
    const shallow = await isShallow(repository)
    const depth = shallow ? ['--depth=1'] : []
    const fetched =
      remote &&
      (await run(repository, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', ...depth, remote, revision]))
    const now = await parse()
    if (now) return now
    const why = fetched ? firstLine(fetched.stderr) : 'the repository has no remote'
    throw new GuardError(
      'source',
      `Commit ${revision} is not in this clone and could not be fetched (${why}). ${lackedCommit(process.env, shallow)}.`,
    )
  }
  if (revision === 'HEAD') {
    throw new GuardError(
      'source',
      `The repository in ${repository.dir} has no commit yet, so there is nothing to compare.`,
    )
  }
  if (await isShallow(repository)) {
    throw new GuardError(
      'source',
      `The revision ${JSON.stringify(revision)} is not in this shallow clone. ${deeperClone(process.env)}.`,
    )
  }
  throw new GuardError(
    'source',
    `The revision ${JSON.stringify(revision)} is not in ${repository.dir}. Name a branch, tag or commit that this clone has, or a folder.`,
  )
}

async function isShallow(repository: Repository): Promise<boolean> {
  return (await ask(repository, 'rev-parse', '--is-shallow-repository')) === 'true'
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? 'no message'
}

async function defaultRemote(repository: Repository): Promise<string | undefined> {
  const remotes = (await ask(repository, 'remote'))?.split('\n').filter(Boolean) ?? []
  return remotes.includes('origin') ? 'origin' : remotes[0]
}

/** The merge base of two commits, with which a pull request is compared. */
export async function mergeBase(repository: Repository, base: string, head: string, named: string): Promise<string> {
  const found = await ask(repository, 'merge-base', base, head)
  if (found) return found.split('\n')[0] ?? found
  const shallow = await isShallow(repository)
  throw new GuardError(
    'source',
    `${named} and the head have no common ancestor${shallow ? ` in this shallow clone. ${deeperClone(process.env)}` : '. Name a base that the head branched from'}.`,
  )
}

/**
 * The branch that changes are compared with when no base is given.
 *
 * @param option names it where none is found
 */
export async function defaultBranch(repository: Repository, option = '--base'): Promise<string> {
  const head = await ask(repository, 'symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')
  for (const name of [head, 'origin/main', 'origin/master', 'main', 'master']) {
    if (name && (await ask(repository, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`))) return name
  }
  const what = option === '--base' ? ' to compare with. Set the base' : '. Name the branch'
  throw new GuardError('usage', `No default branch was found${what} with ${option}.`)
}

/** The parents written in a commit, also where a shallow clone has cut them off. */
export async function writtenParents(repository: Repository, commit: string): Promise<string[]> {
  const text = await git(repository, 'cat-file', 'commit', commit)
  const header = text.slice(0, text.indexOf('\n\n') === -1 ? undefined : text.indexOf('\n\n'))
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1] ?? '')
}
