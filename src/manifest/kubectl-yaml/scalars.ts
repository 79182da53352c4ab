import { type Characters, char, isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, Refusal } from './characters'

/** A scalar as text, before YAML gives it a type. */
export interface ScannedScalar {
  readonly text: string
  readonly style: 'PLAIN' | 'QUOTE_SINGLE' | 'QUOTE_DOUBLE' | 'BLOCK_LITERAL' | 'BLOCK_FOLDED'
  readonly from: number
  readonly to: number
}

/** The folded form of blanks and line breaks inside a scalar. */
interface Gap {
  readonly text: string
  readonly hasBreak: boolean
}

/**
 * @param afterBreak whether an escaped line break was just passed
 * @param indent where given, tabs before this column are refused
 */
function passGap(chars: Characters, afterBreak: boolean, indent?: number): Gap {
  const from = chars.at
  let hasBreak = afterBreak
  let first = ''
  let rest = ''
  for (let code = chars.code(); isBlank(code) || isBreak(code); code = chars.code()) {
    if (isBreak(code)) {
      if (hasBreak) rest += chars.takeBreak()
      else first = chars.takeBreak()
      hasBreak = true
    } else {
      if (hasBreak && indent !== undefined && code === char.tab && chars.column < indent)
        throw new Refusal('tabs are not allowed as indentation', chars.at)
      chars.skip()
    }
  }
  if (!hasBreak) return { text: chars.since(from), hasBreak }
  if (first === '\n') return { text: rest === '' ? ' ' : rest, hasBreak }
  return { text: first + rest, hasBreak }
}

const endsPlainInFlow = new Set([...',?[]{}'].map((one) => one.charCodeAt(0)))

/** Source: go-yaml 2, scannerc.go, yaml_parser_scan_plain_scalar. */
export function scanPlain(
  chars: Characters,
  indent: number,
  inFlow: boolean,
): ScannedScalar & { readonly endsLine: boolean } {
  const from = chars.at
  const parts: string[] = []
  let to = from
  let gap: Gap = { text: '', hasBreak: false }
  while (!chars.atDocumentMark() && !chars.is('#')) {
    const piece = chars.at
    for (let code = chars.code(); !isBlankOrEnd(code); code = chars.code()) {
      if (chars.is(':') && isBlankOrEnd(chars.code(1))) break
      if (inFlow && endsPlainInFlow.has(code)) break
      chars.skip()
    }
    if (chars.at > piece) {
      parts.push(gap.text, chars.since(piece))
      gap = { text: '', hasBreak: false }
      to = chars.at
    }
    if (!isBlank(chars.code()) && !isBreak(chars.code())) break
    gap = passGap(chars, false, indent)
    if (!inFlow && chars.column < indent) break
  }
  return { text: parts.join(''), style: 'PLAIN', from, to, endsLine: gap.hasBreak }
}

/** Source: go-yaml 2, scannerc.go, yaml_parser_scan_flow_scalar. */
export function scanQuoted(chars: Characters): ScannedScalar {
  const from = chars.at
  const quote = chars.is("'") ? "'" : '"'
  const parts: string[] = []
  chars.skip()
  for (;;) {
    if (chars.atDocumentMark()) throw new Refusal('a quoted value is not closed before the document ends', from)
    if (chars.code() === char.end) throw new Refusal('a quoted value is not closed', from)
    let afterBreak = false
    let piece = chars.at
    while (!isBlankOrEnd(chars.code())) {
      if (chars.is(quote)) {
        if (quote === '"' || !chars.is("''")) break
        parts.push(chars.since(piece), quote)
        chars.skip(2)
        piece = chars.at
      } else if (quote === '"' && chars.is('\\')) {
        parts.push(chars.since(piece))
        chars.skip()
        afterBreak = isBreak(chars.code())
        if (afterBreak) chars.takeBreak()
        else parts.push(unescaped(chars))
        piece = chars.at
        if (afterBreak) break
      } else chars.skip()
    }
    parts.push(chars.since(piece))
    if (chars.is(quote)) break
    parts.push(passGap(chars, afterBreak).text)
  }
  chars.skip()
  return { text: parts.join(''), style: quote === '"' ? 'QUOTE_DOUBLE' : 'QUOTE_SINGLE', from, to: chars.at }
}

/** A string in a document that is known to be JSON, where line breaks and YAML's other escapes are not allowed. */
export function scanJsonString(chars: Characters): ScannedScalar {
  const from = chars.at
  chars.skip()
  while (!chars.is('"') && chars.code() !== char.end) chars.skip(chars.is('\\') ? 2 : 1)
  chars.skip()
  return { text: String(JSON.parse(chars.since(from))), style: 'QUOTE_DOUBLE', from, to: chars.at }
}

const escapes = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\u0085'],
  ['_', '\u00a0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
])

const hexDigits = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])

function unescaped(chars: Characters): string {
  const from = chars.at - 1
  const letter = String.fromCharCode(chars.code())
  const known = escapes.get(letter)
  const length = hexDigits.get(letter)
  if (known === undefined && length === undefined)
    throw new Refusal(`\\${letter} is not a valid escape`, from, from + 2)
  chars.skip()
  if (length === undefined) return known ?? ''
  const digits = chars.text.slice(chars.at, chars.at + length)
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits))
    throw new Refusal(`\\${letter} takes ${length} hexadecimal digits`, from, from + 2)
  chars.skip(length)
  const code = Number.parseInt(digits, 16)
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    throw new Refusal(`\\${letter}${digits} is not a valid character`, from, chars.at)
  return String.fromCodePoint(code)
}

interface BlockHeader {
  readonly chomping: string
  readonly increment: number
}

function scanBlockHeader(chars: Characters): BlockHeader {
  let chomping = ''
  let increment = 0
  chars.skip()
  const takeChomping = () => {
    if (!chars.is('+') && !chars.is('-')) return
    chomping = String.fromCharCode(chars.code())
    chars.skip()
  }
  takeChomping()
  if (isDigit(chars.code())) {
    if (chars.is('0')) throw new Refusal('a block cannot be indented by 0', chars.at)
    increment = chars.code() - 0x30
    chars.skip()
    if (chomping === '') takeChomping()
  }
  chars.skipBlanks()
  chars.skipComment()
  if (!isBreakOrEnd(chars.code())) throw new Refusal('the line must end after | or >', chars.at)
  if (isBreak(chars.code())) chars.takeBreak()
  return { chomping, increment }
}

/** Source: go-yaml 2, scannerc.go, yaml_parser_scan_block_scalar. */
export function scanBlock(chars: Characters, parentIndent: number): ScannedScalar {
  const from = chars.at
  const isLiteral = chars.is('|')
  const { chomping, increment } = scanBlockHeader(chars)
  let to = chars.at
  let indent = increment > 0 ? Math.max(parentIndent, 0) + increment : 0
  const passBreaks = (): string => {
    const breaks: string[] = []
    let widest = 0
    to = chars.at
    for (;;) {
      while ((indent === 0 || chars.column < indent) && chars.code() === char.space) chars.skip()
      widest = Math.max(widest, chars.column)
      if ((indent === 0 || chars.column < indent) && chars.code() === char.tab)
        throw new Refusal('tabs are not allowed as indentation', chars.at)
      if (!isBreak(chars.code())) break
      breaks.push(chars.takeBreak())
      to = chars.at
    }
    if (indent === 0) indent = Math.max(widest, parentIndent + 1, 1)
    return breaks.join('')
  }
  const parts: string[] = []
  let lineBreak = ''
  let wasBlank = false
  let breaks = passBreaks()
  while (chars.column === indent && chars.code() !== char.end) {
    const startsBlank = isBlank(chars.code())
    const isFolded = !isLiteral && lineBreak === '\n' && !wasBlank && !startsBlank
    if (!isFolded) parts.push(lineBreak)
    else if (breaks === '') parts.push(' ')
    parts.push(breaks)
    wasBlank = startsBlank
    const line = chars.at
    while (!isBreakOrEnd(chars.code())) chars.skip()
    parts.push(chars.since(line))
    lineBreak = isBreak(chars.code()) ? chars.takeBreak() : ''
    breaks = passBreaks()
  }
  if (chomping !== '-') parts.push(lineBreak)
  if (chomping === '+') parts.push(breaks)
  return { text: parts.join(''), style: isLiteral ? 'BLOCK_LITERAL' : 'BLOCK_FOLDED', from, to }
}
