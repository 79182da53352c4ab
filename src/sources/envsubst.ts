import { applied } from './envsubst-functions'

/** `${name}`, or `${name` with an operator and its arguments. */
export interface Expression {
  readonly name: string
  /** As written: `:-`, `//`, `#`; empty for `${name}` alone. */
  readonly operator: string
  readonly args: readonly (string | Expression)[]
  readonly written: string
}

/** Deeper than any default is written. */
const maxDepth = 1000

/**
 * Reads the expression at a place of a text, as Flux does (a fork of drone/envsubst):
 * https://github.com/fluxcd/pkg/blob/envsubst/v1.7.0/envsubst/parse/parse.go
 *
 * @param at the place of its `$`
 * @returns the place after it; for text that Flux refuses, such as `${a.b}`, no expression and the place of the error
 */
export function readExpression(text: string, at: number): { expression: Expression | undefined; end: number } {
  const reader = new ExpressionReader(text, at)
  const expression = reader.expression(0)
  return { expression, end: reader.place }
}

/** Whether an expression says what takes the place of a value that is not set. */
export function hasDefault({ operator }: Expression): boolean {
  return /^:?[-=?+]$/.test(operator)
}

/**
 * The text that an expression is replaced by.
 *
 * @returns undefined where it needs a value that is not known
 */
export function evaluated(expression: Expression, lookUp: (name: string) => string | undefined): string | undefined {
  const { name, operator, args } = expression
  // Flux fills arguments in first, also those it does not need.
  const filled = args.map((arg) => (typeof arg === 'string' ? arg : (evaluated(arg, lookUp) ?? arg.written)))
  const value = lookUp(name)
  return value === undefined && !hasDefault(expression) ? undefined : applied(operator, value ?? '', filled)
}

class ExpressionReader {
  constructor(
    private readonly text: string,
    public place: number,
  ) {}

  /** Each branch is one of Flux's `parse…Func`, with the same characters where an argument ends. */
  expression(depth: number): Expression | undefined {
    const start = this.place
    if (depth > maxDepth) return undefined
    this.place += 2
    const length = this.take(/#/y)
    const name = this.take(/[\p{L}\p{Nd}_]+/uy)
    if (name === '') return undefined
    const [operator, args] = length === '' ? this.operation(depth) : [length, []]
    if (!args || this.take(/\}/y) === '') return undefined
    return { name, operator, args, written: this.text.slice(start, this.place) }
  }

  private operation(depth: number): [operator: string, args: Expression['args'] | undefined] {
    const fallback = this.take(/:[-=?+]|=/y)
    if (fallback !== '') return [fallback, this.words(depth)]
    const part = this.take(/:/y)
    if (part !== '') return [part, this.positions(depth)]
    const removed = this.take(/##?|%%?/y)
    if (removed !== '') return [removed, this.one(depth, /[^}]/u)]
    const replaced = this.take(/\/[/#%]?/y)
    if (replaced !== '') return [replaced, this.replacement(depth)]
    return [this.take(/[,^]{1,2}/y), []]
  }

  /** A default, which may hold expressions. */
  private words(depth: number): Expression['args'] | undefined {
    const args: (string | Expression)[] = []
    while (this.text[this.place] !== '}') {
      const next = this.argument(depth, /[^}]/u)
      if (next === undefined) return undefined
      args.push(next)
    }
    return args
  }

  private positions(depth: number): Expression['args'] | undefined {
    const from = this.argument(depth, /[^:}]/u)
    if (from === undefined || this.take(/:+/y) === '') return from === undefined ? undefined : [from]
    const length = this.argument(depth, /[^}]/u)
    return length === undefined ? undefined : [from, length]
  }

  private replacement(depth: number): Expression['args'] | undefined {
    const sought = this.argument(depth, /[^/]/u, true)
    if (sought === undefined || this.take(/\/+/y) === '') return undefined
    if (this.text[this.place] === '}') return [sought]
    const by = this.argument(depth, /[^}]/u, true)
    return by === undefined ? undefined : [sought, by]
  }

  private one(depth: number, accepted: RegExp): Expression['args'] | undefined {
    const arg = this.argument(depth, accepted)
    return arg === undefined ? undefined : [arg]
  }

  /** An expression, or the characters up to one. */
  private argument(depth: number, accepted: RegExp, isEscaped = false): string | Expression | undefined {
    if (this.isExpression()) return this.expression(depth + 1)
    let word = ''
    while (this.place < this.text.length && !this.isExpression()) {
      const escaped = isEscaped ? this.take(/\$(?=\$)|\\(?=[/\\])/y) : ''
      const char = this.text[this.place] ?? ''
      if (escaped === '' && !accepted.test(char)) break
      word += char
      this.place++
    }
    return word === '' ? undefined : word
  }

  private isExpression(): boolean {
    return this.text.startsWith('${', this.place)
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.place
    const [taken = ''] = pattern.exec(this.text) ?? []
    this.place += taken.length
    return taken
  }
}
