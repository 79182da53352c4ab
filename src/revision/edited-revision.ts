import { createHash } from 'node:crypto'
import type { Content, Entry, Revision } from './revision'

/**
 * A revision with some files as they would be without a part of the change; undefined for a file that would not exist.
 */
export class EditedRevision implements Revision {
  readonly name: string

  constructor(
    private readonly revision: Revision,
    private readonly edits: ReadonlyMap<string, Uint8Array | undefined>,
  ) {
    this.name = revision.name
  }

  async list(): Promise<readonly Entry[]> {
    const kept = (await this.revision.list()).filter(({ path }) => !this.edits.has(path))
    const edited = [...this.edits].flatMap(([path, content]): Entry[] =>
      content ? [{ path, type: 'file', id: idOfEdited(content) }] : [],
    )
    return [...kept, ...edited]
  }

  async *read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    const theirs = entries.filter(({ path }) => !this.edits.has(path))
    const reading = this.revision.read(theirs)[Symbol.asyncIterator]()
    for (const entry of entries) {
      const edited = this.edits.get(entry.path)
      if (edited) yield [entry, edited]
      else {
        const { value, done } = await reading.next()
        if (!done) yield value
      }
    }
  }
}

/** The identity of a content that is in no commit. */
export function idOfEdited(content: Uint8Array): string {
  return `edited:${createHash('sha1').update(content).digest('hex')}`
}
