import { type CacheFolder, digestOf } from './cache-folder'
import type { FetchedFiles } from './fetching'

/** The files of a commit. */
export interface FetchedTree {
  readonly digest: string
  readonly files: FetchedFiles
  readonly links: readonly string[]
}

/** What a kept tree is of. */
export interface TreeId {
  readonly place: string
  readonly commit: string
  readonly folders: readonly string[]
}

/**
 * Trees of commits that a branch or a tag held when they were fetched. Each is one file: the digest of the rest, a line of
 * JSON, and the content of the files.
 */
export class TreeCache {
  constructor(private readonly folder: CacheFolder) {}

  read(id: TreeId): Promise<FetchedTree | undefined> {
    return this.folder.read(nameOf(id), (content) => treeIn(content, id))
  }

  write(id: TreeId, { files, links }: FetchedTree): Promise<void> {
    const sizes = [...files].map(([name, { length }]) => [name, length])
    const rest = Buffer.concat([Buffer.from(`${JSON.stringify({ id, sizes, links })}\n`), ...files.values()])
    return this.folder.write(nameOf(id), Buffer.concat([Buffer.from(`${digestOf(rest)}\n`), rest]))
  }
}

function nameOf(id: TreeId): string {
  return `trees/${digestOf(JSON.stringify(id))}`
}

function treeIn(content: Buffer, id: TreeId): FetchedTree | undefined {
  const start = content.indexOf('\n') + 1
  const rest = content.subarray(start)
  if (content.toString('latin1', 0, start) !== `${digestOf(rest)}\n`) return undefined
  const end = rest.indexOf('\n') + 1
  const head: { id: TreeId; sizes: [string, number][]; links: string[] } = JSON.parse(rest.toString('utf8', 0, end))
  if (JSON.stringify(head.id) !== JSON.stringify(id)) return undefined
  const files = new Map<string, Uint8Array>()
  let at = end
  for (const [name, size] of head.sizes) {
    files.set(name, rest.subarray(at, at + size))
    at += size
  }
  return { digest: id.commit, files, links: head.links }
}
