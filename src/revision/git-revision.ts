import { createHash } from 'node:crypto'
import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'
import { contentOnDisk } from './disk'
import type { Blobs } from './git-blobs'
import { gitError, type Repository, run } from './git-command'
import type { Content, Entry, Revision } from './revision'

/** A commit, read from the object database and never checked out. */
export class CommitRevision implements Revision {
  private entries: Promise<readonly Entry[]> | undefined

  constructor(
    private readonly repository: Repository,
    private readonly blobs: Blobs,
    readonly commit: string,
    readonly name: string,
    /** The other side of a change, if it is known. */
    private readonly other?: Revision,
  ) {}

  list(): Promise<readonly Entry[]> {
    this.entries ??= this.other instanceof CommitRevision ? this.beside(this.other) : this.readTree()
    return this.entries
  }

  /** The other commit's paths, with what differs: Git passes over the folders that are the same. */
  private async beside(other: CommitRevision): Promise<Entry[]> {
    // The last argument: a file of the working directory may have the name of a commit.
    const sides = [other.commit, this.commit, '--']
    const args = ['-r', '-z', '--no-renames', '--ignore-submodules=none', '--no-relative', ...sides]
    const [listed, { status, stdout, stderr }] = await Promise.all([
      other.list(),
      run(this.repository, ['diff-tree', ...args]),
    ])
    if (status !== 0) throw gitError(this.repository, ['diff-tree'], stderr)
    const entries = new Map(listed.map((entry) => [entry.path, entry]))
    const parts = splitNul(stdout)
    let isMore = false
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [, mode = '', , id = '', kind] = parts[at]?.toString('latin1').split(' ') ?? []
      const path = pathText(parts[at + 1] ?? Buffer.alloc(0))
      isMore ||= kind === 'A'
      if (kind === 'D') entries.delete(path)
      else entries.set(path, { path, type: typeOf(mode), id })
    }
    // In the order in which Git lists a tree.
    return isMore
      ? [...entries.values()].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
      : [...entries.values()]
  }

  private async readTree(): Promise<Entry[]> {
    const { status, stdout, stderr } = await run(this.repository, ['ls-tree', '-r', '-z', '--full-tree', this.commit])
    if (status !== 0) throw gitError(this.repository, ['ls-tree'], stderr)
    return linesIn(stdout).map(([what, path]) => {
      const [mode = '', , id = ''] = what.split(' ')
      return { path, type: typeOf(mode), id }
    })
  }

  read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    return this.blobs.read(entries)
  }
}

/** The working tree of a repository: the checkout, with changed and added files that are not ignored. */
export class WorkingTreeRevision implements Revision {
  readonly name = 'the working tree'
  /** The files that are in the index and not on disk: those that a sparse checkout leaves out. */
  private readonly leftOut = new Set<string>()
  private entries: Promise<readonly Entry[]> | undefined

  constructor(
    private readonly repository: Repository,
    private readonly blobs: Blobs,
  ) {}

  list(): Promise<readonly Entry[]> {
    this.entries ??= this.readTree()
    return this.entries
  }

  private async readTree(): Promise<Entry[]> {
    const [staged, changed, untracked] = await Promise.all(
      [
        ['ls-files', '--stage', '-v', '-z'],
        ['diff-files', '--name-status', '--no-renames', '-z'],
        ['ls-files', '--others', '--exclude-standard', '-z'],
      ].map(async (args) => {
        const { status, stdout, stderr } = await run(this.repository, args)
        if (status !== 0) throw gitError(this.repository, args, stderr)
        return splitNul(stdout)
      }),
    )
    const entries = new Map<string, Entry>()
    const unwatched: Buffer[] = []
    for (const line of staged ?? []) {
      const tab = line.indexOf(9)
      const [tag = '', mode = '', id = ''] = line.subarray(0, tab).toString('latin1').split(' ')
      const name = line.subarray(tab + 1)
      const file = pathText(name)
      entries.set(file, { path: file, type: typeOf(mode), id })
      if (isUnwatched(tag)) unwatched.push(name)
    }
    const hidden = new Set(unwatched)
    const touched = [...unwatched, ...(changed ?? []).filter((_, index) => index % 2 === 1), ...(untracked ?? [])]
    const top = await realpath(this.repository.dir)
    for (const bytes of touched) {
      const file = pathText(bytes)
      const entry = entries.get(file)
      if (entry?.type === 'submodule' || file.endsWith('/')) continue
      const found = await onDisk(top, bytes, entry?.id.length === 64 ? 'sha256' : 'sha1')
      if (found) entries.set(file, found)
      else if (hidden.has(bytes)) this.leftOut.add(file)
      else entries.delete(file)
    }
    return [...entries.values()]
  }

  async *read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    const kept = this.blobs.read(entries.filter(({ path: file }) => this.leftOut.has(file)))
    try {
      for (const entry of entries) {
        const content = this.leftOut.has(entry.path) ? undefined : this.onDisk(entry)
        if (content) yield [entry, content]
        else if (this.leftOut.has(entry.path)) yield (await kept.next()).value
        // Deleted since it was listed: the object database has the listed content.
        else yield* this.blobs.read([entry])
      }
    } finally {
      await kept.return(undefined)
    }
  }

  private onDisk(entry: Entry): Content | undefined {
    try {
      return contentOnDisk(diskPath(this.repository.dir, entry), entry.type)
    } catch {
      return undefined
    }
  }
}

/** Whether git ignores changes of a file: it is assumed to be unchanged, or left out by a sparse checkout. */
function isUnwatched(tag: string): boolean {
  return tag === 'S' || tag !== tag.toUpperCase()
}

function diskPath(dir: string, { path: file, raw }: Pick<Entry, 'path' | 'raw'>): string | Buffer {
  return raw ? Buffer.concat([Buffer.from(`${dir}/`), raw]) : path.join(dir, file)
}

/**
 * A file of the working tree, with the id git would give its bytes.
 *
 * @param top the real path of the working tree: files behind a symbolic link to a folder are not part of it
 */
async function onDisk(top: string, bytes: Buffer, algorithm: string): Promise<Entry | undefined> {
  const text = pathText(bytes)
  const place = { path: text, ...(bytes.toString('utf8') === text ? {} : { raw: bytes }) }
  const file = diskPath(top, place)
  const stats = await lstat(file).catch(() => undefined)
  if (!stats || (!stats.isFile() && !stats.isSymbolicLink())) return undefined
  const folder = path.dirname(path.join(top, text))
  if (!place.raw && (await realpath(folder)) !== folder) return undefined
  const entry: Entry = { ...place, type: stats.isSymbolicLink() ? 'link' : 'file', id: '' }
  const content = contentOnDisk(file, entry.type)
  if ('missing' in content) return { ...entry, id: `large:${text}` }
  const id = createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex')
  return { ...entry, id }
}

function typeOf(mode: string): Entry['type'] {
  return mode === '120000' ? 'link' : mode === '160000' ? 'submodule' : 'file'
}

/** The lines of a listing: what is said of a path, and the path. */
function linesIn(listing: Buffer): [what: string, path: string][] {
  const text = listing.toString('utf8')
  if (text.includes('\ufffd'))
    return splitNul(listing).map((line) => {
      const tab = line.indexOf(9)
      return [line.subarray(0, tab).toString('latin1'), pathText(line.subarray(tab + 1))]
    })
  return text
    .split('\0')
    .slice(0, -1)
    .map((line) => [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)])
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
