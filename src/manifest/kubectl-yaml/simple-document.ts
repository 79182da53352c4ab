import { ListNode, MapNode, type Node, Pair, Scalar } from '../nodes'
import { Characters, Refusal } from './characters'
import { scanBlock } from './scalars'
import { plainValue } from './values'

/** Blanks and line ends that kubectl's parser has rules of its own for, and characters of two units. */
const unusual = /[\t\r\u0085\u2028\u2029\ufeff\ud800-\udfff]/

/** A deeper document is left to the parser that knows how deep one may be. */
const deepest = 100

/** No key is longer without `?`: kubectl's parser looks no further for its colon. */
const longestKey = 1000

/** The characters of keys, and of plain items in brackets. */
const isWordLike = new Uint8Array(128)
for (const one of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-')
  isWordLike[one.charCodeAt(0)] = 1

const startsNoPlain = new Set('?:,[]{}#&*!|>\'"%@`')

/**
 * Reads a document in the form that nearly all manifests have: maps and lists by indentation, each value on one line or
 * in a block, in brackets only words and quoted texts. It takes a fifth of the time of the parser that knows all of
 * YAML, and gives the same nodes.
 *
 * @param text ends with a line feed
 * @returns nothing where anything else is written, for the other parser to read
 */
export function parseSimple(text: string, from: number, keys: Map<string, string>): Node | undefined {
  return unusual.test(text) ? undefined : new SimpleDocument(text, keys).read(from)
}

class SimpleDocument {
  /** The next line with content: where its content begins, and in which column; -1 after the last line. */
  private at = 0
  private column = -1
  /** The end of the last key, or value in brackets or quotes. */
  private end = 0

  constructor(
    private readonly text: string,
    private readonly keys: Map<string, string>,
  ) {}

  read(from: number): Node | undefined {
    this.toContent(from)
    if (this.column === -1) return undefined
    const root = this.block(0)
    return this.column === -1 ? root : undefined
  }

  /** @param start of a line */
  private toContent(start: number): void {
    const { text } = this
    for (let line = start; line < text.length; line = text.indexOf('\n', line) + 1) {
      let at = line
      while (text[at] === ' ') at++
      if (text[at] === '\n' || text[at] === '#') continue
      this.at = at
      this.column = at < text.length ? at - line : -1
      return
    }
    this.column = -1
  }

  /** Goes on behind a value; false where more than a comment follows on its line. */
  private pass(end: number): boolean {
    const { text } = this
    let at = end
    while (text[at] === ' ') at++
    if (text[at] !== '\n' && !(text[at] === '#' && at > end)) return false
    this.toContent(text.indexOf('\n', at) + 1)
    return true
  }

  /** Whether an entry of a list is here. */
  private get isEntry(): boolean {
    const { text, at } = this
    return text[at] === '-' && (text[at + 1] === ' ' || text[at + 1] === '\n')
  }

  private block(depth: number): Node | undefined {
    if (depth > deepest) return undefined
    return this.isEntry ? this.list(this.column, depth) : this.map(this.column, depth, this.key())
  }

  /** @param first the key that is here */
  private map(column: number, depth: number, first: string | Scalar | undefined): Node | undefined {
    const from = this.at
    const pairs: Pair[] = []
    let key = first
    while (key !== undefined) {
      const { at, end } = this
      const value = this.valueBehind(end + 1, column, depth)
      if (!value) return undefined
      pairs.push(new Pair(key, value, at))
      if (this.column > column) return undefined
      if (this.column < column) return new MapNode(pairs.slice(), from, Math.max(end, value.to))
      key = this.key()
    }
    return undefined
  }

  /** @param end of the colon */
  private valueBehind(end: number, column: number, depth: number): Node | undefined {
    if (!this.pass(end)) return this.inline(this.behindBlanks(end), column)
    if (this.column > column) return this.block(depth + 1)
    return this.column === column && this.isEntry ? this.list(column, depth + 1) : new Scalar(null, end, end)
  }

  private list(column: number, depth: number): Node | undefined {
    const from = this.at
    const items: Node[] = []
    do {
      const item = this.item(column, depth)
      if (!item) return undefined
      items.push(item)
    } while (this.column === column && this.isEntry)
    return this.column > column ? undefined : new ListNode(items.slice(), from, items.at(-1)?.to ?? from)
  }

  private item(column: number, depth: number): Node | undefined {
    const dash = this.at
    const end = dash + 1
    if (this.pass(end)) return this.column > column ? this.block(depth + 1) : new Scalar(null, end, end)
    this.at = this.behindBlanks(end)
    const key = this.key()
    return key === undefined ? this.inline(this.at, column) : this.map(column + this.at - dash, depth + 1, key)
  }

  private behindBlanks(from: number): number {
    let at = from
    while (this.text[at] === ' ') at++
    return at
  }

  /** The key that is here, with its colon behind it, as a pair takes it. */
  private key(): string | Scalar | undefined {
    const { text, at } = this
    const end = this.endOfWord(at)
    if (end === at || text[end] !== ':' || end - at > longestKey) return undefined
    if (text[end + 1] !== ' ' && text[end + 1] !== '\n') return undefined
    this.end = end
    return this.keyAt(at, end)
  }

  private keyAt(at: number, end: number): string | Scalar {
    const value = plainValue(this.text.slice(at, end))
    if (typeof value !== 'string') return new Scalar(value, at, end)
    const known = this.keys.get(value)
    if (known === undefined) this.keys.set(value, value)
    return known ?? value
  }

  /** The end of a text of letters and digits; the same place where there is none. */
  private endOfWord(from: number): number {
    const { text } = this
    if (text[from] === '-') return from
    let at = from
    while (isWordLike[text.charCodeAt(at)] === 1) at++
    return at
  }

  /** A value that begins here, in a map or list of this column. */
  private inline(at: number, column: number): Node | undefined {
    const first = this.text[at] ?? ''
    if (first === '|' || first === '>') return this.blockText(at, column)
    if (first === '[' || first === '{' || first === '"' || first === "'") {
      const node = this.flow(at, 0)
      return node && this.pass(this.end) ? node : undefined
    }
    return this.plain(at)
  }

  private plain(at: number): Scalar | undefined {
    const { text } = this
    const feed = text.indexOf('\n', at)
    const line = text.slice(at, feed)
    if (startsNoPlain.has(line[0] ?? '') || (line[0] === '-' && !(line.length > 1 && line[1] !== ' '))) return undefined
    const comment = line.indexOf(' #')
    let length = comment === -1 ? line.length : comment
    while (line[length - 1] === ' ') length--
    const written = line.slice(0, length)
    if (written.includes(': ') || written.endsWith(':')) return undefined
    this.toContent(feed + 1)
    return new Scalar(plainValue(written), at, at + length)
  }

  private blockText(at: number, column: number): Scalar | undefined {
    const line = this.text.lastIndexOf('\n', at) + 1
    const chars = new Characters(this.text, line)
    chars.skip(at - line)
    try {
      const { text, from, to } = scanBlock(chars, column)
      this.toContent(chars.at - chars.column)
      return new Scalar(text, from, to)
    } catch (error) {
      // The other parser reports the same error.
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  /** A value in brackets, or the brackets, or a quoted text; `end` is behind it. */
  private flow(at: number, depth: number): Node | undefined {
    if (depth > deepest) return undefined
    const first = this.text[at]
    if (first === '[') return this.flowList(at, depth)
    if (first === '{') return this.flowMap(at, depth)
    if (first === '"' || first === "'") return this.quoted(at, first)
    this.end = this.endOfWord(at)
    return this.end > at ? new Scalar(plainValue(this.text.slice(at, this.end)), at, this.end) : undefined
  }

  private quoted(at: number, quote: string): Scalar | undefined {
    const close = this.text.indexOf(quote, at + 1)
    const value = this.text.slice(at + 1, close)
    if (close === -1 || value.includes('\n') || value.includes('\\') || this.text[close + 1] === quote) return undefined
    this.end = close + 1
    return new Scalar(value, at, this.end)
  }

  private flowList(from: number, depth: number): ListNode | undefined {
    const items: Node[] = []
    const isRead = this.flowParts(from, ']', (at) => {
      const item = this.flow(at, depth + 1)
      if (item) items.push(item)
      return item !== undefined
    })
    return isRead ? new ListNode(items.slice(), from, this.end) : undefined
  }

  private flowMap(from: number, depth: number): MapNode | undefined {
    const pairs: Pair[] = []
    const isRead = this.flowParts(from, '}', (at) => {
      const end = this.endOfWord(at)
      if (end === at || end - at > longestKey || this.text[end] !== ':' || this.text[end + 1] !== ' ') return false
      const key = this.keyAt(at, end)
      const value = this.flow(this.behindBlanks(end + 1), depth + 1)
      if (value) pairs.push(new Pair(key, value, at))
      return value !== undefined
    })
    return isRead ? new MapNode(pairs.slice(), from, this.end) : undefined
  }

  /** Reads the parts between brackets; false where they are not on one line, with commas between. */
  private flowParts(from: number, close: string, read: (at: number) => boolean): boolean {
    let at = this.behindBlanks(from + 1)
    while (this.text[at] !== close) {
      if (!read(at)) return false
      at = this.behindBlanks(this.end)
      if (this.text[at] === close) break
      if (this.text[at] !== ',') return false
      at = this.behindBlanks(at + 1)
      if (this.text[at] === close) return false
    }
    this.end = at + 1
    return true
  }
}
