/** The rest of a pattern, and its open groups. */
interface Reading {
  readonly text: string
  at: number
  /** The number of groups that are open. */
  depth: number
  /** Whether a quantifier may follow. */
  canRepeat: boolean
}

/** Escapes that are one character or one assertion, with any text after them. */
const plainEscape = /^\\[^0-9A-Za-z]|^\\[dDwWsSbBAZzhHvVRnrtfae]/
/** The beginnings of groups that are read here; others may be valid or not. */
const plainGroup = /^\(\?(?:[:=!>|]|<[=!]|P?<[A-Za-z_]\w{0,30}>|[imsx]{1,4}:)/
const inlineOption = /^\(\?-?[imsx]{1,4}\)/
const repetition = /^(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?/

/**
 * The reason why the regular expressions of nginx (PCRE) refuse a pattern, as the end of a sentence; undefined if they
 * accept it, or if that is uncertain: after a rare construct the rest is not read.
 */
export function faultOfPattern(text: string): string | undefined {
  const reading: Reading = { text, at: 0, depth: 0, canRepeat: false }
  while (reading.at < text.length) {
    const outcome = readNext(reading)
    if (outcome === 'unsure') return undefined
    if (outcome !== undefined) return outcome
  }
  return reading.depth > 0 ? 'a ( is not closed' : undefined
}

/** Reads one part; a fault, if it has one. */
function readNext(reading: Reading): string | 'unsure' | undefined {
  const { text, at } = reading
  const rest = text.slice(at, at + 64)
  switch (text[at]) {
    case '\\':
      return readEscape(reading, rest)
    case '[':
      return readClass(reading)
    case '(':
      return readGroup(reading, rest)
    case ')':
      if (reading.depth === 0) return 'a ) closes nothing'
      reading.depth--
      return step(reading, 1, true)
    case '|':
      return step(reading, 1, false)
    case '*':
    case '+':
    case '?':
      return readRepetition(reading, rest)
    case '{':
      return repetition.test(rest)
        ? readRepetition(reading, rest)
        : /^\{[\s,]/.test(rest)
          ? 'unsure'
          : step(reading, 1, true)
    default:
      return step(reading, 1, true)
  }
}

function step(reading: Reading, by: number, canRepeat: boolean): undefined {
  reading.at += by
  reading.canRepeat = canRepeat
}

function readEscape(reading: Reading, rest: string): string | 'unsure' | undefined {
  if (rest === '\\') return 'it ends with a \\'
  return plainEscape.test(rest) ? step(reading, 2, true) : 'unsure'
}

function readGroup(reading: Reading, rest: string): string | 'unsure' | undefined {
  const option = inlineOption.exec(rest)
  if (option) return step(reading, option[0].length, false)
  // Verbs and assertions by name.
  if (/^\(\*[A-Za-z]/.test(rest)) return 'unsure'
  const opening = rest.startsWith('(?') ? plainGroup.exec(rest)?.[0] : '('
  if (opening === undefined) return 'unsure'
  reading.depth++
  return step(reading, opening.length, false)
}

function readRepetition(reading: Reading, rest: string): string | undefined {
  const [written = ''] = repetition.exec(rest) ?? []
  if (!reading.canRepeat) return `there is nothing that ${written} repeats`
  const [, least, most] = /^\{(\d+),(\d+)\}/.exec(written) ?? []
  if (least && most && Number(most) < Number(least)) return `the numbers of ${written} are in the wrong order`
  return step(reading, written.length, false)
}

/** A set of characters, from its [ to its ]. */
function readClass(reading: Reading): string | 'unsure' | undefined {
  const { text } = reading
  let at = reading.at + (text[reading.at + 1] === '^' ? 2 : 1)
  // The first ] is a character of the set.
  const first = at
  let before: string | undefined
  for (; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (letter === ']' && at > first) return step(reading, at + 1 - reading.at, true)
    if (letter === '\\' || (letter === '[' && /[:.=]/.test(text[at + 1] ?? ''))) {
      const named = /^\[:\^?[a-z]+:\]/.exec(text.slice(at, at + 20))?.[0]
      if (letter === '[' && !named) return 'unsure'
      if (letter === '\\' && !plainEscape.test(text.slice(at, at + 2)))
        return at + 1 < text.length ? 'unsure' : 'it ends with a \\'
      at += (named?.length ?? 2) - 1
      before = undefined
      continue
    }
    const end = text[at + 2]
    if (text[at + 1] === '-' && end !== undefined && end !== ']' && end !== '\\' && end !== '[' && before !== '-') {
      if (end < letter) return `${letter}-${end} in a [ ] is in the wrong order`
      at += 2
    }
    before = letter
  }
  return 'a [ is not closed'
}
