/** The reason and place where kubectl's parser refuses a document. */
export class Refusal extends Error {
  constructor(
    readonly reason: string,
    readonly from: number,
    readonly to = from + 1,
  ) {
    super(reason)
  }
}

/** The place where parsing stops because of nesting, although kubectl's parser might continue. */
export class TooDeep extends Refusal {
  constructor(from: number) {
    super('it is nested too deeply', from)
  }
}

/** A character by its code; 0 is the end of the text. */
export const char = {
  end: 0,
  tab: 0x09,
  lineFeed: 0x0a,
  return: 0x0d,
  space: 0x20,
  nextLine: 0x85,
  lineSeparator: 0x2028,
  paragraphSeparator: 0x2029,
} as const

export function isBlank(code: number): boolean {
  return code === char.space || code === char.tab
}

/** YAML 1.1 has more line breaks than line feed and carriage return. */
export function isBreak(code: number): boolean {
  return (
    code === char.lineFeed ||
    code === char.return ||
    code === char.nextLine ||
    code === char.lineSeparator ||
    code === char.paragraphSeparator
  )
}

export function isBreakOrEnd(code: number): boolean {
  return code === char.end || isBreak(code)
}

export function isBlankOrEnd(code: number): boolean {
  return isBlank(code) || isBreakOrEnd(code)
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** A letter, a digit, `_` or `-`: the characters of anchors and tags. */
export function isWord(code: number): boolean {
  return (
    isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || code === 0x2d
  )
}

/** A place in a text, with its line and column as libyaml counts them. */
export class Characters {
  line = 0
  private lineStart: number

  constructor(
    readonly text: string,
    public at: number,
  ) {
    this.lineStart = at
  }

  get column(): number {
    return this.at - this.lineStart
  }

  code(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead) || char.end
  }

  is(text: string, ahead = 0): boolean {
    return this.text.startsWith(text, this.at + ahead)
  }

  /** Passes one character that is no line break; a pair of surrogates is one column. */
  skip(count = 1): void {
    for (let left = count; left > 0; left--) {
      if ((this.code() & 0xfc00) === 0xdc00) this.lineStart++
      this.at++
    }
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.skip()
  }

  skipComment(): void {
    if (this.is('#')) while (!isBreakOrEnd(this.code())) this.skip()
  }

  /** Skips one line break, and returns its meaning in a value. */
  takeBreak(): string {
    const code = this.code()
    // kubectl's line reader removes one carriage return before a line feed.
    this.at += this.is('\r\r\n') ? 3 : this.is('\r\n') ? 2 : 1
    this.line++
    this.lineStart = this.at
    return code === char.lineSeparator || code === char.paragraphSeparator ? String.fromCharCode(code) : '\n'
  }

  /** Whether `---` or `...` is alone here at the start of a line. */
  atDocumentMark(mark?: '---' | '...'): boolean {
    if (this.column !== 0 || !isBlankOrEnd(this.code(3))) return false
    return mark ? this.is(mark) : this.is('---') || this.is('...')
  }

  /** The text since a place. */
  since(from: number): string {
    return this.text.slice(from, this.at)
  }
}
