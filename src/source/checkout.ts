import { mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { decodeFile } from '../manifest/load'
import type { Content, Entry, Revision } from './revision'
import type { Tree } from './tree'

/** A revision's files as rendering needs them: texts by path, and copies in a private folder. */
export class Checkout {
  private readonly contents = new Map<string, Promise<Content>>()
  private readonly written = new Map<string, Promise<void>>()

  /**
   * @param folder a private folder that holds nothing else
   */
  constructor(
    private readonly revision: Revision,
    readonly tree: Tree,
    readonly folder: string,
  ) {}

  has(file: string): boolean {
    return this.tree.entries.get(file)?.type === 'file' || this.tree.resolved.has(file)
  }

  /** What tells one content of a path from another, for a link with all it leads to. */
  idOf(file: string): string {
    const to = this.tree.resolved.get(file)
    const behind = to === undefined ? [] : this.tree.at(to).map((target) => this.tree.entries.get(target)?.id)
    return [this.tree.entries.get(file)?.id, ...behind].join()
  }

  /** The files and links below a folder. */
  below(folder: string): string[] {
    return this.tree.below(folder)
  }

  /** The texts of files; one that is not there or cannot be read is left out. */
  async texts(files: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const contents = await this.read(files)
    for (const [file, content] of contents) if (!('missing' in content)) found.set(file, decodeFile(content).text)
    return found
  }

  async text(file: string): Promise<string | undefined> {
    return (await this.texts([file])).get(file)
  }

  /** Reads files in one go; what a link leads to is read in its place. */
  async read(files: readonly string[]): Promise<Map<string, Content>> {
    const real = (file: string) => this.tree.entries.get(this.tree.resolved.get(file) ?? file)
    const wanted = new Map<string, Entry>()
    for (const file of files) {
      const entry = real(file)
      if (entry?.type === 'file' && !this.contents.has(entry.path)) wanted.set(entry.path, entry)
    }
    if (wanted.size > 0) {
      const reading = this.readAll([...wanted.values()])
      for (const name of wanted.keys())
        this.contents.set(
          name,
          reading.then((contents) => contents.get(name) ?? { missing: 'it could not be read' }),
        )
    }
    const found = new Map<string, Content>()
    for (const file of files) {
      const content = await this.contents.get(real(file)?.path ?? '')
      if (content) found.set(file, content)
    }
    return found
  }

  private async readAll(entries: readonly Entry[]): Promise<Map<string, Content>> {
    const contents = new Map<string, Content>()
    for await (const [{ path: name }, content] of this.revision.read(entries)) contents.set(name, content)
    return contents
  }

  /**
   * Copies files into the folder, under their paths, from the revision's own data: no hook, no filter, no link that
   * leaves the folder.
   */
  async layOut(files: readonly string[]): Promise<void> {
    const missing = files.filter((file) => !this.written.has(file))
    const contents = this.read(missing)
    for (const file of missing)
      this.written.set(
        file,
        contents.then((all) => this.write(file, all.get(file))),
      )
    await Promise.all(files.map((file) => this.written.get(file)))
    // What a link leads to has to be there too.
    const targets = missing.flatMap((file) => this.tree.resolved.get(file) ?? []).flatMap((to) => this.tree.at(to))
    if (targets.length > 0) await this.layOut(targets)
  }

  private async write(file: string, content: Content | undefined): Promise<void> {
    const target = this.placeOf(file)
    if (!target) return
    await mkdir(path.dirname(target), { recursive: true })
    const leadsTo = this.tree.resolved.get(file)
    if (leadsTo !== undefined) {
      const to = this.placeOf(leadsTo)
      if (to) await symlink(path.relative(path.dirname(target), to) || '.', target)
    } else if (content && !('missing' in content)) {
      await writeFile(target, content)
    }
  }

  /** Where a file of the revision lies on disk; undefined for a name that would leave the folder, as no Git client writes. */
  placeOf(file: string): string | undefined {
    const target = path.join(this.folder, file)
    return target.startsWith(this.folder + path.sep) || target === this.folder ? target : undefined
  }
}
