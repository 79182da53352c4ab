import { decodeFile } from '../manifest/load'
import type { SideOfChange } from '../sides/side'
import type { ChangedFile } from './cause'
import { EditedFile } from './edits'

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
