import type { TemplateFault } from './template-fault'

/** A line of YAML above another one, which it may belong to. */
interface Opened {
  readonly indent: number
  readonly is: 'key' | 'item'
  /** The line, if it is a key with a text as its value: nothing can be below it. */
  readonly closedBy?: string
}

/**
 * Keys of YAML in a template that no indentation above allows, whatever the values: a key below one that has a text as its value,
 * or a key among the items of a list that is deeper than its own key. https://yaml.org/spec/1.2.2/#8-block-style-productions
 */
export function misindentedLinesIn(template: string): TemplateFault[] {
  const faults: TemplateFault[] = []
  const blocks: (readonly Opened[] | undefined)[] = []
  let open: readonly Opened[] = []
  // The indentation of a key whose value is more than a word: what is deeper may be text.
  let textBelow: number | undefined
  // The end of an action of several lines.
  let actionTo = 0
  let from = 0
  for (const line of template.split('\n')) {
    const start = from
    from += line.length + 1
    const plain = start < actionTo ? undefined : withoutActions(line)
    if (plain === undefined) {
      open = []
      const last = start + line.lastIndexOf('{{')
      if (last >= Math.max(start, actionTo)) actionTo = endOfAction(template, last)
      continue
    }
    const word = wordOf(line)
    if (word !== undefined) {
      if (opening.has(word)) {
        blocks.push(word === 'if' || word === 'with' || word === 'range' ? open : undefined)
        if (!blocks.at(-1)) open = []
      } else if (word === 'else') {
        open = blocks.at(-1) ?? []
        blocks.splice(-1, 1, undefined)
      } else if (word === 'end' && blocks.pop() === undefined) open = []
      continue
    }
    const content = plain.trim()
    if (content === '' || content.startsWith('#')) continue
    const indent = plain.length - plain.trimStart().length
    if (textBelow !== undefined && indent > textBelow) continue
    textBelow = undefined
    const entry = entryIn(content)
    if (!entry || content.startsWith('---')) {
      open = []
      continue
    }
    const wrong = entry.items === 0 ? wrongIn(open, indent) : undefined
    if (wrong) {
      const written = line.trim()
      faults.push({ message: 'indent', from: start + indent, written, text: wrong(written) })
    }
    const kept = open.filter(
      (one) => one.indent < indent || (one.indent === indent && one.is === 'key' && entry.items > 0),
    )
    const items = Array.from({ length: entry.items }, (_, at) => ({ indent: indent + at * 2, is: 'item' as const }))
    const own = { indent: indent + entry.offset, is: 'key' as const, ...(entry.isClosed && { closedBy: line.trim() }) }
    open = [...kept, ...items, ...(entry.isKey ? [own] : [])]
    if (entry.isText) textBelow = indent
  }
  return faults
}

const opening = new Set(['if', 'with', 'range', 'define', 'block'])

/** What is wrong with a key of some indentation, as a sentence about its line. */
function wrongIn(open: readonly Opened[], indent: number): ((line: string) => string) | undefined {
  const last = open.at(-1)
  if (last?.closedBy !== undefined && last.indent < indent) {
    const above = last.closedBy
    return (line) =>
      `The line \`${line}\` is indented below \`${above}\`, which has a text as its value, so the YAML is broken, and no release that writes both lines can be rendered. Give both the same indentation.`
  }
  const at = open.findLastIndex((one) => one.indent <= indent)
  const [before, beside] = [open[at - 1], open[at]]
  if (
    beside?.is === 'item' &&
    beside.indent === indent &&
    before &&
    before.indent < indent &&
    before.closedBy === undefined
  )
    return (line) =>
      `The line \`${line}\` is a key, with the indentation of the items of the list before it, so the YAML is broken, and no release that writes both can be rendered. Give it the indentation of the key of that list, or of the keys of an item.`
  return undefined
}

/** The word of an action that is alone on its line and writes nothing: `if`, `end`; other such actions have an empty one. */
function wordOf(line: string): string | undefined {
  const content = line.trim()
  if (!content.startsWith('{{') || !content.endsWith('}}') || content.indexOf('{{', 2) !== -1) return undefined
  const inner = content.slice(2, -2).replace(/^-/, '').replace(/-$/, '').trim()
  if (inner.startsWith('/*')) return ''
  const [first = '', second = ''] = inner.split(/\s+/, 2)
  if (opening.has(first) || first === 'else' || first === 'end') return first
  return second === ':=' || second === '=' || first === 'fail' ? '' : undefined
}

function endOfAction(template: string, from: number): number {
  const isComment = /^\{\{-? *\/\*/.test(template.slice(from, from + 20))
  const ending = isComment ? template.indexOf('*/', from) : from
  const to = ending === -1 ? -1 : template.indexOf('}}', ending)
  return to === -1 ? template.length : to
}

/** A line with a mark in place of each action; undefined where an action goes on in the next line. */
function withoutActions(line: string): string | undefined {
  let plain = ''
  let at = 0
  for (let from = line.indexOf('{{'); from !== -1; from = line.indexOf('{{', at)) {
    const to = line.indexOf('}}', from)
    if (to === -1) return undefined
    plain += line.slice(at, from) + (value.test(line.slice(from + 2, to)) ? oneWord : mark)
    at = to + 2
  }
  return plain + line.slice(at)
}

/** An action that prints one of the values, and no block of them. */
const value = /^ *\$?\.[\w.]+ *(?:\| *s?quote *)?$/

/** What an action becomes: one word, or anything. */
const [oneWord, mark] = ['word', '\u0000']

interface Entry {
  /** The number of dashes that begin it. */
  readonly items: number
  /** The place of its key, behind the dashes. */
  readonly offset: number
  readonly isKey: boolean
  /** Whether it has a text as its value. */
  readonly isClosed: boolean
  /** Whether the lines below it are text, a list in brackets or another value that is no block of keys. */
  readonly isText: boolean
}

function entryIn(content: string): Entry | undefined {
  let offset = 0
  let items = 0
  while (content.startsWith('- ', offset) || content.slice(offset) === '-') {
    items++
    offset++
    while (content.charAt(offset) === ' ') offset++
  }
  const rest = content.slice(offset)
  const colon = rest.search(/:(?: |$)/)
  const key = colon === -1 ? '' : rest.slice(0, colon)
  const isKey = /^[\w./-]+$/.test(key)
  if (!isKey)
    return items > 0 && rest !== '' && /^[\w./-]+$/.test(rest)
      ? { items, offset, isKey, isClosed: false, isText: false }
      : undefined
  const value = rest.slice(colon + 1).trim()
  const isOpen = value === '' || value.startsWith('#')
  const isClosed = /^[\w./:-]+$/.test(value)
  return { items, offset, isKey, isClosed, isText: !isOpen && !isClosed }
}
