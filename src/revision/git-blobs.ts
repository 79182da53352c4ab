import { spawn } from 'node:child_process'
import { wholeClone } from './deeper-clone'
import { environment, git, type Repository, run } from './git-command'
import { Remotes } from './remotes'
import { type Content, type Entry, sizeLimit, tooLarge } from './revision'

/** The contents of a repository's object database. */
export class Blobs {
  constructor(
    private readonly repository: Repository,
    private readonly remotes = new Remotes(repository),
  ) {}

  /** Reads blobs in one `git cat-file --batch`, in order, dropping those over the limit as they stream by. */
  async *read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    if (entries.length === 0) return
    const { repository } = this
    const remote = await this.remotes.promisor()
    const absent = remote === undefined ? new Set() : await fetchMissing(repository, remote, entries)
    const present = entries.filter(({ id }) => !absent.has(id))
    const child = spawn('git', ['-C', repository.dir, 'cat-file', '--batch', '--buffer'], {
      env: environment(repository),
      stdio: ['pipe', 'pipe', 'ignore'],
      ...(repository.signal ? { signal: repository.signal } : {}),
    })
    child.on('error', () => {}) // its output ends then, which says enough
    child.stdin.on('error', () => {})
    child.stdin.end(present.map((entry) => `${entry.id}\n`).join(''))
    const reader = new BatchReader(child.stdout)
    try {
      for (const entry of entries)
        yield [entry, absent.has(entry.id) ? notInClone() : (reader.ready() ?? (await reader.next()))]
    } finally {
      child.kill()
    }
  }
}

/** Reads the answers of `git cat-file --batch`: a line `<id> <type> <size>`, the bytes, a line feed. */
class BatchReader {
  private readonly chunks: AsyncIterator<Buffer>
  private rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.chunks = stream[Symbol.asyncIterator]()
  }

  /** The next content if all of it has come already, as nearly all have: a promise for each would cost more. */
  ready(): Content | undefined {
    const { rest } = this
    const start = rest.indexOf(10) + 1
    const length = start === 0 ? undefined : sizeIn(rest.toString('latin1', 0, start - 1))
    if (length === undefined || length > sizeLimit || start + length >= rest.length) return undefined
    this.rest = rest.subarray(start + length + 1)
    return rest.subarray(start, start + length)
  }

  async next(): Promise<Content> {
    const header = await this.line()
    if (header === undefined) return { missing: 'git exited before it printed the content', absent: true }
    const length = sizeIn(header.toString('latin1'))
    if (length === undefined) return notInClone()
    const content = await this.take(length, length <= sizeLimit)
    await this.take(1, false)
    return content ?? { missing: tooLarge(length) }
  }

  private async line(): Promise<Buffer | undefined> {
    let end = this.rest.indexOf(10)
    while (end === -1) {
      const { value, done } = await this.chunks.next()
      if (done) return undefined
      this.rest = Buffer.concat([this.rest, value])
      end = this.rest.indexOf(10)
    }
    const line = this.rest.subarray(0, end)
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

/** The size of a blob in the line before it. */
function sizeIn(header: string): number | undefined {
  return header.includes(' blob ') ? Number(header.slice(header.lastIndexOf(' ') + 1)) : undefined
}

function notInClone(): Content {
  const missing = `its content is not in this clone and could not be fetched; ${wholeClone(process.env)}`
  return { missing, absent: true }
}

/**
 * A partial clone asks its remote for one object at a time; this fetches all missing ones at once.
 *
 * @returns the ids that are still missing
 */
async function fetchMissing(repository: Repository, remote: string, entries: readonly Entry[]): Promise<Set<string>> {
  const wanted = [...new Set(entries.map((entry) => entry.id))]
  const missing = await without(repository, wanted)
  if (missing.length === 0) return new Set()
  // The flags git itself uses for this.
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
  return new Set(await without(repository, missing))
}

/** The ids that the clone does not have. */
async function without(repository: Repository, ids: readonly string[]): Promise<string[]> {
  const listing = await git(repository, 'cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objectname)')
  const local = new Set(listing.split('\n'))
  return ids.filter((id) => !local.has(id))
}
