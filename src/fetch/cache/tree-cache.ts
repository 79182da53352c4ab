import type { FetchedFiles } from '../connection/fetching'
import { type CacheFolder, digestOf, type EntryName, sealed, unsealed } from './cache-folder'

/** The files of a commit. */
export interface FetchedTree {
  readonly files: FetchedFiles
  readonly links: readonly string[]
}

/** Identifies a kept tree. */
export interface TreeId {
  readonly place: string
  readonly commit: string
  readonly folders: readonly string[]
}

/**
 * Trees of commits that a branch or a tag held when they were fetched, each with the content of its files in one file.
 */
export class TreeCache {
  constructor(private readonly folder: CacheFolder) {}

  read(id: TreeId): Promise<FetchedTree | undefined> {
    return this.folder.read(nameOf(id), (content) => treeIn(content, id))
  }

  write(id: TreeId, { files, links }: FetchedTree): Promise<void> {
    const sizes = [...files].map(([name, { length }]) => [name, length])
    return this.folder.write(nameOf(id), sealed({ id, sizes, links }, Buffer.concat([...files.values()])))
  }
}

function nameOf(id: TreeId): EntryName {
  return `trees/${digestOf(JSON.stringify(id))}`
}

interface TreeDescription {
  readonly id: TreeId
  readonly sizes: readonly [string, number][]
  readonly links: readonly string[]
}

function treeIn(entry: Buffer, id: TreeId): FetchedTree | undefined {
  const opened = unsealed(entry)
  if (!opened) return undefined
  const description = opened.description as TreeDescription
  if (JSON.stringify(description.id) !== JSON.stringify(id)) return undefined
  const files = new Map<string, Uint8Array>()
  let at = 0
  for (const [name, size] of description.sizes) {
    files.set(name, opened.content.subarray(at, at + size))
    at += size
  }
  return { files, links: description.links }
}
