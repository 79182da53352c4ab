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

/** Puts a number or a boolean in quotes, as it is written; undefined of anything else. */
export function inQuotes(at: Cursor): Fix | undefined {
  const { value, region } = at
  const isPlain = !at.isMap && !at.isList && value !== null && value !== undefined && at.string === undefined
  const { startLine, startColumn, endLine, endColumn } = region
  const written = lineOf(at, startLine).slice(startColumn - 1, endColumn - 1)
  if (!isPlain || startLine !== endLine || !/^[\w.-]+$/.test(written)) return undefined
  return edit(at, region, `"${written}"`)
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
  const { startLine, startColumn, endColumn } = map.region
  const [before, after] = [
    lineOf(map, startLine).slice(0, startColumn - 1),
    lineOf(map, startLine).slice(endColumn - 1),
  ]
  const [, indent] = lineOf(map, first[1].region.startLine).match(/^( +)["']?[\w./-]+["']?:(?:\s|$)/) ?? []
  // A map has the place of its key, if it has one.
  if (indent !== undefined && first[1].region.startLine > startLine && /^["']?:\s*(?:#|$)/.test(after))
    return edit(map, startOf(startLine + 1), `${indent}${key}: ${value}\n`)
  const at = { startLine, startColumn, endLine: startLine, endColumn: startColumn }
  if (/\{\s*$/.test(before)) return edit(map, at, `${key}: ${value}, `)
  if (!/^[\s-]+$/.test(before)) return undefined
  return edit(map, at, `${key}: ${value}\n${' '.repeat(startColumn - 1)}`)
}

/** Takes the line of a key and its scalar out of a map, and that of the map where nothing else is in it. */
export function withoutKey(map: Cursor, key: string): Fix | undefined {
  const at = map.at(key)
  const { startLine, endLine, startColumn, endColumn } = at.region
  const { lines } = at.manifest.object
  if (!at.string || startLine !== endLine || startLine >= lines.count || isShared(map, at)) return undefined
  const line = lineOf(at, startLine)
  const isAlone =
    line
      .slice(0, startColumn - 1)
      .trim()
      .replaceAll(/["']/g, '') === `${key}:`
  if (!isAlone || !/^\s*(?:#|$)/.test(line.slice(endColumn - 1))) return undefined
  const isOnly = [...map.entries()].length === 1
  if (isOnly && lineOf(at, startLine - 1).trim() !== `${map.path.at(-1)}:`) return undefined
  return edit(at, { ...startOf(isOnly ? startLine - 1 : startLine), endLine: startLine + 1 }, '')
}

/** Several edits as one; nothing where one of them is not certain. */
export function together(...fixes: readonly (Fix | undefined)[]): Fix | undefined {
  return fixes.every((fix) => fix !== undefined) ? { edits: fixes.flatMap(({ edits }) => edits) } : undefined
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
