import { type Characters, isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, isWord, Refusal } from './characters'

/** A tag as written: `!!str` has the handle `!!`; `!<…>` and `!` alone have none. */
export interface ScannedTag {
  readonly handle: string
  readonly suffix: string
}

/** A line such as `%YAML 1.2` or `%TAG` before a document. */
export type Directive =
  | { readonly kind: 'version'; readonly version: string }
  | ({ readonly kind: 'tag' } & { readonly handle: string; readonly prefix: string })

/** The name of an anchor or alias. Source: go-yaml 2, scannerc.go, yaml_parser_scan_anchor. */
export function scanAnchor(chars: Characters): string {
  const mark = chars.at
  chars.skip()
  const name = words(chars)
  const endsHere = isBlankOrEnd(chars.code()) || '?:,]}%@`'.includes(String.fromCharCode(chars.code()))
  if (name === '' || !endsHere)
    throw new Refusal(
      'a text that begins with * or & needs quotes: without them it is an alias or an anchor, whose name may have only letters, digits, - and _',
      mark,
    )
  return name
}

/** Source: go-yaml 2, scannerc.go, yaml_parser_scan_tag. */
export function scanTag(chars: Characters): ScannedTag {
  const tag = chars.is('!<') ? verbatimTag(chars) : shortTag(chars)
  if (!isBlankOrEnd(chars.code())) throw new Refusal('a space must follow a tag', chars.at)
  return tag
}

function verbatimTag(chars: Characters): ScannedTag {
  chars.skip(2)
  const suffix = scanUri(chars, '')
  if (!chars.is('>')) throw new Refusal('a tag that begins with !< ends with >', chars.at)
  chars.skip()
  return { handle: '', suffix }
}

function shortTag(chars: Characters): ScannedTag {
  const handle = scanHandle(chars, false)
  if (handle.length > 1 && handle.endsWith('!')) return { handle, suffix: scanUri(chars, '') }
  const suffix = scanUri(chars, handle)
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix }
}

/** Source: go-yaml 2, scannerc.go, yaml_parser_scan_directive. */
export function scanDirective(chars: Characters): Directive {
  const from = chars.at
  chars.skip()
  const name = words(chars)
  if (!isBlankOrEnd(chars.code()) || (name !== 'YAML' && name !== 'TAG'))
    throw new Refusal('a line that begins with % is a %YAML or a %TAG directive', from)
  chars.skipBlanks()
  const directive: Directive = name === 'YAML' ? scanVersion(chars) : scanTagPrefix(chars)
  chars.skipBlanks()
  chars.skipComment()
  if (!isBreakOrEnd(chars.code())) throw new Refusal('the line must end after a directive', chars.at)
  if (isBreak(chars.code())) chars.takeBreak()
  return directive
}

function scanVersion(chars: Characters): Directive {
  const number = (): string => {
    const from = chars.at
    while (isDigit(chars.code()) && chars.at - from < 3) chars.skip()
    const digits = chars.since(from)
    if (digits === '' || digits.length > 2) throw new Refusal('a %YAML directive takes a version, such as 1.1', from)
    return String(Number(digits))
  }
  const major = number()
  if (!chars.is('.')) throw new Refusal('a %YAML directive takes a version, such as 1.1', chars.at)
  chars.skip()
  return { kind: 'version', version: `${major}.${number()}` }
}

function scanTagPrefix(chars: Characters): Directive {
  const handle = scanHandle(chars, true)
  if (!isBlank(chars.code())) throw new Refusal('a space must follow the handle of a tag', chars.at)
  chars.skipBlanks()
  const prefix = scanUri(chars, '')
  if (!isBlankOrEnd(chars.code())) throw new Refusal('a space must follow the prefix of a tag', chars.at)
  return { kind: 'tag', handle, prefix }
}

function scanHandle(chars: Characters, isDirective: boolean): string {
  const from = chars.at
  if (!chars.is('!')) throw new Refusal('a tag begins with !', from)
  chars.skip()
  words(chars)
  if (chars.is('!')) chars.skip()
  else if (isDirective && chars.at - from > 1) throw new Refusal('the handle of a tag ends with !', chars.at)
  return chars.since(from)
}

const uriCharacters = new Set([...";/?:@&=+$,.!~*'()[]%"].map((one) => one.charCodeAt(0)))

/** @param head the handle that was read for a tag and is part of its name */
function scanUri(chars: Characters, head: string): string {
  const from = chars.at
  const parts = [head.slice(1)]
  let piece = from
  while (isWord(chars.code()) || uriCharacters.has(chars.code())) {
    if (chars.is('%')) {
      parts.push(chars.since(piece), octets(chars))
      piece = chars.at
    } else chars.skip()
  }
  parts.push(chars.since(piece))
  if (head === '' && chars.at === from) throw new Refusal('a tag needs a name', from)
  return parts.join('')
}

/** A character that is written as octets, each `%` and two hexadecimal digits. */
function octets(chars: Characters): string {
  const from = chars.at
  const bytes: number[] = []
  let length = 1
  while (bytes.length < length) {
    const [, digits] = /^%([0-9a-fA-F]{2})/.exec(chars.text.slice(chars.at, chars.at + 3)) ?? []
    if (digits === undefined) throw new Refusal('two hexadecimal digits must follow %', chars.at)
    const byte = Number.parseInt(digits, 16)
    if (bytes.length === 0) length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    bytes.push(byte)
    chars.skip(3)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
  } catch {
    throw new Refusal('these bytes are not UTF-8', from, chars.at)
  }
}

function words(chars: Characters): string {
  const from = chars.at
  while (isWord(chars.code())) chars.skip()
  return chars.since(from)
}
