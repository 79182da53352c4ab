import type { Fix } from '../rule/rule'

/** One replacement of text in a file. */
export type TextEdit = Fix['edits'][number]

/** A file before and after its fixes, with its byte order mark; none before where a fix brings the file back. */
export interface Patch {
  readonly path: string
  readonly before: string | undefined
  readonly after: string
}

/**
 * A text with edits. Equal edits are made once, and new lines end as those around them do; those of a new file as they
 * are written.
 *
 * @returns undefined where edits overlap, or where one is outside of the text
 */
export function editedText(text: string, edits: readonly TextEdit[]): string | undefined {
  const starts = startsOf(text)
  const offsetOf = (line: number, column: number) => {
    const start = starts[line - 1]
    const end = starts[line] === undefined ? text.length : starts[line] - 1
    const offset = start === undefined || column < 1 ? -1 : start + column - 1
    return offset > end ? -1 : offset
  }
  const unique = new Map(edits.map((edit) => [JSON.stringify([edit.region, edit.newText]), edit])).values()
  const placed = [...unique]
    .map(({ region, newText }) => ({
      from: offsetOf(region.startLine, region.startColumn),
      to: offsetOf(region.endLine, region.endColumn),
      newText,
    }))
    .sort((a, b) => a.from - b.from || a.to - b.to)
  let edited = ''
  let done = 0
  for (const { from, to, newText } of placed) {
    if (from < done || to < from) return undefined
    edited += text.slice(done, from) + (text === '' ? newText : newText.replace(/\r?\n/g, lineEndAt(text, from)))
    done = to
  }
  return edited + text.slice(done)
}

function startsOf(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** The end of the line of an offset, or of the line before where that is the last one. */
function lineEndAt(text: string, offset: number): string {
  const next = text.indexOf('\n', offset)
  const end = next === -1 ? text.lastIndexOf('\n') : next
  return end > 0 && text[end - 1] === '\r' ? '\r\n' : '\n'
}
