import { createHash } from 'node:crypto'
import type { Content, Entry, Revision } from '../src/revision/revision'

/** The content of a file, or a symbolic link. */
export type Held = string | Buffer | { readonly link: string }

/** A revision made of contents by path, for tests that need no Git. It lists them in the order of Git. */
export class MemoryRevision implements Revision {
  constructor(
    readonly name: string,
    private readonly files: Readonly<Record<string, Held>>,
  ) {}

  async list(): Promise<Entry[]> {
    return Object.entries(this.files)
      .map(([path, held]): Entry => {
        const type = isLink(held) ? 'link' : 'file'
        return { path, type, id: createHash('sha1').update(bytesOf(held)).digest('hex') }
      })
      .sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  }

  async *read(entries: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
    for (const entry of entries) yield [entry, bytesOf(this.files[entry.path] ?? '')]
  }
}

function isLink(held: Held): held is { readonly link: string } {
  return typeof held === 'object' && !Buffer.isBuffer(held)
}

function bytesOf(held: Held): Buffer {
  return Buffer.from(isLink(held) ? held.link : held)
}
