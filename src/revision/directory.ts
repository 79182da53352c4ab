import { createHash } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { contentOnDisk } from './disk'
import type { Content, Entry, Revision } from './revision'

/** A folder, for comparing two trees without Git. Folders named `.git` are left out. */
export class DirectoryRevision implements Revision {
  readonly name: string
  private entries: readonly Entry[] | undefined

  constructor(private readonly dir: string) {
    this.name = dir
  }

  async list(): Promise<readonly Entry[]> {
    this.entries ??= [...this.walk('')]
    return this.entries
  }

  private *walk(folder: string): Generator<Entry> {
    for (const item of readdirSync(path.join(this.dir, folder), { withFileTypes: true })) {
      const file = folder === '' ? item.name : `${folder}/${item.name}`
      if (item.isDirectory()) {
        if (item.name !== '.git') yield* this.walk(file)
      } else if (item.isFile() || item.isSymbolicLink()) {
        yield this.entry(file, item.isSymbolicLink() ? 'link' : 'file')
      }
    }
  }

  async *read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    for (const entry of entries) yield [entry, contentOnDisk(path.join(this.dir, entry.path), entry.type)]
  }

  private entry(file: string, type: 'file' | 'link'): Entry {
    const place = path.join(this.dir, file)
    // Large files that are no manifests are not read to compare them.
    if (type === 'file' && !/\.(?:ya?ml|json)$/.test(file)) {
      const { size, mtimeMs } = lstatSync(place)
      if (size > 1024 * 1024) return { path: file, type, id: `unread:${size}:${mtimeMs}` }
    }
    const content = contentOnDisk(place, type)
    const id = 'missing' in content ? `large:${file}` : createHash('sha1').update(content).digest('hex')
    return { path: file, type, id }
  }
}
