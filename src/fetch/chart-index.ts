import type { SemVer } from 'semver'
import { parse } from 'yaml'
import { constraintOf, satisfies, versionOf } from './connection/constraint'

/** A version of a chart, as the index of its repository has it. */
export interface IndexEntry {
  readonly version: string
  /** Its archive: a URL, or a path relative to the repository's. */
  readonly url: string
  /** In hex; empty if the index has none. */
  readonly sha256: string
  readonly created: string
}

/** The largest index that is read as a whole where the lines of a chart are not found in it. */
const smallIndex = 2 * 1024 * 1024

/**
 * Returns the versions of one chart, or nothing if the repository has no such chart. An index may have a hundred
 * thousand others, so only the lines of that chart are parsed, and of these only the fields that are used.
 *
 * @throws Error if that is no index
 */
export function versionsIn(index: Buffer, chart: string): readonly IndexEntry[] | undefined {
  const indent = indentIn(index)
  if (indent === undefined) return wholeIndex(index, chart)
  const lines = linesOf(index, indent, chart)
  // Items in flow style have no lines of their own for their fields.
  if (lines && areFlowItems(lines)) return wholeIndex(index, chart)
  return lines && entriesOf(parse(reduced(lines), { logLevel: 'silent' }))
}

/** The version that users of a repository get for a version, a range or an empty text: the highest, then the latest. */
export function chosenOf(entries: readonly IndexEntry[], wanted: string): IndexEntry | undefined {
  const exact = entries.find(({ version }) => version === wanted && wanted !== '')
  const constraint = constraintOf(wanted === '' ? '*' : wanted)
  if (exact || !constraint) return exact
  let best: { entry: IndexEntry; version: SemVer } | undefined
  for (const entry of entries) {
    const version = versionOf(entry.version)
    if (!version || !satisfies(version, constraint)) continue
    const order = best ? version.compare(best.version) || Date.parse(entry.created) - Date.parse(best.entry.created) : 1
    if (order > 0) best = { entry, version }
  }
  return best?.entry
}

/** The indentation of the charts' names, if the index is written as Helm writes it. */
function indentIn(index: Buffer): string | undefined {
  const start = index.subarray(0, 9).toString() === 'entries:\n' ? 0 : index.indexOf('\nentries:\n') + 1
  if (start === 0 && index[0] !== 'e'.charCodeAt(0)) return undefined
  for (let at = index.indexOf('\n', start) + 1; at > 0 && at < index.length; ) {
    const end = endOfLine(index, at)
    const line = index.toString('utf8', at, Math.min(end, at + 200))
    if (line.trim() !== '' && !line.trimStart().startsWith('#')) {
      const indent = line.slice(0, line.length - line.trimStart().length)
      return indent === '' || indent.includes('\t') ? undefined : indent
    }
    at = end + 1
  }
  return undefined
}

function endOfLine(index: Buffer, at: number): number {
  const end = index.indexOf('\n', at)
  return end === -1 ? index.length : end
}

/** The lines below a chart's name. */
function linesOf(index: Buffer, indent: string, chart: string): string[] | undefined {
  for (const name of [chart, JSON.stringify(chart), `'${chart}'`]) {
    const key = `\n${indent}${name}:`
    for (let found = index.indexOf(key); found !== -1; found = index.indexOf(key, found + 1)) {
      const first = endOfLine(index, found + 1)
      if (index.toString('utf8', found + Buffer.byteLength(key), first).trim() !== '') continue
      const lines: string[] = []
      for (let at = first + 1; at < index.length; ) {
        const end = endOfLine(index, at)
        const line = index.toString('utf8', at, end)
        if (line.trim() !== '' && !isBelow(line, indent)) break
        lines.push(line)
        at = end + 1
      }
      return lines
    }
  }
  return undefined
}

/** Whether a line belongs to the key above it: it is indented more, or it is an item of its list. */
function isBelow(line: string, indent: string): boolean {
  return line.startsWith(indent) && (line[indent.length] === ' ' || line.startsWith(`${indent}- `))
}

/** Whether the first item of a list, and so most likely each of them, is in flow style. */
function areFlowItems(lines: readonly string[]): boolean {
  const first = lines.find((line) => line.trim() !== '')?.trimStart() ?? ''
  return first.startsWith('-') && first.slice(1).trimStart().startsWith('{')
}

const used = ['version:', 'urls:', 'digest:', 'created:']

/** The lines of the fields that are used: descriptions and dependencies are most of an index. */
function reduced(lines: readonly string[]): string {
  const kept: string[] = []
  let column = 0
  let isUsed = false
  const dash = lines.find((line) => line.trim() !== '')?.indexOf('-') ?? 0
  for (const line of lines) {
    const text = line.trimStart()
    const indent = line.length - text.length
    if (indent === dash && text.startsWith('-')) {
      const item = text.slice(1).trimStart()
      column = dash + text.length - item.length
      isUsed = used.some((field) => item.startsWith(field))
      kept.push(`${' '.repeat(dash)}-`)
      if (isUsed) kept.push(' '.repeat(column) + item)
      continue
    }
    if (indent === column && text !== '' && !text.startsWith('- '))
      isUsed = used.some((field) => text.startsWith(field))
    if (isUsed) kept.push(line)
  }
  return kept.join('\n')
}

function wholeIndex(index: Buffer, chart: string): readonly IndexEntry[] | undefined {
  const text = index.toString('utf8')
  const isJson = text.trimStart().startsWith('{')
  if (!isJson && index.length > smallIndex) throw new Error('its index does not have the form that Helm writes')
  const whole: unknown = isJson ? JSON.parse(text) : parse(text, { logLevel: 'silent' })
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole) || !('entries' in whole))
    throw new Error('its index has no entries')
  const { entries } = whole
  if (typeof entries !== 'object' || entries === null) return undefined
  return entriesOf(Object.entries(entries).find(([name]) => name === chart)?.[1])
}

function entriesOf(list: unknown): readonly IndexEntry[] | undefined {
  if (!Array.isArray(list)) return undefined
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { version, urls, digest, created } = entry as Record<string, unknown>
    const [url] = Array.isArray(urls) ? urls : []
    const sha256 = typeof digest === 'string' ? digest.toLowerCase().replace(/^sha256:/, '') : ''
    return [
      {
        version: version === undefined ? '' : String(version),
        url: typeof url === 'string' ? url : '',
        sha256: /^[0-9a-f]{64}$/.test(sha256) ? sha256 : '',
        created: created === undefined ? '' : String(created),
      },
    ]
  })
}
