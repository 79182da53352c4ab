import { Characters, char, isBlankOrEnd, isBreak, Refusal } from './characters'
import { type ScannedScalar, scanBlock, scanJsonString, scanPlain, scanQuoted } from './scalars'
import { scanAnchor, scanDirective, scanTag } from './tags'
import { type Mark, type Token, TokenQueue } from './tokens'

/** A position that may become a key once a `:` follows on its line. */
interface SimpleKey {
  possible: boolean
  readonly required: boolean
  readonly number: number
  readonly at: number
  readonly line: number
  readonly column: number
}

/** A key without `?` is no longer than this. */
const longestKey = 1024

const flowMarks = new Map<string, Mark>([
  ['[', 'flow sequence start'],
  ['{', 'flow mapping start'],
  [']', 'flow sequence end'],
  ['}', 'flow mapping end'],
  [',', 'flow entry'],
])

const startsNoPlain = new Set([...'-?:,[]{}#&*!|>\'"%@`'].map((one) => one.charCodeAt(0)))

/**
 * The tokens of a text as libyaml produces them. kubectl's parser is a port of libyaml, which accepts and refuses other
 * texts than the YAML 1.2 parsers written for JavaScript.
 * Source: go.yaml.in/yaml/v2, scannerc.go, whose functions these methods are named after.
 */
export class Scanner {
  private readonly chars: Characters
  private readonly tokens = new TokenQueue()
  private isDone = false
  private indent = -1
  private readonly indents: number[] = []
  private readonly simpleKeys: SimpleKey[] = []
  private readonly keysByToken = new Map<number, SimpleKey>()
  private isKeyAllowed = true

  /** @param isJson whether the text is JSON, whose keys may be of any length and whose strings have other escapes */
  constructor(
    text: string,
    from: number,
    private readonly isJson: boolean,
  ) {
    this.chars = new Characters(text, from)
    this.simpleKeys.push(this.noKey())
  }

  /** The next token, which is not taken. */
  peek(): Token {
    while (!this.isDone && this.needsMore()) this.fetchNextToken()
    return this.tokens.first ?? { kind: 'stream end', from: this.chars.at, to: this.chars.at }
  }

  /** Takes the next token. */
  take(): Token {
    const token = this.peek()
    this.tokens.takeFirst()
    return token
  }

  private get inFlow(): boolean {
    return this.simpleKeys.length > 1
  }

  private get lastKey(): SimpleKey {
    return this.simpleKeys[this.simpleKeys.length - 1] ?? this.noKey()
  }

  private noKey(): SimpleKey {
    return { possible: false, required: false, number: this.tokens.nextNumber, at: 0, line: 0, column: 0 }
  }

  /** A token that may turn out to be a key waits for what follows it. */
  private needsMore(): boolean {
    if (this.tokens.isEmpty) return true
    const key = this.keysByToken.get(this.tokens.firstNumber)
    return key !== undefined && this.isKeyValid(key)
  }

  private isKeyValid(key: SimpleKey): boolean {
    if (!key.possible) return false
    if (this.isJson || (key.line === this.chars.line && key.at + longestKey >= this.chars.at)) return true
    this.refuseRequired(key)
    key.possible = false
    return false
  }

  private refuseRequired(key: SimpleKey): void {
    if (key.required) throw new Refusal('a key must be followed by a colon and a space on the same line', key.at)
  }

  private saveSimpleKey(): void {
    if (!this.isKeyAllowed) return
    this.removeSimpleKey()
    const { at, line, column } = this.chars
    const required = !this.inFlow && this.indent === column
    const key = { possible: true, required, number: this.tokens.nextNumber, at, line, column }
    this.simpleKeys[this.simpleKeys.length - 1] = key
    this.keysByToken.set(key.number, key)
  }

  private removeSimpleKey(): void {
    const key = this.lastKey
    if (!key.possible) return
    this.refuseRequired(key)
    key.possible = false
    this.keysByToken.delete(key.number)
  }

  /** Adds a token of so many characters that begins here. */
  private addMark(kind: Mark, length: number): void {
    const from = this.chars.at
    this.chars.skip(length)
    this.tokens.add({ kind, from, to: this.chars.at })
  }

  private insertMark(kind: Mark, number: number, at: number): void {
    this.tokens.insert({ kind, from: at, to: at }, number)
  }

  private rollIndent(column: number, number: number, kind: Mark, at: number): void {
    if (this.inFlow || this.indent >= column) return
    this.indents.push(this.indent)
    this.indent = column
    this.insertMark(kind, number, at)
  }

  private unrollIndent(column: number): void {
    if (this.inFlow) return
    while (this.indent > column) {
      this.addMark('block end', 0)
      this.indent = this.indents.pop() ?? -1
    }
  }

  private scanToNextToken(): void {
    const { chars } = this
    for (;;) {
      const mayPassTabs = this.inFlow || !this.isKeyAllowed
      while (chars.code() === char.space || (mayPassTabs && chars.code() === char.tab)) chars.skip()
      chars.skipComment()
      if (!isBreak(chars.code())) return
      chars.takeBreak()
      if (!this.inFlow) this.isKeyAllowed = true
    }
  }

  private fetchNextToken(): void {
    this.scanToNextToken()
    const { chars } = this
    this.unrollIndent(chars.code() === char.end ? -1 : chars.column)
    const letter = String.fromCharCode(chars.code())
    const mark = flowMarks.get(letter)
    const endsHere = isBlankOrEnd(chars.code(1))
    if (chars.code() === char.end) this.fetchStreamEnd()
    else if (chars.column === 0 && letter === '%') this.fetchDirective()
    else if (chars.atDocumentMark('---')) this.fetchDocumentMark('document start')
    else if (chars.atDocumentMark('...')) this.fetchDocumentMark('document end')
    else if (mark) this.fetchFlowMark(mark)
    else if (letter === '-' && endsHere) this.fetchBlockEntry()
    else if (letter === '?' && (this.inFlow || endsHere)) this.fetchKey()
    else if (letter === ':' && (this.inFlow || endsHere)) this.fetchValue()
    else if ('*&!\'"'.includes(letter)) this.fetchInline(letter)
    else if ((letter === '|' || letter === '>') && !this.inFlow) this.fetchBlockScalar()
    else if (this.startsPlain(letter)) this.fetchInline(letter)
    else this.refuseCharacter(letter)
  }

  private startsPlain(letter: string): boolean {
    const { chars } = this
    const next = chars.code(1)
    if (letter === '-') return !(next === char.space || next === char.tab)
    if (letter === '?' || letter === ':') return !this.inFlow && !isBlankOrEnd(next)
    return !isBlankOrEnd(chars.code()) && !startsNoPlain.has(chars.code())
  }

  private refuseCharacter(letter: string): never {
    const { at } = this.chars
    if (letter === '\t') throw new Refusal('tabs are not allowed as indentation', at)
    throw new Refusal(`plain value cannot start with reserved character ${letter}`, at)
  }

  private fetchStreamEnd(): void {
    this.unrollIndent(-1)
    this.removeSimpleKey()
    this.isKeyAllowed = false
    this.addMark('stream end', 0)
    this.isDone = true
  }

  private fetchDirective(): void {
    this.unrollIndent(-1)
    this.removeSimpleKey()
    this.isKeyAllowed = false
    const from = this.chars.at
    const directive = scanDirective(this.chars)
    this.tokens.add({ kind: 'directive', directive, from, to: this.chars.at })
  }

  private fetchDocumentMark(kind: Mark): void {
    this.unrollIndent(-1)
    this.removeSimpleKey()
    this.isKeyAllowed = false
    this.addMark(kind, 3)
  }

  private fetchFlowMark(kind: Mark): void {
    if (kind === 'flow sequence start' || kind === 'flow mapping start') {
      // In JSON, only a string can be a key.
      if (!this.isJson) this.saveSimpleKey()
      this.simpleKeys.push(this.noKey())
    } else {
      this.removeSimpleKey()
      if (kind !== 'flow entry' && this.inFlow) this.endFlow()
    }
    this.isKeyAllowed = kind !== 'flow sequence end' && kind !== 'flow mapping end'
    this.addMark(kind, 1)
  }

  /** As in go-yaml, empty brackets remove the number of the bracket itself, which then waits for no colon. */
  private endFlow(): void {
    const key = this.simpleKeys.pop()
    if (key) this.keysByToken.delete(key.number)
  }

  private fetchBlockEntry(): void {
    if (!this.inFlow) this.rollHere('block sequence start', 'a list entry is not allowed here')
    this.removeSimpleKey()
    this.isKeyAllowed = true
    this.addMark('block entry', 1)
  }

  private fetchKey(): void {
    if (!this.inFlow) this.rollHere('block mapping start', 'a key is not allowed here')
    this.removeSimpleKey()
    this.isKeyAllowed = !this.inFlow
    this.addMark('key', 1)
  }

  private fetchValue(): void {
    const key = this.lastKey
    if (this.isKeyValid(key)) {
      this.insertMark('key', key.number, key.at)
      this.rollIndent(key.column, key.number, 'block mapping start', key.at)
      key.possible = false
      this.keysByToken.delete(key.number)
      this.isKeyAllowed = false
    } else {
      if (!this.inFlow) this.rollHere('block mapping start', 'a colon and a value are not allowed here; quote the text')
      this.isKeyAllowed = !this.inFlow
    }
    this.addMark('value', 1)
  }

  /** Begins a list or map in block style at this column, if none is open there. */
  private rollHere(kind: Mark, otherwise: string): void {
    if (!this.isKeyAllowed) throw new Refusal(otherwise, this.chars.at)
    this.rollIndent(this.chars.column, this.tokens.nextNumber, kind, this.chars.at)
  }

  private fetchBlockScalar(): void {
    this.removeSimpleKey()
    this.isKeyAllowed = true
    this.addScalar(scanBlock(this.chars, this.indent))
  }

  /** The start of a possible key: an alias, an anchor, a tag, or a quoted or plain scalar. */
  private fetchInline(letter: string): void {
    this.saveSimpleKey()
    this.isKeyAllowed = false
    const { chars } = this
    const from = chars.at
    if (letter === '*' || letter === '&') {
      const name = scanAnchor(chars)
      this.tokens.add({ kind: letter === '*' ? 'alias' : 'anchor', name, from, to: chars.at })
    } else if (letter === '!') {
      const tag = scanTag(chars)
      this.tokens.add({ kind: 'tag', tag, from, to: chars.at })
    } else if (letter === '"' || letter === "'") this.addScalar(this.isJson ? scanJsonString(chars) : scanQuoted(chars))
    else {
      const { endsLine, ...scalar } = scanPlain(chars, this.indent + 1, this.inFlow)
      if (endsLine) this.isKeyAllowed = true
      this.addScalar(scalar)
    }
  }

  private addScalar(scalar: ScannedScalar): void {
    this.tokens.add({ kind: 'scalar', scalar, from: scalar.from, to: scalar.to })
  }
}
