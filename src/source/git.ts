import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { GuardError } from '../errors'
import { type Content, type Entry, type Revision, sizeLimit } from './revision'

/** Variables that would point git at another repository than the one we name, as they stand inside a Git hook. */
const locating = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
]

/** How to reach a repository: where it is, and which credentials its remote takes. */
export interface Repository {
  readonly dir: string
  /** A token for fetching what a shallow clone lacks; the remote's own credentials are used without it. */
  readonly token?: string | undefined
  /** The caller vouches for the folder, so git need not ask who owns it. */
  readonly trusted?: boolean | undefined
}

function environment(repository: Repository): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' }
  for (const name of locating) delete env[name]
  // Settings go through the environment: arguments are visible to every process of the machine.
  const settings: [string, string][] = [
    ['core.fsmonitor', 'false'],
    ['core.quotePath', 'false'],
  ]
  if (repository.trusted) settings.push(['safe.directory', path.resolve(repository.dir)])
  if (repository.token) {
    const basic = Buffer.from(`x-access-token:${repository.token}`).toString('base64')
    const server = env.GITHUB_SERVER_URL ?? 'https://github.com'
    settings.push([`http.${server}/.extraheader`, ''], [`http.${server}/.extraheader`, `AUTHORIZATION: basic ${basic}`])
  }
  const first = Number(env.GIT_CONFIG_COUNT ?? 0)
  env.GIT_CONFIG_COUNT = String(first + settings.length)
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${first + index}`] = key
    env[`GIT_CONFIG_VALUE_${first + index}`] = value
  }
  return env
}

interface Outcome {
  status: number
  stdout: Buffer
  stderr: string
}

async function run(repository: Repository, args: readonly string[], input?: string): Promise<Outcome> {
  const child = spawn('git', ['-C', repository.dir, ...args], {
    env: environment(repository),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin.on('error', () => {}) // git may end before it has read all; its status says why
  child.stdin.end(input ?? '')
  const status = await new Promise<number>((resolve, reject) => {
    child.on('error', (cause) =>
      reject(
        new GuardError('source', `git could not be started: ${cause.message}. Install git.`, undefined, { cause }),
      ),
    )
    child.on('close', (code) => resolve(code ?? 1))
  })
  return { status, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8').trim() }
}

async function git(repository: Repository, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(repository, args)
  if (status !== 0) throw gitError(repository, args, stderr)
  return stdout.toString('utf8').trimEnd()
}

async function ask(repository: Repository, ...args: string[]): Promise<string | undefined> {
  const { status, stdout } = await run(repository, args)
  return status === 0 ? stdout.toString('utf8').trimEnd() : undefined
}

function gitError(repository: Repository, args: readonly string[], stderr: string): GuardError {
  if (/dubious ownership|safe\.directory/.test(stderr)) {
    const dir = path.resolve(repository.dir)
    return new GuardError(
      'source',
      `git does not read ${dir}, because another user owns it (a container job, often). Run \`git config --global --add safe.directory ${dir}\` before this step.`,
    )
  }
  if (/not a git repository/.test(stderr)) {
    return new GuardError(
      'source',
      `${path.resolve(repository.dir)} is no Git repository. Check it out first, or give two folders with --base and --head.`,
    )
  }
  return new GuardError(
    'source',
    `\`git ${args.slice(0, 2).join(' ')}\` failed: ${stderr.split('\n')[0] || 'no message'}`,
  )
}

/** The repository that holds a folder, at its top; a bare one as it is. */
export async function openRepository(given: Repository): Promise<Repository & { bare: boolean }> {
  if (!existsSync(given.dir)) throw new GuardError('source', `There is no folder ${given.dir}.`)
  const bare = (await git(given, 'rev-parse', '--is-bare-repository')) === 'true'
  if (bare) return { ...given, bare }
  const top = await git(given, 'rev-parse', '--show-toplevel')
  return { ...given, dir: top || given.dir, bare }
}

const objectId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** The commit a revision stands for; one that a shallow clone lacks is fetched by its id. */
export async function resolveCommit(repository: Repository, revision: string): Promise<string> {
  if (revision.startsWith('-')) throw new GuardError('usage', `${JSON.stringify(revision)} is no revision.`)
  const parse = () => ask(repository, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`)
  const known = await parse()
  if (known) return known
  await git(repository, 'rev-parse', '--git-dir') // tells "no repository" from "no such revision"
  if (objectId.test(revision)) {
    const remote = await defaultRemote(repository)
    const fetched =
      remote &&
      (await run(repository, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--depth=1', remote, revision]))
    const now = await parse()
    if (now) return now
    const why = fetched ? firstLine(fetched.stderr) : 'the repository has no remote to ask'
    throw new GuardError(
      'source',
      `Commit ${revision} is not in this clone and could not be fetched (${why}). Set \`fetch-depth: 2\` on actions/checkout for pull_request events, \`fetch-depth: 0\` for others.`,
    )
  }
  throw new GuardError(
    'source',
    `There is no revision ${JSON.stringify(revision)} in ${repository.dir}. Name a branch, tag or commit that this clone has, or a folder.`,
  )
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? 'no message'
}

async function defaultRemote(repository: Repository): Promise<string | undefined> {
  const remotes = (await ask(repository, 'remote'))?.split('\n').filter(Boolean) ?? []
  return remotes.includes('origin') ? 'origin' : remotes[0]
}

/** The merge base of two commits, which is what a pull request is compared with. */
export async function mergeBase(repository: Repository, base: string, head: string, named: string): Promise<string> {
  const found = await ask(repository, 'merge-base', base, head)
  if (found) return found.split('\n')[0] ?? found
  const shallow = (await ask(repository, 'rev-parse', '--is-shallow-repository')) === 'true'
  throw new GuardError(
    'source',
    `${named} and the head have no common ancestor${shallow ? ' in this shallow clone. Set `fetch-depth: 0` on actions/checkout' : '. Name a base that the head branched from'}.`,
  )
}

/** The branch that changes are compared with when nobody names a base. */
export async function defaultBranch(repository: Repository): Promise<string> {
  const head = await ask(repository, 'symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')
  for (const name of [head, 'origin/main', 'origin/master', 'main', 'master']) {
    if (name && (await ask(repository, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`))) return name
  }
  throw new GuardError('usage', 'There is no default branch to compare with. Name the base with --base.')
}

/** The parents written in a commit, also where a shallow clone has cut them off. */
export async function writtenParents(repository: Repository, commit: string): Promise<string[]> {
  const text = await git(repository, 'cat-file', 'commit', commit)
  const header = text.slice(0, text.indexOf('\n\n') === -1 ? undefined : text.indexOf('\n\n'))
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1] ?? '')
}

/** A commit, read from the object database and never checked out. */
export class CommitRevision implements Revision {
  private entries: Promise<readonly Entry[]> | undefined

  constructor(
    private readonly repository: Repository,
    readonly commit: string,
    readonly name: string,
  ) {}

  list(): Promise<readonly Entry[]> {
    this.entries ??= this.readTree()
    return this.entries
  }

  private async readTree(): Promise<Entry[]> {
    const { status, stdout, stderr } = await run(this.repository, ['ls-tree', '-r', '-z', '--full-tree', this.commit])
    if (status !== 0) throw gitError(this.repository, ['ls-tree'], stderr)
    return splitNul(stdout).map((line) => {
      const tab = line.indexOf(9)
      const [mode = '', , id = ''] = line.subarray(0, tab).toString('latin1').split(' ')
      return { path: pathText(line.subarray(tab + 1)), type: typeOf(mode), id }
    })
  }

  async *read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    yield* readBlobs(this.repository, entries)
  }
}

/** The working tree of a repository: what is checked out, with everything changed or added and not ignored. */
export class WorkingTreeRevision implements Revision {
  readonly name = 'the working tree'
  private entries: Promise<readonly Entry[]> | undefined

  constructor(private readonly repository: Repository) {}

  list(): Promise<readonly Entry[]> {
    this.entries ??= this.readTree()
    return this.entries
  }

  private async readTree(): Promise<Entry[]> {
    const [staged, changed, untracked] = await Promise.all(
      [
        ['ls-files', '--stage', '-z'],
        ['diff-files', '--name-status', '--no-renames', '-z'],
        ['ls-files', '--others', '--exclude-standard', '-z'],
      ].map(async (args) => {
        const { status, stdout, stderr } = await run(this.repository, args)
        if (status !== 0) throw gitError(this.repository, args, stderr)
        return splitNul(stdout)
      }),
    )
    const entries = new Map<string, Entry>()
    for (const line of staged ?? []) {
      const tab = line.indexOf(9)
      const [mode = '', id = ''] = line.subarray(0, tab).toString('latin1').split(' ')
      const file = pathText(line.subarray(tab + 1))
      entries.set(file, { path: file, type: typeOf(mode), id })
    }
    const touched = [...(changed ?? []).filter((_, index) => index % 2 === 1), ...(untracked ?? [])].map(pathText)
    for (const file of touched) {
      const entry = entries.get(file)
      if (entry?.type === 'submodule' || file.endsWith('/')) continue
      const found = await onDisk(this.repository.dir, file, entry?.id.length === 64 ? 'sha256' : 'sha1')
      if (found) entries.set(file, found)
      else entries.delete(file)
    }
    return [...entries.values()]
  }

  async *read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    for (const entry of entries) {
      try {
        yield [entry, await contentOnDisk(this.repository.dir, entry)]
      } catch {
        // Tracked, unchanged and not on disk: a sparse checkout. The object database has it.
        yield* readBlobs(this.repository, [entry])
      }
    }
  }
}

async function contentOnDisk(dir: string, entry: Entry): Promise<Content> {
  const file = path.join(dir, entry.path)
  if (entry.type === 'link') return Buffer.from(await readlink(file))
  const { size } = await lstat(file)
  return size > sizeLimit ? { missing: tooLarge(size) } : readFile(file)
}

/** A file as the working tree has it, under the id git would give its bytes. */
async function onDisk(dir: string, file: string, algorithm: string): Promise<Entry | undefined> {
  const stats = await lstat(path.join(dir, file)).catch(() => undefined)
  if (!stats || (!stats.isFile() && !stats.isSymbolicLink())) return undefined
  const entry: Entry = { path: file, type: stats.isSymbolicLink() ? 'link' : 'file', id: '' }
  const content = await contentOnDisk(dir, entry)
  if ('missing' in content) return { ...entry, id: `large:${file}` }
  const id = createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex')
  return { ...entry, id }
}

function tooLarge(size: number): string {
  return `it has ${Math.round(size / 1024 / 1024)} MiB, more than the ${sizeLimit / 1024 / 1024} MiB that are read of a file`
}

function typeOf(mode: string): Entry['type'] {
  return mode === '120000' ? 'link' : mode === '160000' ? 'submodule' : 'file'
}

function splitNul(buffer: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let start = 0; start < buffer.length; ) {
    const end = buffer.indexOf(0, start)
    parts.push(buffer.subarray(start, end === -1 ? undefined : end))
    start = end === -1 ? buffer.length : end + 1
  }
  return parts
}

/** A path as text; bytes that are not UTF-8 are written out, so that two paths never become one. */
function pathText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd')) return text
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`)
}

/** Reads blobs in one `git cat-file --batch`, in order, dropping those over the limit as they stream by. */
async function* readBlobs(repository: Repository, entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
  if (entries.length === 0) return
  await fetchMissing(repository, entries)
  const child = spawn('git', ['-C', repository.dir, 'cat-file', '--batch', '--buffer'], {
    env: environment(repository),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => {})
  child.stdin.end(entries.map((entry) => `${entry.id}\n`).join(''))
  const reader = new BatchReader(child.stdout)
  try {
    for (const entry of entries) yield [entry, await reader.next()]
  } finally {
    child.kill()
  }
}

/** Reads the answers of `git cat-file --batch`: a line `<id> <type> <size>`, the bytes, a line feed. */
class BatchReader {
  private readonly chunks: AsyncIterator<Buffer>
  private rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.chunks = stream[Symbol.asyncIterator]()
  }

  async next(): Promise<Content> {
    const header = await this.line()
    if (header === undefined) return { missing: 'git ended before it gave its content' }
    const [, type, size] = header.split(' ')
    if (type !== 'blob') {
      return { missing: 'its content is not in this clone and could not be fetched; a full clone (no --filter) has it' }
    }
    const length = Number(size)
    const content = await this.take(length, length <= sizeLimit)
    await this.take(1, false)
    return content ?? { missing: tooLarge(length) }
  }

  private async line(): Promise<string | undefined> {
    let end = this.rest.indexOf(10)
    while (end === -1) {
      const { value, done } = await this.chunks.next()
      if (done) return undefined
      this.rest = Buffer.concat([this.rest, value])
      end = this.rest.indexOf(10)
    }
    const line = this.rest.subarray(0, end).toString('latin1')
    this.rest = this.rest.subarray(end + 1)
    return line
  }

  /** The next bytes; with `keep` false they are passed over. */
  private async take(length: number, keep: boolean): Promise<Buffer | undefined> {
    const parts: Buffer[] = []
    let left = length
    while (true) {
      const part = this.rest.subarray(0, left)
      if (keep) parts.push(part)
      left -= part.length
      this.rest = this.rest.subarray(part.length)
      if (left === 0) return keep ? (parts.length === 1 ? parts[0] : Buffer.concat(parts, length)) : undefined
      const { value, done } = await this.chunks.next()
      if (done) return undefined
      this.rest = value
    }
  }
}

/** A partial clone asks its remote for one object at a time; what is missing is asked for at once instead. */
async function fetchMissing(repository: Repository, entries: readonly Entry[]): Promise<void> {
  const promisor = await ask(repository, 'config', '--get-regexp', '^remote\\..*\\.promisor$')
  const remote = promisor?.match(/^remote\.(.*)\.promisor true$/m)?.[1]
  if (!remote) return
  const local = new Set(
    (await git(repository, 'cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objectname)')).split(
      '\n',
    ),
  )
  const missing = [...new Set(entries.map((entry) => entry.id))].filter((id) => !local.has(id))
  if (missing.length === 0) return
  // The flags git itself uses for this; what stays missing is reported file by file.
  await run(
    repository,
    [
      '-c',
      'fetch.negotiationAlgorithm=noop',
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--recurse-submodules=no',
      '--filter=blob:none',
      '--stdin',
      remote,
    ],
    missing.join('\n'),
  )
}
