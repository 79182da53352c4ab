/** A part of a Go template: https://pkg.go.dev/text/template */
export type TemplatePart =
  | { readonly text: string }
  | { readonly action: Pipeline; readonly written: string }
  | {
      readonly block: 'if' | 'range' | 'with'
      readonly of: Pipeline
      readonly parts: readonly TemplatePart[]
      readonly otherwise: readonly TemplatePart[]
    }

/** Commands in a row, where each gets the value of the one before, and the variables that get the last value. */
export interface Pipeline {
  readonly variables: readonly string[]
  readonly commands: readonly (readonly Operand[])[]
}

/** A word of a command; `fields` are read of its value. */
export type Operand =
  | { readonly value: string | number | boolean | null }
  | { readonly name: string }
  | { readonly from: string | Pipeline; readonly fields: readonly string[] }

/** The marks around the actions of a template. */
export interface Marks {
  readonly open: string
  readonly close: string
  /** A word of an action, or its end. */
  readonly word: RegExp
}

export const braces: Marks = {
  open: '{{',
  close: '}}',
  word: /\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`|\/\*[^*]*\*\/|:=|[|(),=]|[$.\w]+|-?\}\}|-\d+)/y,
}

export const angles: Marks = {
  open: '<<',
  close: '>>',
  word: /\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`|\/\*[^*]*\*\/|:=|[|(),=]|[$.\w]+|-?>>|-\d+)/y,
}

/** A template is no longer, and nests no deeper. */
const most = { characters: 50_000, depth: 30 }

/** Parses a template; undefined for one with anything that is not read here. */
export function parseGoTemplate(text: string, marks = braces): readonly TemplatePart[] | undefined {
  if (text.length > most.characters) return undefined
  const pieces = piecesOf(text, marks)
  if (!pieces) return undefined
  const reader = { pieces, at: 0 }
  const parts = partsOf(reader, 0)
  return parts && reader.at === pieces.length ? parts : undefined
}

type Piece = { readonly text: string } | { readonly words: readonly string[]; readonly written: string }

interface Reader {
  readonly pieces: readonly Piece[]
  at: number
}

/** The texts and actions of a template; a dash at a mark takes the white space beside it. */
function piecesOf(text: string, marks: Marks): readonly Piece[] | undefined {
  const pieces: Piece[] = []
  let rest = text
  let isTrimmed = false
  for (;;) {
    const start = rest.indexOf(marks.open)
    const before = start === -1 ? rest : rest.slice(0, start)
    const trimsBefore = start !== -1 && /^-\s/.test(rest.slice(start + 2, start + 4))
    const begun = isTrimmed ? before.trimStart() : before
    const plain = trimsBefore ? begun.trimEnd() : begun
    if (plain !== '') pieces.push({ text: plain })
    if (start === -1) return pieces
    const from = start + (trimsBefore ? 3 : 2)
    const action = wordsOf(rest, from, marks)
    if (!action) return undefined
    const { words, end } = action
    isTrimmed = action.isTrimmed
    if (words.length > 0) pieces.push({ words, written: rest.slice(start, end) })
    rest = rest.slice(end)
  }
}

function wordsOf(
  text: string,
  from: number,
  { close, word }: Marks,
): { words: string[]; end: number; isTrimmed: boolean } | undefined {
  const words: string[] = []
  let at = from
  for (;;) {
    word.lastIndex = at
    const [whole, one] = word.exec(text) ?? []
    if (whole === undefined || one === undefined) return undefined
    at += whole.length
    if (one.endsWith(close) && one.length < 4) return { words, end: at, isTrimmed: one.length === 3 }
    // A field directly behind a parenthesis is one of its value.
    if (!one.startsWith('/*'))
      words.push(words.at(-1) === ')' && whole === one && one.startsWith('.') ? `)${one}` : one)
  }
}

function partsOf(reader: Reader, depth: number): TemplatePart[] | undefined {
  const parts: TemplatePart[] = []
  if (depth > most.depth) return undefined
  for (let piece = reader.pieces[reader.at]; piece; piece = reader.pieces[reader.at]) {
    if ('text' in piece) {
      parts.push(piece)
      reader.at++
      continue
    }
    const [first = '', ...rest] = piece.words
    if (first === 'end' || first === 'else') return parts
    reader.at++
    if (first === 'if' || first === 'range' || first === 'with') {
      const block = blockOf(first, rest, reader, depth)
      if (!block) return undefined
      parts.push(block)
      continue
    }
    const action = pipelineOf(piece.words)
    if (!action) return undefined
    parts.push({ action, written: piece.written })
  }
  return parts
}

function blockOf(
  block: 'if' | 'range' | 'with',
  words: readonly string[],
  reader: Reader,
  depth: number,
): TemplatePart | undefined {
  const of = pipelineOf(words)
  const parts = partsOf(reader, depth + 1)
  const closing = reader.pieces[reader.at++]
  if (!of || !parts || !closing || !('words' in closing)) return undefined
  const [what, next, ...rest] = closing.words
  if (what === 'end') return next === undefined ? { block, of, parts, otherwise: [] } : undefined
  if (next === 'if' || next === 'with') {
    const inner = blockOf(next, rest, reader, depth + 1)
    return inner && { block, of, parts, otherwise: [inner] }
  }
  const otherwise = partsOf(reader, depth + 1)
  const end = reader.pieces[reader.at++]
  const isEnd = end !== undefined && 'words' in end && end.words.join() === 'end'
  return next === undefined && otherwise && isEnd ? { block, of, parts, otherwise } : undefined
}

function pipelineOf(words: readonly string[]): Pipeline | undefined {
  const split = words.findIndex((one) => one === ':=' || one === '=')
  const variables = words.slice(0, Math.max(split, 0)).filter((one) => one !== ',')
  if (variables.some((one) => !/^\$\w*$/.test(one))) return undefined
  const reader = { words: words.slice(split + 1), at: 0 }
  const commands = commandsOf(reader, 0)
  return commands && reader.at === reader.words.length ? { variables, commands } : undefined
}

function commandsOf(reader: { words: readonly string[]; at: number }, depth: number): Operand[][] | undefined {
  if (depth > most.depth) return undefined
  const commands: Operand[][] = [[]]
  for (let one = reader.words[reader.at]; one !== undefined; one = reader.words[reader.at]) {
    if (one.startsWith(')')) break
    reader.at++
    if (one === '|') {
      commands.push([])
      continue
    }
    const operand = one === '(' ? nestedIn(reader, depth) : operandOf(one)
    if (!operand) return undefined
    commands.at(-1)?.push(operand)
  }
  return commands.every(({ length }) => length > 0) ? commands : undefined
}

function nestedIn(reader: { words: readonly string[]; at: number }, depth: number): Operand | undefined {
  const commands = commandsOf(reader, depth + 1)
  const closing = reader.words[reader.at++]
  if (!commands || closing === undefined) return undefined
  const next = reader.words[reader.at]
  const fields = next?.startsWith(').') ? next.slice(2).split('.') : []
  if (fields.length > 0) reader.at++
  return { from: { variables: [], commands }, fields }
}

function operandOf(one: string): Operand | undefined {
  if (one.startsWith('"')) return stringOf(one)
  if (one.startsWith('`')) return { value: one.slice(1, -1) }
  if (/^-?\d+$/.test(one)) return { value: Number(one) }
  if (one === 'true' || one === 'false') return { value: one === 'true' }
  if (one === 'nil') return { value: null }
  if (/^[A-Za-z]\w*$/.test(one)) return { name: one }
  const [, called, fields = ''] = /^([A-Za-z]\w*)\.([\w.]+)$/.exec(one) ?? []
  if (called !== undefined)
    return { from: { variables: [], commands: [[{ name: called }]] }, fields: fields.split('.') }
  const [, from, path = ''] = /^(\$\w*)?((?:\.\w+)*|\.)$/.exec(one) ?? []
  if (from === undefined && path === '') return undefined
  return { from: from ?? '', fields: path.split('.').filter(Boolean) }
}

function stringOf(written: string): Operand | undefined {
  try {
    return { value: JSON.parse(written) as string }
  } catch {
    return undefined
  }
}
