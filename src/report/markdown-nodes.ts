import type { PhrasingContent, RootContent, TableRow } from 'mdast'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { toMarkdown } from 'mdast-util-to-markdown'
import { visible, visibleLines } from './visible'

/**
 * A sentence in which nothing is markup, a mention or a reference: plain words stay text; whatever else it holds (names,
 * paths, hosts) goes into inline code.
 */
export function words(sentence: string): PhrasingContent[] {
  const pieces = visible(sentence)
    .split(/(`[^`]*`|\s+)/)
    .flatMap((piece): PhrasingContent[] => {
      if (/^\s*$/.test(piece)) return [text(piece === '' ? '' : ' ')]
      if (/^`[^`]+`$/.test(piece)) return [inlineCode(piece.slice(1, -1))]
      const [, before = '', core = '', after = ''] = piece.match(/^([("]*)(.*?)([.,;:)"]*)$/s) ?? []
      if (/^(?:[\p{L}'’–→-]*|[\d,]+)$/u.test(core)) return [text(piece)]
      return [text(before), inlineCode(core), text(after)]
    })
  // One node for each run of words: the renderer takes its time for every node.
  return pieces.reduce<PhrasingContent[]>((joined, piece) => {
    const last = joined.at(-1)
    if (piece.type === 'text' && last?.type === 'text') joined[joined.length - 1] = text(last.value + piece.value)
    else joined.push(piece)
    return joined
  }, [])
}

/** Our own words. */
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
