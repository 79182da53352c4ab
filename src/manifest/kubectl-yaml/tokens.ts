import type { ScannedScalar } from './scalars'
import type { Directive, ScannedTag } from './tags'

/** A token of YAML without text of its own. */
export type Mark =
  | 'stream end'
  | 'document start'
  | 'document end'
  | 'block sequence start'
  | 'block mapping start'
  | 'block end'
  | 'flow sequence start'
  | 'flow sequence end'
  | 'flow mapping start'
  | 'flow mapping end'
  | 'block entry'
  | 'flow entry'
  | 'key'
  | 'value'

/** A token of YAML, from its first character to the one after its last. */
export type Token = { readonly from: number; readonly to: number } & (
  | { readonly kind: Mark }
  | { readonly kind: 'alias' | 'anchor'; readonly name: string }
  | { readonly kind: 'tag'; readonly tag: ScannedTag }
  | { readonly kind: 'directive'; readonly directive: Directive }
  | { readonly kind: 'scalar'; readonly scalar: ScannedScalar }
)

/** The tokens that were scanned and not yet taken. Each has a number, which counts from the first of the text. */
export class TokenQueue {
  private readonly tokens: Token[] = []
  private head = 0
  private taken = 0

  get isEmpty(): boolean {
    return this.head === this.tokens.length
  }

  /** The token that is taken next. */
  get first(): Token | undefined {
    return this.tokens[this.head]
  }

  get firstNumber(): number {
    return this.taken
  }

  /** The number that the next token gets which is added. */
  get nextNumber(): number {
    return this.taken + this.tokens.length - this.head
  }

  add(token: Token): void {
    this.tokens.push(token)
  }

  /** Puts a token before the one of this number; at the end, if that one was taken. */
  insert(token: Token, number: number): void {
    const isTaken = number < this.taken
    this.tokens.splice(isTaken ? this.tokens.length : number - this.taken + this.head, 0, token)
  }

  takeFirst(): void {
    this.head++
    this.taken++
    if (!this.isEmpty) return
    this.tokens.length = 0
    this.head = 0
  }
}
