import { structuredPatch } from 'diff'

/** One thing a change did to a file, small enough to be taken back alone. */
export interface Edit {
  /** The lines of the base that it took away. */
  readonly before: readonly string[]
  /** The lines of the head that it wrote. */
  readonly after: readonly string[]
  /** The first of the lines in the base, or the line where they would be. */
  readonly beforeLine: number
  readonly afterLine: number
}

/** A file of the head as alternating unchanged and edited parts. */
export class EditedFile {
  readonly edits: readonly Edit[]

  /** @param before undefined where the file is new, @param after undefined where it is deleted */
  constructor(
    readonly before: string | undefined,
    readonly after: string | undefined,
  ) {
    // Files that differ nearly everywhere are not worth the time a minimal difference takes.
    const patch = structuredPatch('', '', before ?? '', after ?? '', '', '', { context: 0, maxEditLength: 2000 })
    this.edits = (patch?.hunks ?? []).flatMap(({ oldStart, newStart, lines }) => {
      const taken = lines.filter((line) => line.startsWith('-')).map((line) => line.slice(1))
      const written = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1))
      return linePairs(taken, written, oldStart, newStart)
    })
  }

  /** The head's text with some of the edits, or lines of them, taken back. */
  without(reverted: ReadonlySet<Edit>): string {
    const lines = (this.after ?? '').split('\n')
    for (const edit of [...reverted].sort((a, b) => b.afterLine - a.afterLine || b.beforeLine - a.beforeLine))
      lines.splice(edit.afterLine - 1, edit.after.length, ...edit.before)
    return lines.join('\n')
  }
}

/** Consecutive lines that were changed one by one are separate edits; surplus lines are one more. */
function linePairs(before: readonly string[], after: readonly string[], beforeLine: number, afterLine: number): Edit[] {
  const pairs = Math.min(before.length, after.length)
  const edits: Edit[] = before.slice(0, pairs).map((line, index) => ({
    before: [line],
    after: after.slice(index, index + 1),
    beforeLine: beforeLine + index,
    afterLine: afterLine + index,
  }))
  if (before.length !== after.length) {
    edits.push({
      before: before.slice(pairs),
      after: after.slice(pairs),
      beforeLine: beforeLine + pairs,
      afterLine: afterLine + pairs,
    })
  }
  // Lines are equal where only the end of the last one was written or taken away.
  return edits.filter(({ before, after }) => before.length !== after.length || String(before) !== String(after))
}

/**
 * The single lines of an edit that only wrote lines, or only took lines away; an edit that cannot be cut stays whole.
 */
export function linesOf(edit: Edit): Edit[] {
  if (edit.after.length === 0 && edit.before.length > 1) {
    return edit.before.map((line, index) => ({ ...edit, before: [line], beforeLine: edit.beforeLine + index }))
  }
  if (edit.before.length > 0 || edit.after.length < 2) return [edit]
  return edit.after.map((line, index) => ({
    before: [],
    after: [line],
    beforeLine: edit.beforeLine,
    afterLine: edit.afterLine + index,
  }))
}
