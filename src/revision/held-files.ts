import { createHash } from 'node:crypto'

/** The folder of fetched charts and trees of Git. No tree of Git has a path below `.git`. */
const prefix = '.git/charts'

/** The folder of fetched files that a path is in; empty for a path of a revision. */
export function heldFolderOf(path: string): string {
  return path.startsWith(`${prefix}/`) ? path.split('/').slice(0, 3).join('/') : ''
}

/** The files of a checkout besides those of its revision, each set of them in a folder of its own. */
export class HeldFiles {
  private readonly folders = new Map<string, ReadonlyMap<string, Uint8Array>>()

  /** @returns the folder of the files; the same for the same digest */
  add(digest: string, files: ReadonlyMap<string, Uint8Array>): string {
    const folder = `${prefix}/${createHash('sha256').update(digest).digest('hex')}`
    if (!this.folders.has(folder)) this.folders.set(folder, files)
    return folder
  }

  /** Whether a path is in such a folder; a path of a revision never is. */
  contains(path: string): boolean {
    return heldFolderOf(path) !== ''
  }

  /** The folder that a path is in, which identifies its content together with the path. */
  folderOf(path: string): string {
    return heldFolderOf(path)
  }

  /** A file itself, or the files below a folder. */
  at(path: string): string[] {
    return this.contentOf(path) ? [path] : this.below(path)
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
