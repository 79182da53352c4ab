import type { Cursor } from '../manifest/cursor'
import type { Lines } from '../manifest/lines'
import { startOf } from '../region'
import type { Fix } from './rule'

/** Replaces the text of a scalar, with its quotes; undefined if its text cannot be replaced in place. */
export function replaced(at: Cursor, newText: string): Fix | undefined {
  const { string } = at
  const { startLine, startColumn, endLine, endColumn } = at.region
  const written = lineOf(at, startLine).slice(startColumn - 1, endColumn - 1)
  if (!string || startLine !== endLine || ![string, `"${string}"`, `'${string}'`].includes(written)) return undefined
  return edit(
    at,
    at.region,
    written.replace(string, () => newText),
  )
}

/** Adds a text to a list, after its last item and in its style; undefined if the list is used elsewhere too. */
export function appended(list: Cursor, text: string): Fix | undefined {
  const last = [...list.items()].at(-1)
  if (!last?.string || isShared(list, last)) return undefined
  const { startLine, startColumn, endLine, endColumn } = last.region
  const line = lineOf(last, startLine)
  const [before, written, after] = [
    line.slice(0, startColumn - 1),
    line.slice(startColumn - 1, endColumn - 1),
    line.slice(endColumn - 1),
  ]
  if (startLine !== endLine || !written.includes(last.string)) return undefined
  const [quote = ''] = written.match(/^["']/) ?? (/^[\w.-]+$/.test(text) ? [] : ['"'])
  const item = `${quote}${text}${quote}`
  const opening = before.trim() === '' ? lineOf(last, startLine - 1) : before
  if (/[[,]\s*$/.test(opening) || /^\s*[,\]]/.test(after))
    return edit(last, { startLine, startColumn: endColumn, endLine, endColumn }, `, ${item}`)
  if (!/^\s*-\s+$/.test(before)) return undefined
  const end = line.trimEnd().length + 1
  return edit(last, { startLine, startColumn: end, endLine, endColumn: end }, `\n${before}${item}`)
}

/** Adds items to a list that is written in lines, before its first one; undefined if the list is used elsewhere too. */
export function withItems(list: Cursor, texts: readonly string[]): Fix | undefined {
  const [first] = [...list.items()]
  if (!first || isShared(list, first)) return undefined
  const { startLine, startColumn } = first.region
  const [, dash] =
    lineOf(list, startLine)
      .slice(0, startColumn - 1)
      .match(/^(\s*-\s+)(?:\{\s*)?$/) ?? []
  if (dash === undefined) return undefined
  return edit(list, startOf(startLine), texts.map((text) => `${dash}${text}\n`).join(''))
}

/** Adds a key to a map before its first one; undefined if the map is used elsewhere too. */
export function withKey(map: Cursor, key: string, value: string): Fix | undefined {
  const [first] = [...map.entries()]
  if (!first || isShared(map, first[1])) return undefined
  const { startLine, startColumn } = map.region
  const before = lineOf(map, startLine).slice(0, startColumn - 1)
  const at = { startLine, startColumn, endLine: startLine, endColumn: startColumn }
  if (/\{\s*$/.test(before)) return edit(map, at, `${key}: ${value}, `)
  if (!/^[\s-]+$/.test(before)) return undefined
  return edit(map, at, `${key}: ${value}\n${' '.repeat(startColumn - 1)}`)
}

/** Whether a node affects other places: an anchor may be referenced, an alias leads elsewhere. */
function isShared(outer: Cursor, inner: Cursor): boolean {
  const isElsewhere = inner.region.startLine < outer.region.startLine
  return isElsewhere || holdsAnchor(outer.manifest.object.lines)
}

/** Files that were searched: many edits may change one file. */
const searched = new WeakMap<Lines, boolean>()

function holdsAnchor(lines: Lines): boolean {
  const found = searched.get(lines) ?? /(?:^|[\s[{,])&[^\s&]/m.test(lines.text)
  searched.set(lines, found)
  return found
}

function lineOf(at: Cursor, line: number): string {
  return at.manifest.object.lines.at(line) ?? ''
}

function edit(at: Cursor, region: Cursor['region'], newText: string): Fix | undefined {
  const { path } = at.manifest.origin
  // Text inserted into JSON needs quotes of its own.
  return path.endsWith('.json') ? undefined : { edits: [{ path, region, newText }] }
}
