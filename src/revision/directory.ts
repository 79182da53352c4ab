import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { contentOnDisk } from './disk'
import type { Content, Entry, Revision } from './revision'

/** A folder, to be compared with another one or with a commit. Folders named `.git` are left out. */
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
    const content = contentOnDisk(path.join(this.dir, file), type)
    // Git's own id of the content: a folder may be compared with a commit.
    const id =
      'missing' in content
        ? `large:${file}`
        : createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
    return { path: file, type, id }
  }
}
