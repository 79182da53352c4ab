import { count } from './words/wording'

/** The size limit of an output, and where readers find the rest. */
export interface ByteBudget {
  /** In bytes of UTF-8; there are at least as many as characters. */
  readonly bytes: number
  readonly rest: string
}

/** A part of a document with whole pieces, such as a table of rows. */
export interface Section {
  readonly head: string
  readonly foot: string
  /** The name of a piece: `row`. */
  readonly noun: string
  /** Written only while there is room. */
  readonly pieces: readonly (() => string)[]
}

/** The bytes reserved for the note on omitted pieces. */
const reservedBytes = 160

/**
 * The sections, as far as they fit. All but the last take at most half of the remaining bytes, so that none crowds out
 * the next; a section is cut after a whole piece, with a note on the number and the place of the others.
 */
export function fitSections(sections: readonly Section[], { bytes, rest }: ByteBudget): string {
  const filled = sections.filter(({ pieces }) => pieces.length > 0)
  let left = bytes
  return filled
    .map((section, index) => {
      const text = cut(section, index === filled.length - 1 ? left : left / 2, rest)
      left -= Buffer.byteLength(text)
      return text
    })
    .join('')
}

function cut({ head, foot, noun, pieces }: Section, bytes: number, rest: string): string {
  const kept: string[] = []
  let left = bytes - Buffer.byteLength(head + foot) - reservedBytes
  for (const piece of pieces) {
    const text = piece()
    left -= Buffer.byteLength(text)
    if (left < 0) break
    kept.push(text)
  }
  const whole = kept.length > 0 ? `${head}${kept.join('')}${foot}` : ''
  if (kept.length === pieces.length) return whole
  const words = `${count(pieces.length - kept.length, kept.length > 0 ? `more ${noun}` : noun)} left out here: see ${rest}.\n\n`
  return Buffer.byteLength(words) <= bytes - Buffer.byteLength(whole) ? `${whole}${words}` : whole
}
