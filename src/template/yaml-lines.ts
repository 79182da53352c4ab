import { blockWords } from './template-actions'

/** A line of a template: a control word alone, an entry of a block in YAML, or one that may write anything. */
export type YamlLine =
  | { readonly is: 'unknown' }
  | { readonly is: 'control'; readonly word: ControlWord }
  | ({ readonly is: 'entry' } & YamlEntry)

type ControlWord = 'if' | 'with' | 'range' | 'define' | 'block' | 'else' | 'end'

/** A key, or an item with a key or a word: `host: a`, `- host: a`, `- a`. */
export interface YamlEntry {
  /** Where it begins in the template. */
  readonly from: number
  /** The line without the space around it. */
  readonly text: string
  readonly indent: number
  /** The number of dashes that begin it. */
  readonly dashes: number
  /** The indentation of its key; undefined for an item without one. */
  readonly keyIndent: number | undefined
  /** Whether the key has a word as its value. */
  readonly isClosed: boolean
}

/** The lines of a template of YAML, without comments, empty lines, assignments, and texts of several lines. */
export function* yamlLinesOf(template: string): Generator<YamlLine> {
  // The indentation of a key whose value is more than a word: what is deeper may be text.
  let textBelow = Number.POSITIVE_INFINITY
  // The end of an action of several lines.
  let actionTo = 0
  let next = 0
  for (const line of template.split('\n')) {
    const start = next
    next += line.length + 1
    const plain = start < actionTo ? undefined : withoutActions(line)
    if (plain === undefined) {
      const last = start + line.lastIndexOf('{{')
      if (last >= Math.max(start, actionTo)) actionTo = endOfAction(template, last)
      yield { is: 'unknown' }
      continue
    }
    const word = loneWord(line)
    if (word !== undefined) {
      if (isControl(word)) yield { is: 'control', word }
      continue
    }
    const content = plain.trim()
    const indent = plain.length - plain.trimStart().length
    if (content === '' || content.startsWith('#') || indent > textBelow) continue
    const entry = entryIn(content)
    textBelow = entry?.isText ? indent : Number.POSITIVE_INFINITY
    if (!entry) yield { is: 'unknown' }
    else {
      const { dashes, offset, isClosed } = entry
      const keyIndent = offset === undefined ? undefined : indent + offset
      yield { is: 'entry', from: start + indent, text: line.trim(), indent, dashes, keyIndent, isClosed }
    }
  }
}

/** The end of an action in a template. */
function endOfAction(template: string, from: number): number {
  const isComment = /^\{\{-? *\/\*/.test(template.slice(from, from + 20))
  const ending = isComment ? template.indexOf('*/', from) : from
  const to = ending === -1 ? -1 : template.indexOf('}}', ending)
  return to === -1 ? template.length : to
}

/** A line with a word or a mark in place of each action; undefined where an action goes on in the next line. */
function withoutActions(line: string): string | undefined {
  let plain = ''
  let at = 0
  for (let from = line.indexOf('{{'); from !== -1; from = line.indexOf('{{', at)) {
    const to = line.indexOf('}}', from)
    if (to === -1) return undefined
    plain += line.slice(at, from) + (value.test(line.slice(from + 2, to)) ? 'word' : anything)
    at = to + 2
  }
  return plain + line.slice(at)
}

/** An action that prints one of the values. */
const value = /^ *\$?\.[\w.]+ *(?:\| *s?quote *)?$/

/** A mark for any other action. */
const anything = '\u0000'

/** The first word of an action that is alone on its line and writes nothing; empty for an assignment and a comment. */
function loneWord(line: string): string | undefined {
  const content = line.trim()
  if (!content.startsWith('{{') || !content.endsWith('}}') || content.indexOf('{{', 2) !== -1) return undefined
  const inner = content.slice(2, -2).replace(/^-/, '').replace(/-$/, '').trim()
  const [first = '', second = ''] = inner.split(/\s+/, 2)
  if (isControl(first)) return first
  return inner.startsWith('/*') || second === ':=' || second === '=' || first === 'fail' ? '' : undefined
}

function isControl(word: string): word is ControlWord {
  return blockWords.has(word) || word === 'else' || word === 'end'
}

interface Written {
  readonly dashes: number
  /** The place of the key, behind the dashes. */
  readonly offset?: number
  readonly isClosed: boolean
  /** Whether the lines below it may be a text, or a list or a map in brackets. */
  readonly isText: boolean
}

function entryIn(content: string): Written | undefined {
  let offset = 0
  let dashes = 0
  while (content.startsWith('- ', offset) || content.slice(offset) === '-') {
    dashes++
    offset++
    while (content.charAt(offset) === ' ') offset++
  }
  const [, key, written = ''] = /^([\w./-]+)(?::(?: (.*))?)?$/.exec(content.slice(offset)) ?? []
  if (key === undefined) return undefined
  if (!content.startsWith(':', offset + key.length))
    return dashes > 0 ? { dashes, isClosed: false, isText: false } : undefined
  const text = written.trim()
  const isOpen = text === '' || text.startsWith('#')
  const isClosed = /^[\w./:-]+$/.test(text)
  return { dashes, offset, isClosed, isText: !isOpen && !isClosed }
}
