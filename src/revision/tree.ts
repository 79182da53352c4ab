import path from 'node:path/posix'
import { Minimatch } from 'minimatch'
import type { Skipped } from '../finding/report'
import type { Entry, Revision } from './revision'

/** The paths of a revision, and which of its files can hold plain manifests. */
export interface Tree {
  /** Every path, including files that are no manifests. */
  readonly entries: ReadonlyMap<string, Entry>
  /** The final targets of symbolic links, by path; links that lead out are missing. */
  readonly resolved: ReadonlyMap<string, string>
  /** The files that can hold plain manifests. */
  readonly files: ReadonlyMap<string, Entry>
  /** Whether the config excludes a file and nothing includes it again. */
  ignores(path: string): boolean
  /** Whether a glob of `ignore` matches a file, shown or not. */
  isIgnorable(path: string): boolean
  /** The files at or below a path that can hold plain manifests and that a glob of `ignore` excludes. */
  ignorableAt(path: string): string[]
  /** The targets of the symbolic links that count, each with its links. */
  readonly linked: ReadonlyMap<string, readonly string[]>
  /** The paths below a folder. */
  below(folder: string): string[]
  /** A path itself, or the files below it when it is a folder. */
  at(path: string): string[]
  /** The further paths a file is reached by through symbolic links. */
  readonly aliases: ReadonlyMap<string, readonly string[]>
  /** Symbolic links that are not followed, by path. */
  readonly refused: ReadonlyMap<string, string>
  readonly skipped: readonly Skipped[]
}

/** The files that kubectl, kustomize, Argo CD and Flux read; they do not read `.YAML`. */
export const manifestName = /\.(?:ya?ml|json)$/

/** No real repository has links to more files than this; each link beyond it is refused. */
const maxAliases = 100_000

const tooMany = 'one of many symbolic links that together reach more than 100,000 files'

/**
 * Sorts the paths of a revision into files that can hold plain manifests and files that are left out.
 *
 * @param ignore globs of files to leave out
 * @param shown files that are not left out, because something deploys them
 */
export async function readTree(
  revision: Revision,
  ignore: readonly string[],
  shown: ReadonlySet<string> = new Set(),
): Promise<Tree> {
  const entries = new Map((await revision.list()).map((entry) => [entry.path, entry]))
  const ignored = new IgnoreList(ignore, shown)
  const ignorable = new Map<string, Entry>()
  const files = new Map<string, Entry>()
  const skipped: Skipped[] = []
  for (const entry of entries.values()) {
    if (entry.type === 'submodule')
      skipped.push({ path: entry.path, reason: 'a submodule, which is another repository' })
    if (entry.type === 'submodule' || !manifestName.test(entry.path)) continue
    if (entry.type === 'link') {
      if (ignored.takes(entry.path)) ignorable.set(entry.path, entry)
      continue
    }
    const left = ignored.counts(entry.path)
    if (!left) files.set(entry.path, entry)
    if (left || shown.has(entry.path)) ignorable.set(entry.path, entry)
  }
  const links = await new Links(revision, entries).follow()
  const aliases = new Map<string, string[]>()
  const refused = new Map<string, string>()
  const resolved = new Map<string, string>()
  const linked = new Map<string, string[]>()
  const plain = new FolderIndex(files)
  let room = maxAliases
  const reach = (file: Entry, link: string) => {
    files.set(file.path, file)
    const known = aliases.get(file.path)
    if (known) known.push(link)
    else aliases.set(file.path, [link])
    room--
  }
  for (const [link, target] of links) {
    if ('path' in target) resolved.set(link, target.path)
    if (ignored.has(link)) continue
    if ('reason' in target) {
      refused.set(link, target.reason)
      continue
    }
    const links = linked.get(target.path)
    if (links) links.push(link)
    else linked.set(target.path, [link])
    const file = entries.get(target.path)
    if (file?.type === 'file') {
      if (!manifestName.test(link) || ignored.has(target.path)) continue
      if (room > 0) reach(file, link)
      else refused.set(link, tooMany)
      continue
    }
    const folder = target.path === '' ? '' : `${target.path}/`
    if (link.startsWith(folder)) continue
    const inside = plain.below(target.path, room + 1)
    if (inside.length > room) {
      refused.set(link, tooMany)
      continue
    }
    for (const path of inside) {
      const entry = entries.get(path)
      if (entry) reach(entry, `${link}/${path.slice(folder.length)}`)
    }
  }
  skipped.push(...[...refused].map(([path, reason]) => ({ path, reason })))
  const folders = new FolderIndex(entries)
  const ignorableBelow = new FolderIndex(ignorable)
  return {
    entries,
    resolved,
    files,
    ignores: (file) => ignored.has(file),
    isIgnorable: (file) => ignored.takes(file),
    ignorableAt(file) {
      if (!entries.has(file)) return ignorableBelow.below(file)
      return ignored.takes(file) ? [file] : []
    },
    linked,
    below: (folder) => folders.below(folder),
    at: (file) => (entries.has(file) ? [file] : folders.below(file)),
    aliases,
    refused,
    skipped: [...skipped, ...ignored.skipped()],
  }
}

/** Finds the files below a folder without walking every path. */
class FolderIndex {
  private sorted: readonly string[] | undefined

  constructor(private readonly unsorted: ReadonlyMap<string, unknown>) {}

  /** Sorted on first use: without renderings it is not needed. */
  private get paths(): readonly string[] {
    this.sorted ??= [...this.unsorted.keys()].sort(byCodeUnit)
    return this.sorted
  }

  /** @param most how many paths are wanted at most */
  below(folder: string, most = Infinity): string[] {
    if (folder === '') return this.paths.slice(0, most)
    const prefix = `${folder}/`
    let low = 0
    let high = this.paths.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (byCodeUnit(this.paths[middle] ?? '', prefix) < 0) low = middle + 1
      else high = middle
    }
    const found: string[] = []
    for (let index = low; found.length < most && this.paths[index]?.startsWith(prefix); index++)
      found.push(this.paths[index] ?? '')
    return found
  }
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The globs of `ignore`, with the number of files each excludes. */
class IgnoreList {
  private readonly globs: { glob: string; matches: (file: string) => boolean; count: number }[]

  constructor(
    globs: readonly string[],
    private readonly shown: ReadonlySet<string>,
  ) {
    this.globs = globs.map((glob) => ({ glob, matches: matcherOf(glob), count: 0 }))
  }

  has(file: string): boolean {
    return !this.shown.has(file) && this.takes(file)
  }

  takes(file: string): boolean {
    return this.globs.some(({ matches }) => matches(file))
  }

  /** Whether a file is excluded; if so, it is counted. */
  counts(file: string): boolean {
    const found = this.shown.has(file) ? undefined : this.globs.find(({ matches }) => matches(file))
    if (found) found.count++
    return found !== undefined
  }

  skipped(): Skipped[] {
    return this.globs
      .filter(({ count }) => count > 0)
      .map(({ glob, count }) => ({ path: glob, reason: `ignored: ${count} ${count === 1 ? 'file' : 'files'}` }))
  }
}

/** Matches a glob; most files are passed over sooner, as they lack a word that is written in each form of it. */
function matcherOf(glob: string): (file: string) => boolean {
  const matcher = new Minimatch(glob, { dot: true })
  const words = matcher.set.map((parts) => parts.filter((part) => typeof part === 'string'))
  return (file) =>
    (matcher.negate || words.some((form) => form.every((word) => file.includes(word)))) && matcher.match(file)
}

type Target = { path: string } | { reason: string }

/** Follows the symbolic links of a revision, inside the revision only and never on disk. */
class Links {
  private readonly targets = new Map<string, string>()
  private readonly folders = new Set<string>([''])

  constructor(
    private readonly revision: Revision,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  async follow(): Promise<Map<string, Target>> {
    const links = [...this.entries.values()].filter((entry) => entry.type === 'link')
    if (links.length === 0) return new Map()
    for (const file of this.entries.keys()) {
      for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1))
        this.folders.add(file.slice(0, end))
    }
    for await (const [link, content] of this.revision.read(links)) {
      if (!('missing' in content)) this.targets.set(link.path, Buffer.from(content).toString('utf8'))
    }
    return new Map(links.map((link) => [link.path, this.resolve(link.path, 0)]))
  }

  private resolve(file: string, hops: number): Target {
    if (hops > 20) return { reason: 'a symbolic link that leads back to itself' }
    for (let end = endOfPart(file, 0); end !== -1; end = endOfPart(file, end + 1)) {
      const prefix = file.slice(0, end)
      const target = this.targets.get(prefix)
      if (target === undefined) continue
      const next = path.normalize(path.join(path.dirname(prefix), target, file.slice(end)))
      if (path.isAbsolute(target) || next === '..' || next.startsWith('../')) {
        return { reason: 'a symbolic link out of the repository, which is not followed' }
      }
      if (next.length > longestPath) return { reason: 'a symbolic link to a path that cannot exist' }
      return this.resolve(next === '.' ? '' : next.endsWith('/') ? next.slice(0, -1) : next, hops + 1)
    }
    if (this.entries.has(file) || this.folders.has(file)) return { path: file }
    return { reason: 'a symbolic link to a path that does not exist' }
  }
}

/** The limit of the kernel. */
const longestPath = 4096

/** The end of the part of a path that begins at a place; -1 after the last one. */
function endOfPart(file: string, start: number): number {
  if (start > file.length) return -1
  const end = file.indexOf('/', start)
  return end === -1 ? file.length : end
}

/** The same tree without some files. */
export function treeWithout(tree: Tree, lost: readonly string[]): Tree {
  const gone = new Set(lost)
  const left = <T>(all: ReadonlyMap<string, T>) => new Map([...all].filter(([file]) => !gone.has(file)))
  const isLeft = (file: string) => !gone.has(file)
  return {
    ...tree,
    entries: left(tree.entries),
    resolved: left(tree.resolved),
    below: (folder) => tree.below(folder).filter(isLeft),
    at: (place) => tree.at(place).filter(isLeft),
  }
}
