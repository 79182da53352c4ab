import type { DocumentReader } from '../manifest/document-reader'
import { type LoadedObject, loadFile } from '../manifest/load'
import { identityOf, type Manifest } from '../manifest/manifest'
import type { Fix } from '../rules/rule'

/**
 * The edit that puts an object of the base back where it stood: beside the object before it, or first in its file. There is none
 * where the file would then not hold what it holds now and the object besides.
 *
 * @param now the file's text at the head; undefined when the change deletes the file
 */
export function restoring(
  { object, origin }: Manifest,
  now: string | undefined,
  reader: DocumentReader,
): Fix | undefined {
  if (origin.kind !== 'file' || origin.path.endsWith('.json')) return undefined
  const lines = now?.split('\n') ?? ['']
  const { line, text } =
    now === undefined ? { line: 1, text: `---\n${ownText(object)}\n` } : insertion(object, now, reader)
  const after = [...lines.slice(0, line - 1), text + lines.slice(line - 1).join('\n')].join('\n')
  const wanted = new Set([...identitiesIn(now ?? '', reader), identityOf(object.ref)])
  if (String(identitiesIn(after, reader).sort()) !== String([...wanted].sort())) return undefined
  // Behind a last line that does not end, an edit begins where that line does.
  const [startLine, startColumn, newText] =
    line > lines.length ? [lines.length, (lines.at(-1) ?? '').length + 1, `\n${text}`] : [line, 1, text]
  const region = { startLine, startColumn, endLine: startLine, endColumn: startColumn }
  return { edits: [{ path: origin.path, region, newText }] }
}

/** The line before which an object of the base belongs in what its file is now, and what to write there. */
function insertion(object: LoadedObject, now: string, reader: DocumentReader): { line: number; text: string } {
  const left = new Map(objectsIn(now, reader).map((one) => [identityOf(one.ref), one]))
  const siblings = objectsIn(object.fileText, reader)
  const place = siblings.findIndex(({ region }) => region.startLine === object.region.startLine)
  const previous = siblings
    .slice(0, place)
    .flatMap(({ ref }) => left.get(identityOf(ref)) ?? [])
    .at(-1)
  const next = siblings.slice(place + 1).flatMap(({ ref }) => left.get(identityOf(ref)) ?? [])[0]
  const lines = now.split('\n')
  if (isItem(object)) {
    const text = `${linesOf(object).join('\n')}\n`
    return { line: previous ? previous.region.endLine + 1 : (next?.region.startLine ?? 1), text }
  }
  if (!previous)
    return { line: 1, text: `${ownText(object)}\n${now.trim() === '' || now.startsWith('---') ? '' : '---\n'}` }
  const end = lines.findIndex((line, index) => index >= previous.region.endLine && line.startsWith('---'))
  const last = lines.at(-1) === '' ? lines.length : lines.length + 1
  return { line: end === -1 ? last : end + 1, text: `---\n${ownText(object)}\n` }
}

/** Whether an object is an item of a list, and the item stands on lines of its own. */
function isItem({ region, fileText }: LoadedObject): boolean {
  const line = fileText.split('\n')[region.startLine - 1] ?? ''
  return /^\s*-\s+$/.test(line.slice(0, region.startColumn - 1))
}

function linesOf({ fileText, region }: LoadedObject): string[] {
  return fileText.split('\n').slice(region.startLine - 1, region.endLine)
}

/** An object's text as a document: an item of a list without the indent it has there. */
function ownText(object: LoadedObject): string {
  const indent = object.region.startColumn - 1
  const [first = '', ...more] = linesOf(object)
  return [first.slice(indent), ...more.map((line) => (line.slice(0, indent).trim() ? line : line.slice(indent)))].join(
    '\n',
  )
}

function identitiesIn(text: string, reader: DocumentReader): string[] {
  return objectsIn(text, reader).map(({ ref }) => identityOf(ref))
}

function objectsIn(text: string, reader: DocumentReader): readonly LoadedObject[] {
  return loadFile({ text }, undefined, reader).objects
}
