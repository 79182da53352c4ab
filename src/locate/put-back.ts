import type { Finding } from '../finding/report'
import { loadFile } from '../manifest/load'
import type { Region } from '../region'
import type { Fix, PutBack } from '../rule/rule'
import type { ChangedFile } from './cause'
import type { Edit } from './edits'

/** A removal of more lines is no slip, so it is not offered to be undone. */
const mostLines = 60

/**
 * The edits of a file that take back what a change did to it, those nearest to a finding first: they put back lines that
 * it removed, items that it removed from a line, and a file of one object that it deleted; where the finding asks for what
 * was there, also a line that it changed, or one that it added alone.
 */
export function puttingBack({ path, text }: ChangedFile, finding: Finding, putBack: PutBack | undefined): Fix[] {
  if (text?.before === undefined || putBack === 'nothing') return []
  const { before, after } = text
  if (after === undefined) {
    const isOne = loadFile({ text: before }).objects.length === 1
    return isOne ? [{ edits: [{ path, region: at(1, 1), newText: before }] }] : []
  }
  const lines = after.split('\n')
  return [...text.edits]
    .sort((a, b) => distance(a, path, finding) - distance(b, path, finding))
    .flatMap((edit) => {
      const undone = isRemoval(edit)
        ? linesBack(edit, lines)
        : (itemBack(edit) ?? (putBack === 'changed' ? lineBack(edit, lines) : undefined))
      return undone ? [{ edits: [{ path, ...undone }] }] : []
    })
}

function isRemoval({ before, after }: Edit): boolean {
  return after.length === 0 && before.length <= mostLines && before.some(isContent)
}

function isContent(line: string): boolean {
  return line.trim() !== '' && !line.trimStart().startsWith('#')
}

type Undone = { readonly region: Region; readonly newText: string } | undefined

function linesBack({ before, afterLine }: Edit, lines: readonly string[]): Undone {
  const text = before.map((line) => line.replace(/\r$/, '')).join('\n')
  // Behind a last line that does not end, an edit begins where that line does.
  if (afterLine > lines.length) return { region: at(lines.length, lengthOf(lines.at(-1)) + 1), newText: `\n${text}` }
  return { region: at(afterLine, 1), newText: `${text}\n` }
}

/** A line that was changed, as it was; nothing in place of one that was added. */
function lineBack({ before, after, afterLine }: Edit, lines: readonly string[]): Undone {
  const [was, now] = [before[0], after[0]]
  if (before.length > 1 || after.length !== 1 || now === undefined || !isContent(now)) return undefined
  // The last line has no other one behind it.
  if (was === undefined)
    return afterLine < lines.length
      ? { region: { ...at(afterLine, 1), endLine: afterLine + 1 }, newText: '' }
      : undefined
  return { region: { ...at(afterLine, 1), endColumn: lengthOf(now) + 1 }, newText: was.replace(/\r$/, '') }
}

/** A line whose only difference is that an item of a list in it is gone. */
function itemBack({ before, after, afterLine }: Edit): Undone {
  const [was = '', now = ''] = [before[0], after[0]]
  if (before.length !== 1 || after.length !== 1 || was.length <= now.length) return undefined
  let start = 0
  while (start < now.length && was[start] === now[start]) start++
  const end = was.length - (now.length - start)
  if (was.slice(end) !== now.slice(start)) return undefined
  const gone = was.slice(start, end)
  return gone.includes(',') || /[[{]$/.test(now.slice(0, start).trimEnd())
    ? { region: at(afterLine, start + 1), newText: gone }
    : undefined
}

function lengthOf(line = ''): number {
  return line.replace(/\r$/, '').length
}

function at(line: number, column: number): Region {
  return { startLine: line, startColumn: column, endLine: line, endColumn: column }
}

/** The number of lines between an edit and the nearest place of a finding in its file. */
function distance({ beforeLine, afterLine, before }: Edit, path: string, { location, related }: Finding): number {
  const places = [location, ...related].filter((place) => place.path === path)
  const [from, last] = [beforeLine, beforeLine + Math.max(0, before.length - 1)]
  return Math.min(
    ...places.map(({ side, region: { startLine } }) =>
      side === 'head' ? Math.abs(startLine - afterLine) : Math.max(from - startLine, startLine - last, 0),
    ),
  )
}
