import { mkdir, mkdtemp, rename, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { FileText } from '../manifest/load'
import { EditedRevision, idOfEdited } from './edited-revision'
import { HeldFiles } from './held-files'
import { isKustomizationFile } from './kustomization-file'
import { LaidOver } from './laid-over'
import { Contents, isDigest, Reading } from './reading-contents'
import type { Content, Entry, Missing, Revision } from './revision'
import { type Tree, treeWithout } from './tree'

/** A revision's files as rendering needs them: texts by path, and copies in a private folder. */
export class Checkout {
  private readonly reading: Reading
  private readonly written = new Map<string, Promise<string | undefined>>()
  /** The folders of charts that have received the charts they include. */
  readonly complete = new Set<string>()
  private last: Promise<unknown> = Promise.resolve()
  private place: string | undefined
  private kustomized: Checkout | undefined
  private readonly reduced = new Map<string, Checkout>()
  private readonly given = new Map<string, { readonly text: string; readonly done: Promise<void> }>()

  /** @param newFolder an empty private folder; requested before the first file is written or rendered */
  constructor(
    private readonly revision: Revision,
    readonly tree: Tree,
    private readonly newFolder: () => string,
    private readonly contents = new Contents(),
    /** Files that are not copied: something else is written in their place. */
    private readonly isWithheld: (file: string) => boolean = () => false,
    private readonly held = new HeldFiles(),
    /** The local replacements of remote entries of Kustomizations, by the entry's text: a folder, or a file in one. */
    readonly inPlaceOf: ReadonlyMap<string, string> = new Map(),
  ) {
    this.reading = new Reading(revision, tree, held, contents)
  }

  get folder(): string {
    this.place ??= this.newFolder()
    return this.place
  }

  /**
   * Adds the files of a chart or a tree that is not in the revision.
   *
   * @param digest identifies their content
   * @returns their folder: no path of a revision, as Git takes no file below `.git`
   */
  hold(digest: string, files: ReadonlyMap<string, Uint8Array>): string {
    return this.held.add(digest, files)
  }

  /** A copy for kustomize next to this one, in which every Kustomization and plugin file has the inspected content. */
  get forKustomize(): Checkout {
    const folder = () => `${this.folder}-kustomize`
    const { revision, tree, contents, held, inPlaceOf } = this
    this.kustomized ??= new Checkout(revision, tree, folder, contents, isKustomizationFile, held, inPlaceOf)
    return this.kustomized
  }

  /** The same files with other texts in place of some, in another private folder. */
  edited(texts: ReadonlyMap<string, string>, newFolder: () => string): Checkout {
    const files = new Map([...texts].map(([file, text]) => [file, Buffer.from(text)] as const))
    return this.with(files, this.tree, newFolder, this.inPlaceOf)
  }

  /**
   * The same files, in another private folder, with fetched ones: in place of entries of Kustomizations, and the charts
   * where they look for them.
   */
  withFetched(
    inPlaceOf: ReadonlyMap<string, string>,
    charts: ReadonlyMap<string, Uint8Array>,
    newFolder: () => string,
  ): Checkout {
    const { tree, held } = this
    const added = [...charts.keys()].filter((file) => !tree.entries.has(file)).sort()
    const below = (place: string) => {
      const isHeld = held.contains(place)
      const own = isHeld ? held.below(place) : tree.below(place)
      const its = (file: string) => file.startsWith(`${place}/`) || (place === '' && !held.contains(file))
      return [...own, ...added.filter(its)]
    }
    const at = (place: string) => {
      const isFile = charts.has(place) || (held.contains(place) ? held.contentOf(place) : tree.entries.has(place))
      return isFile ? [place] : below(place)
    }
    return this.with(charts, { ...tree, below, at }, newFolder, inPlaceOf)
  }

  /** The same files but some, in another private folder. */
  without(lost: readonly string[]): Checkout {
    const key = JSON.stringify(lost)
    const known = this.reduced.get(key)
    if (known) return known
    const { revision, newFolder, contents, held, inPlaceOf } = this
    const reduced = new Checkout(
      revision,
      treeWithout(this.tree, lost),
      newFolder,
      contents,
      undefined,
      held,
      inPlaceOf,
    )
    this.reduced.set(key, reduced)
    return reduced
  }

  private with(
    files: ReadonlyMap<string, Uint8Array>,
    tree: Tree,
    newFolder: () => string,
    inPlaceOf: Checkout['inPlaceOf'],
  ) {
    const { revision, contents, held } = this
    const edits = [...files].map(([file, content]): [string, Entry] => [
      file,
      { path: file, type: 'file', id: idOfEdited(content) },
    ])
    const entries = edits.length > 0 ? new LaidOver(tree.entries, new Map(edits)) : tree.entries
    const edited = edits.length > 0 ? new EditedRevision(revision, files) : revision
    return new Checkout(edited, { ...tree, entries }, newFolder, contents, undefined, held, inPlaceOf)
  }

  has(file: string): boolean {
    // A fetched chart may be in a fetched tree.
    if (this.held.contains(file)) return this.held.contentOf(file) !== undefined || this.tree.entries.has(file)
    return this.tree.entries.get(file)?.type === 'file' || this.tree.resolved.has(file)
  }

  /** The identity of a path's content, for a link with everything behind it. */
  idOf(file: string): string {
    if (this.held.contains(file)) return this.tree.entries.get(file)?.id ?? this.held.folderOf(file)
    const to = this.tree.resolved.get(file)
    const behind = to === undefined ? [] : this.tree.at(to).map((target) => this.tree.entries.get(target)?.id)
    return [this.tree.entries.get(file)?.id, ...behind].join()
  }

  /** Whether the id of a path's content is the same in any revision and run. */
  isIdentified(file: string): boolean {
    return this.held.contains(file) || this.idOf(file).split(',').every(isDigest)
  }

  /** The files and links below a folder. */
  below(folder: string): string[] {
    const own = this.tree.below(folder)
    return this.held.contains(folder) ? [...new Set([...this.held.below(folder), ...own])] : own
  }

  /** The texts of files; one that is not there or cannot be read is left out. */
  texts(files: readonly string[]): Promise<Map<string, string>> {
    return this.reading.those(files, ({ file }) => ('text' in file ? file.text : undefined))
  }

  /** The texts of those files that may contain one of some words, in any spelling; few are decoded for that. */
  mentioning(files: readonly string[], words: readonly string[]): Promise<Map<string, string>> {
    return this.reading.those(files, (content) => {
      if (!content.mentionsOneOf(words)) return undefined
      return 'text' in content.file ? content.file.text : undefined
    })
  }

  /** The texts of files, or why one cannot be read. */
  decoded(files: readonly string[]): Promise<Map<string, FileText | Missing>> {
    return this.reading.those(files, ({ file }) => file)
  }

  async text(file: string): Promise<string | undefined> {
    return (await this.texts([file])).get(file)
  }

  /** Reads several files at once; for a link, its target. */
  read(files: readonly string[]): Promise<Map<string, Content>> {
    return this.reading.those(files, ({ content }) => content)
  }

  /**
   * Copies files into the folder, under their paths, from the revision's own data: no hook, no filter, no link that
   * leaves the folder.
   *
   * @returns the files that are not there now, and why
   */
  async layOut(files: readonly string[]): Promise<Map<string, string>> {
    const wanted = new Set(files)
    // The target of a link has to be there too.
    for (const file of wanted) {
      const to = this.tree.resolved.get(file)
      if (to !== undefined) for (const target of this.tree.at(to)) wanted.add(target)
    }
    for (const file of wanted) if (this.isWithheld(file)) wanted.delete(file)
    const missing = [...wanted].filter((file) => !this.written.has(file))
    const contents = this.read(missing)
    for (const file of missing)
      this.written.set(
        file,
        contents.then((all) => this.write(file, all.get(file))),
      )
    const faults = new Map<string, string>()
    for (const file of wanted) {
      const fault = await this.written.get(file)
      if (fault !== undefined) faults.set(file, fault)
    }
    return faults
  }

  /** Runs work on the folder alone: several sources may share the same files. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work)
    this.last = done.catch(() => {})
    return done
  }

  /** Writes a file that takes the place of one of the revision. */
  give(file: string, text: string): Promise<void> {
    const known = this.given.get(file)
    if (known?.text === text) return known.done
    const done = this.replace(file, text)
    this.given.set(file, { text, done })
    return done
  }

  /** Written atomically: another rendering may be reading the same content. */
  private async replace(file: string, text: string): Promise<void> {
    const target = this.placeOf(file)
    if (!target) return
    await mkdir(path.dirname(target), { recursive: true })
    const draft = path.join(await mkdtemp(`${this.folder}-given-`), path.basename(target))
    await writeFile(draft, text)
    await rename(draft, target)
  }

  /** @returns why the file is not there now */
  private async write(file: string, content: Content | undefined): Promise<string | undefined> {
    const target = this.placeOf(file)
    if (!target) return 'Git clients refuse to write a file with its name'
    const leadsTo = this.tree.resolved.get(file)
    const to = leadsTo === undefined ? undefined : this.placeOf(leadsTo)
    if (leadsTo === undefined && this.tree.entries.get(file)?.type === 'link')
      return `it is ${this.tree.refused.get(file) ?? 'a symbolic link that is not followed'}`
    if (leadsTo === undefined && content && 'missing' in content) return content.missing
    try {
      await mkdir(path.dirname(target), { recursive: true })
      // An absolute target: where a hostile tree has a link and a folder with one name, a relative link would start
      // elsewhere.
      if (to) await symlink(to, target)
      else if (leadsTo === undefined && content) await writeFile(target, content as Uint8Array)
    } catch (cause) {
      // A name too long for the disk, or one that is a file and a folder at once.
      return `it cannot be written here (${(cause as NodeJS.ErrnoException).code})`
    }
    return undefined
  }

  /** The place of a file of the revision on disk; undefined for a name that no Git client writes. */
  placeOf(file: string): string | undefined {
    if (file === '') return this.folder
    const hostile = file.split('/').some((name) => /^\.{0,2}$/.test(name))
    return hostile ? undefined : path.join(this.folder, file)
  }
}
