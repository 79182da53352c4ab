import type { Word } from './template-actions'

/** An expression of a template, as far as conditions are read. */
export type Expression =
  /** A value of the chart: `.Values.ingress.enabled`. */
  | { readonly kind: 'value'; readonly path: readonly string[] }
  | { readonly kind: 'text'; readonly text: string }
  /** Whether the cluster has an API: `.Capabilities.APIVersions.Has "route.openshift.io/v1"`. */
  | { readonly kind: 'api'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly operands: readonly Expression[] }
  /** Anything else: the version of the cluster, named templates, variables. */
  | { readonly kind: 'other' }

const other: Expression = { kind: 'other' }

/** Functions of one operand that give it back as a text. */
const asText = new Set(['toString', 'trim'])

/** Functions that give a value of a map by its key: `index .Values.a "b-c"`, which is `.Values.a.b-c`. */
const ofKey = new Set(['index', 'get'])

/** The value that keys lead to from another one; undefined where one of them is not written as a text. */
function itemOf([map, ...keys]: readonly Expression[]): Expression | undefined {
  const names = keys.flatMap((key) => (key.kind === 'text' ? [key.text] : []))
  if (map?.kind !== 'value' || names.length === 0 || names.length < keys.length) return undefined
  return { kind: 'value', path: [...map.path, ...names] }
}

/**
 * Reads the expression of a condition: `and .Values.a.enabled (eq .Values.b "x")`.
 *
 * @param words those after `if`, `else if` or `with`
 * @param namedBy the value that a word names, or what a variable holds, if it is known
 */
export function expressionOf(words: readonly Word[], namedBy: (word: string) => Expression | undefined): Expression {
  let at = 0
  const text = () => words[at]?.text
  const isEnd = () => at >= words.length || text() === ')' || text() === '|'

  function pipeline(): Expression {
    let expression = command()
    while (text() === '|') {
      at++
      const next = command()
      const name = next.kind === 'call' ? next.name : undefined
      if (name === undefined) expression = other
      else if (!asText.has(name) && next.kind === 'call')
        expression = { ...next, operands: [...next.operands, expression] }
    }
    return expression
  }

  function command(): Expression {
    const name = text() ?? ''
    if (/^\$?\.Capabilities\.APIVersions\.Has$/.test(name)) {
      at++
      const api = operand()
      return api.kind === 'text' ? { kind: 'api', name: api.text } : other
    }
    if (!/^[a-zA-Z]\w*$/.test(name) || name === 'true' || name === 'false' || name === 'nil') {
      const first = operand()
      // A value takes no operands.
      while (!isEnd()) operand()
      return first
    }
    at++
    const operands: Expression[] = []
    while (!isEnd()) operands.push(operand())
    const [only] = operands
    if (asText.has(name) && operands.length === 1 && only) return only
    return (ofKey.has(name) ? itemOf(operands) : undefined) ?? { kind: 'call', name, operands }
  }

  function operand(): Expression {
    const word = words[at]
    at++
    if (!word) return other
    if (word.text === '(') {
      const inner = pipeline()
      const closing = words[at]
      at++
      return fieldOf(inner, closing)
    }
    if (/^["`]/.test(word.text)) return { kind: 'text', text: word.text.slice(1, -1) }
    return namedBy(word.text) ?? other
  }

  /** `(.Values.a).b`: the value b of a, where a may be missing. */
  function fieldOf(inner: Expression, closing: Word | undefined): Expression {
    const next = words[at]
    if (!next?.text.startsWith('.') || next.text === '.' || next.from !== closing?.to) return inner
    at++
    return inner.kind === 'value' ? { kind: 'value', path: [...inner.path, ...next.text.slice(1).split('.')] } : other
  }

  return pipeline()
}
