import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { decodeFile, type FileText } from '../manifest/load'
import { mentionsOneOf } from '../manifest/mentions'
import type { HeldFiles } from './held-files'
import type { Content, Entry, Missing, Revision } from './revision'
import type { Tree } from './tree'
import { WordsInBytes } from './words-in-bytes'

/** Entries that are read at once, by the keys of their contents. */
interface Batch {
  readonly wanted: Map<string, Entry>
  readonly done: Promise<void>
}

/** Contents by their identity: both sides of a change, and all trials of it, share nearly all of theirs. */
export class Contents {
  readonly kept = new Map<string, KeptContent>()
  /** Those that are being read. */
  readonly awaited = new Map<string, Promise<void>>()
  private readonly open = new Map<Revision, Batch>()

  /** Reads contents with all others that are asked for at the same time: to start Git takes longer than most reads. */
  read(revision: Revision, wanted: ReadonlyMap<string, Entry>): Promise<void> {
    const batch = this.open.get(revision) ?? this.openBatch(revision)
    for (const [key, entry] of wanted) {
      batch.wanted.set(key, entry)
      this.awaited.set(key, batch.done)
    }
    return batch.done
  }

  private openBatch(revision: Revision): Batch {
    const wanted = new Map<string, Entry>()
    const done = setImmediate().then(() => {
      this.open.delete(revision)
      return this.readAll(revision, wanted)
    })
    const batch = { wanted, done }
    this.open.set(revision, batch)
    return batch
  }

  private async readAll(revision: Revision, wanted: ReadonlyMap<string, Entry>): Promise<void> {
    const { kept, awaited } = this
    const keys = new Map([...wanted].map(([key, entry]) => [entry, key]))
    const words = new WordsInBytes()
    try {
      for await (const [entry, content] of revision.read([...wanted.values()])) {
        if (!('missing' in content)) words.add(content)
        const key = keys.get(entry)
        if (key !== undefined) kept.set(key, new KeptContent(content, words))
      }
      for (const key of wanted.keys())
        if (!kept.has(key)) kept.set(key, new KeptContent({ missing: 'it could not be read' }))
    } finally {
      for (const key of wanted.keys()) awaited.delete(key)
    }
  }
}

/** A content that was read, and its text from when it is first asked for. */
class KeptContent {
  private decoded: FileText | undefined

  /** @param words looks for words in all contents that were read together */
  constructor(
    readonly content: Content,
    private readonly words?: WordsInBytes,
  ) {}

  get file(): FileText | Missing {
    if ('missing' in this.content) return this.content
    this.decoded ??= decodeFile(this.content)
    return this.decoded
  }

  /** Like `mentionsOneOf` of its text, which few contents need. */
  mentionsOneOf(list: readonly string[]): boolean {
    const { content, words } = this
    if ('missing' in content || words?.hasNone(content, list)) return false
    return 'text' in this.file && mentionsOneOf(this.file.text, list)
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

  /** What is taken of the content of each file that is there; for a link, of its target. `undefined` passes it over. */
  async those<T>(files: readonly string[], take: (content: KeptContent) => T | undefined): Promise<Map<string, T>> {
    await this.complete(files)
    const found = new Map<string, T>()
    for (const file of files) {
      const content = this.known.get(file)
      const taken = content && take(content)
      if (taken !== undefined) found.set(file, taken)
    }
    return found
  }

  /** Reads the files that are not known yet. */
  private async complete(files: readonly string[]): Promise<void> {
    const { kept, awaited } = this.contents
    const keys = new Map<string, string>()
    const wanted = new Map<string, Entry>()
    const waiting = new Set<Promise<unknown>>()
    for (const file of files) {
      if (this.known.has(file) || keys.has(file)) continue
      const entry = this.entryBehind(file)
      const key = entry && this.keyOf(entry)
      keys.set(file, key ?? '')
      if (key === undefined || kept.has(key)) continue
      const reading = awaited.get(key)
      if (reading) waiting.add(reading)
      else if (entry?.type === 'file') wanted.set(key, entry)
    }
    if (wanted.size > 0) waiting.add(this.contents.read(this.revision, wanted))
    await Promise.all(waiting)
    for (const [file, key] of keys) {
      const content = key === '' ? this.heldAt(file) : kept.get(key)
      if (content) this.known.set(file, content)
    }
  }

  private heldAt(file: string): KeptContent | undefined {
    const content = this.held.contentOf(file)
    return content && new KeptContent(content)
  }

  private entryBehind(file: string): Entry | undefined {
    return this.tree.entries.get(this.tree.resolved.get(file) ?? file)
  }

  private keyOf({ id, path: file }: Entry): string {
    return isDigest(id) ? id : `${this.id} ${file}`
  }
}

/** Whether an id identifies a content anywhere: only Git's ids do, and ids made like them. */
export function isDigest(id: string): boolean {
  return /^(?:edited:)?(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)
}
