import { decodeFile } from '../manifest/load'
import type { Gathered } from '../pipeline/opening/scope'
import type { SideOfChange } from '../sides/side'
import type { ChangedFile } from './cause'
import { EditedFile } from './edits'

/** The files of a change, each read once. */
export class ChangedFiles {
  private readonly files = new Map<string, Promise<ChangedFile>>()

  constructor(private readonly sides: Gathered['sides']) {}

  /** A file with its edits; undefined if it is equal on both sides. */
  async file(path: string): Promise<ChangedFile | undefined> {
    const { base, head } = this.sides
    if (!base || base.checkout.tree.entries.get(path)?.id === head.checkout.tree.entries.get(path)?.id) return undefined
    const file = this.files.get(path) ?? readChanged(path, base, head)
    this.files.set(path, file)
    return file
  }

  /** Whether the change wrote a line of the head. */
  async wrote(path: string, line: number): Promise<boolean> {
    const edits = (await this.file(path))?.text?.edits ?? []
    return edits.some(({ after, afterLine }) => afterLine <= line && line < afterLine + after.length)
  }
}

/** Reads a file on both sides, with its edits if it is a text. */
export async function readChanged(path: string, base: SideOfChange, head: SideOfChange): Promise<ChangedFile> {
  const read = async ({ checkout }: SideOfChange) => {
    const content = (await checkout.read([path])).get(path)
    return content && !('missing' in content) ? content : undefined
  }
  const [before, after] = await Promise.all([read(base), read(head)])
  const texts = [before, after].map((bytes) => bytes && decodeFile(bytes))
  const isText = texts.every((one) => !one?.damaged && !one?.text.includes('\0'))
  return { path, before, after, text: isText ? new EditedFile(texts[0]?.text, texts[1]?.text) : undefined }
}
