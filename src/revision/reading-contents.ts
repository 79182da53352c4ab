import { randomUUID } from 'node:crypto'
import { decodeFile, type FileText } from '../manifest/load'
import type { HeldFiles } from './held-files'
import type { Content, Entry, Missing, Revision } from './revision'
import type { Tree } from './tree'

/** Contents by their identity: both sides of a change, and all trials of it, share nearly all of theirs. */
export type Contents = Map<string, Promise<KeptContent>>

/** A content that was read, and its text from when it is first asked for. */
class KeptContent {
  private decoded: FileText | undefined

  constructor(readonly content: Content) {}

  get file(): FileText | Missing {
    if ('missing' in this.content) return this.content
    this.decoded ??= decodeFile(this.content)
    return this.decoded
  }
}

/** Reads files of a revision by their path, each content once. */
export class Reading {
  private readonly id = randomUUID()
  /** The contents that were read, by path. */
  private readonly known = new Map<string, KeptContent>()

  constructor(
    private readonly revision: Revision,
    private readonly tree: Tree,
    private readonly held: HeldFiles,
    private readonly contents: Contents,
  ) {}

  /** The contents of those files that are there; for a link, of its target. */
  async of(files: readonly string[]): Promise<Map<string, KeptContent>> {
    const wanted = new Map<string, Entry>()
    for (const file of files) {
      if (this.known.has(file)) continue
      const entry = this.entryBehind(file)
      if (entry?.type === 'file' && !this.contents.has(this.keyOf(entry))) wanted.set(entry.path, entry)
    }
    if (wanted.size > 0) {
      const reading = this.readAll([...wanted.values()])
      for (const [name, entry] of wanted)
        this.contents.set(
          this.keyOf(entry),
          reading.then((contents) => contents.get(name) ?? new KeptContent({ missing: 'it could not be read' })),
        )
    }
    const found = new Map<string, KeptContent>()
    for (const file of files) {
      const content = this.known.get(file) ?? (await this.find(file))
      if (!content) continue
      this.known.set(file, content)
      found.set(file, content)
    }
    return found
  }

  private async find(file: string): Promise<KeptContent | undefined> {
    const entry = this.entryBehind(file)
    if (entry) return this.contents.get(this.keyOf(entry))
    const content = this.held.contentOf(file)
    return content && new KeptContent(content)
  }

  private entryBehind(file: string): Entry | undefined {
    return this.tree.entries.get(this.tree.resolved.get(file) ?? file)
  }

  private keyOf({ id, path: file }: Entry): string {
    return isDigest(id) ? id : `${this.id} ${file}`
  }

  private async readAll(entries: readonly Entry[]): Promise<Map<string, KeptContent>> {
    const contents = new Map<string, KeptContent>()
    for await (const [{ path: name }, content] of this.revision.read(entries))
      contents.set(name, new KeptContent(content))
    return contents
  }
}

/** Whether an id identifies a content anywhere: only Git's ids do, and ids made like them. */
export function isDigest(id: string): boolean {
  return /^(?:edited:)?(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)
}
