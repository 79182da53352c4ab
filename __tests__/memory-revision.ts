import { createHash } from 'node:crypto'
import type { Content, Entry, Revision } from '../src/revision/revision'

/** A revision made of texts by path, for tests that need no Git. */
export class MemoryRevision implements Revision {
  constructor(
    readonly name: string,
    private readonly files: Readonly<Record<string, string>>,
  ) {}

  async list(): Promise<Entry[]> {
    return Object.entries(this.files).map(([path, text]) => ({
      path,
      type: 'file',
      id: createHash('sha1').update(text).digest('hex'),
    }))
  }

  async *read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    for (const entry of entries) yield [entry, Buffer.from(this.files[entry.path] ?? '')]
  }
}
