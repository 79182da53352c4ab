import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { type Content, type Entry, type Revision, sizeLimit, tooLarge } from './revision'

/** A folder, for comparing two trees without Git. Folders named `.git` are left out. */
export class DirectoryRevision implements Revision {
  readonly name: string
  private entries: Promise<readonly Entry[]> | undefined

  constructor(private readonly dir: string) {
    this.name = dir
  }

  list(): Promise<readonly Entry[]> {
    this.entries ??= this.readTree()
    return this.entries
  }

  private async readTree(): Promise<Entry[]> {
    const entries: Entry[] = []
    const walk = async (folder: string): Promise<void> => {
      for (const item of await readdir(path.join(this.dir, folder), { withFileTypes: true })) {
        const file = folder === '' ? item.name : `${folder}/${item.name}`
        if (item.isDirectory()) {
          if (item.name !== '.git') await walk(file)
        } else if (item.isFile() || item.isSymbolicLink()) {
          entries.push(await this.entry(file, item.isSymbolicLink()))
        }
      }
    }
    await walk('')
    return entries
  }

  async *read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    for (const entry of entries) {
      yield [
        entry,
        entry.type === 'link'
          ? Buffer.from(await readlink(path.join(this.dir, entry.path)))
          : await this.content(entry.path),
      ]
    }
  }

  private async entry(file: string, link: boolean): Promise<Entry> {
    const { size, mtimeMs } = await lstat(path.join(this.dir, file))
    // Large files that are no manifests are not read to compare them.
    if (!link && size > 1024 * 1024 && !/\.(?:ya?ml|json)$/.test(file)) {
      return { path: file, type: 'file', id: `unread:${size}:${mtimeMs}` }
    }
    const content = link ? Buffer.from(await readlink(path.join(this.dir, file))) : await this.content(file)
    const id = 'missing' in content ? `large:${file}` : createHash('sha1').update(content).digest('hex')
    return { path: file, type: link ? 'link' : 'file', id }
  }

  private async content(file: string): Promise<Content> {
    const { size } = await lstat(path.join(this.dir, file))
    if (size > sizeLimit) return { missing: tooLarge(size) }
    return readFile(path.join(this.dir, file))
  }
}
