import type { PhrasingContent, RootContent, TableRow } from 'mdast'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { toMarkdown } from 'mdast-util-to-markdown'
import { visible, visibleLines } from './words/visible'

/** A quotation in a message: between words, not a word that merely contains backticks. */
const quoted = /((?<![^\s("])`[^`]+`(?![^\s.,;:)"])|\s+)/

/**
 * A sentence without markup, mentions or references: plain words stay text; names, paths and hosts become inline code.
 */
export function words(sentence: string): PhrasingContent[] {
  const pieces = visible(sentence)
    .split(quoted)
    .flatMap((piece, index): PhrasingContent[] => {
      if (/^\s*$/.test(piece)) return [text(piece === '' ? '' : ' ')]
      if (index % 2 === 1) return [inlineCode(piece.slice(1, -1))]
      const before = piece.match(/^[("]*/)?.[0] ?? ''
      const rest = piece.slice(before.length)
      const after = rest.match(/(?<![.,;:)"])[.,;:)"]+$/)?.[0] ?? ''
      const core = rest.slice(0, rest.length - after.length)
      if (/^(?:[\p{L}'’–→-]*|[\d,]+)$/u.test(core)) return [text(piece)]
      return [text(before), inlineCode(core), text(after)]
    })
  return joined(pieces)
}

/**
 * One node for each run of a kind: code next to code is read as one with backticks in it, and every node takes its
 * time.
 */
function joined(pieces: readonly PhrasingContent[]): PhrasingContent[] {
  const runs: PhrasingContent[] = []
  for (const piece of pieces) {
    const last = runs.at(-1)
    if ('value' in piece && piece.value === '') continue
    if (last?.type === 'text' && piece.type === 'text') runs[runs.length - 1] = text(last.value + piece.value)
    else if (last?.type === 'inlineCode' && piece.type === 'inlineCode')
      runs[runs.length - 1] = inlineCode(last.value + piece.value)
    else runs.push(piece)
  }
  return runs
}

/** Text of our own, not from a manifest. */
export function text(value: string): PhrasingContent & { type: 'text' } {
  return { type: 'text', value }
}

export function strong(children: PhrasingContent[]): PhrasingContent {
  return { type: 'strong', children }
}

export function inlineCode(value: string): PhrasingContent {
  return value === '' ? text('') : { type: 'inlineCode', value: visible(value) }
}

export function paragraph(children: PhrasingContent[]): RootContent & { type: 'paragraph' } {
  return { type: 'paragraph', children }
}

export function code(value: string, lang: string): RootContent & { type: 'code' } {
  return { type: 'code', lang, value: visibleLines(value) }
}

export function row(cells: PhrasingContent[][]): TableRow {
  return { type: 'tableRow', children: cells.map((children) => ({ type: 'tableCell', children })) }
}

/** The nodes as Markdown that ends with its last line. */
export function rendered(children: RootContent[]): string {
  return toMarkdown(
    { type: 'root', children },
    { extensions: [gfmTableToMarkdown({ tablePipeAlign: false })], bullet: '-' },
  )
}
