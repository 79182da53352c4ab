import { createHash } from 'node:crypto'

/** The folder of charts that are not in the revision. No tree of Git has a path below `.git`. */
const prefix = '.git/charts'

/** Files that a checkout holds besides those of its revision, each set of them in a folder of its own. */
export class HeldFiles {
  private readonly folders = new Map<string, ReadonlyMap<string, Uint8Array>>()

  /** @returns the folder of the files; the same for the same digest */
  add(digest: string, files: ReadonlyMap<string, Uint8Array>): string {
    const folder = `${prefix}/${createHash('sha256').update(digest).digest('hex')}`
    if (!this.folders.has(folder)) this.folders.set(folder, files)
    return folder
  }

  /** Whether a path is one of such a folder; a path of a revision never is. */
  contains(path: string): boolean {
    return path.startsWith(`${prefix}/`)
  }

  /** The folder that a path is in, which identifies its content together with the path. */
  folderOf(path: string): string {
    return path.split('/').slice(0, 3).join('/')
  }

  contentOf(path: string): Uint8Array | undefined {
    const folder = this.folderOf(path)
    return this.folders.get(folder)?.get(path.slice(folder.length + 1))
  }

  below(path: string): string[] {
    const folder = this.folderOf(path)
    const all = [...(this.folders.get(folder)?.keys() ?? [])].map((file) => `${folder}/${file}`)
    return all.filter((file) => file.startsWith(`${path}/`)).sort()
  }
}
