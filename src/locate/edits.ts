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
    if (before === undefined || after === undefined) {
      const whole = { before: linesIn(before), after: linesIn(after), beforeLine: 1, afterLine: 1 }
      this.edits = whole.before.length + whole.after.length > 0 ? [whole] : []
      return
    }
    // Files that differ nearly everywhere are not worth the time a minimal difference takes.
    const patch = structuredPatch('', '', before, after, '', '', { context: 0, maxEditLength: 2000 })
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

function linesIn(text = ''): string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Consecutive lines that were changed one by one are separate edits, and so are the lines between that have no like. */
function linePairs(before: readonly string[], after: readonly string[], beforeLine: number, afterLine: number): Edit[] {
  const edits: Edit[] = []
  let [from, to] = [0, 0]
  for (const [old, now] of [...alikeIn(before, after), [before.length, after.length] as const]) {
    const [lost, added] = [before.slice(from, old), after.slice(to, now)]
    if (lost.length + added.length > 0)
      edits.push({ before: lost, after: added, beforeLine: beforeLine + from, afterLine: afterLine + to })
    if (old < before.length && now < after.length && before[old] !== after[now])
      edits.push({
        before: before.slice(old, old + 1),
        after: after.slice(now, now + 1),
        beforeLine: beforeLine + old,
        afterLine: afterLine + now,
      })
    ;[from, to] = [old + 1, now + 1]
  }
  return edits
}

/** Comparing more lines with each other takes more time than it is worth. */
const mostCompared = 10_000

/** Each line of the shorter side with one of the other, in their order, so that they are as alike as can be. */
function alikeIn(before: readonly string[], after: readonly string[]): (readonly [old: number, now: number])[] {
  const pairs = Math.min(before.length, after.length)
  const surplus = Math.abs(before.length - after.length)
  const pair = (index: number, shift: number) =>
    before.length > after.length ? ([index + shift, index] as const) : ([index, index + shift] as const)
  if (pairs * surplus > mostCompared) return before.slice(0, pairs).map((_, index) => pair(index, 0))
  // The likeness of the pairs from one on, where the longer side is some lines ahead; and whether it is paired there.
  let behind = new Array<number>(surplus + 1).fill(0)
  const isPaired: boolean[][] = []
  for (let index = pairs - 1; index >= 0; index--) {
    const best = [...behind]
    const row: boolean[] = []
    for (let shift = surplus; shift >= 0; shift--) {
      const [old, now] = pair(index, shift)
      const here = likeness(before[old], after[now]) + (behind[shift] ?? 0)
      const ahead = best[shift + 1] ?? -1
      row[shift] = shift === surplus || here >= ahead
      best[shift] = shift === surplus ? here : Math.max(here, ahead)
    }
    isPaired[index] = row
    behind = best
  }
  let shift = 0
  return isPaired.map((row, index) => {
    while (!row[shift]) shift++
    return pair(index, shift)
  })
}

/** The share of two lines that is equal at their start and at their end. */
function likeness(one = '', other = ''): number {
  const most = Math.min(one.length, other.length)
  let start = 0
  while (start < most && one[start] === other[start]) start++
  let end = 0
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return (start + end) / Math.max(one.length, other.length, 1)
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

/** The line of an edit that a finding is at: the first that names a host of its keys, else the first with content. */
export function lineOfEdit({ after, afterLine }: Edit, keys: readonly string[]): number {
  const hosts = keys.filter((key) => key.includes('.'))
  const named = after.findIndex((line) => hosts.some((host) => line.includes(host)))
  return afterLine + Math.max(0, named === -1 ? after.findIndex(saysSomething) : named)
}

/** Whether a line is more than a key, a comment or nothing. */
export function saysSomething(line: string): boolean {
  const content = line.replace(/(?<!\S)#.*/, '').trim()
  return content !== '' && content !== '---' && !(content.endsWith(':') && !content.includes('#'))
}
