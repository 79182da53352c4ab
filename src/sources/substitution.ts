import { parseDocument } from 'yaml'
import { entryOf } from '../entry'
import { type Expression, evaluated, hasDefault, readExpression } from './envsubst'

/**
 * Replaces Flux's variables in a rendered object: `${name}`, `${name:=default}`, and the string functions of bash that
 * Flux has; `$$` is a `$`. https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution
 *
 * An unknown name stays as written: the content of a Secret in the cluster is unknown, and an empty string would look like
 * a real value. So does an expression that Flux refuses.
 */
export function substituted(text: string, substitutions: Readonly<Record<string, string>> | undefined): string {
  if (!substitutions || !text.includes('$') || isLeftAlone(text)) return text
  const lookUp = (name: string) => entryOf(substitutions, name)?.replaceAll('\n', '')
  return filledIn(text, (expression) => expression && evaluated(expression, lookUp))
}

/** A variable that has neither a known value nor a default. */
export interface OpenVariable {
  readonly name: string
  /** Whether the same text has it escaped, too: filled in, both look the same. */
  readonly escaped?: true
}

/** The variables in a text that have neither a known value nor a default. */
export function openIn(
  text: string,
  substitutions: Readonly<Record<string, string>> | undefined,
): readonly OpenVariable[] {
  if (!substitutions || !text.includes('${') || isLeftAlone(text)) return []
  const found = new Set<string>()
  filledIn(text, (expression) => {
    if (expression && !hasDefault(expression) && !Object.hasOwn(substitutions, expression.name))
      found.add(expression.name)
    return undefined
  })
  return [...found].map((name) => (text.includes(`$\${${name}`) ? { name, escaped: true } : { name }))
}

/** @param fill the text in place of an expression; undefined leaves it */
function filledIn(text: string, fill: (expression: Expression | undefined) => string | undefined): string {
  // After the last brace nothing can be closed.
  const last = text.lastIndexOf('}')
  let filled = ''
  let place = 0
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', place)) {
    filled += text.slice(place, at)
    if (text[at + 1] === '{' && at < last) {
      const { expression, end } = readExpression(text, at)
      filled += fill(expression) ?? text.slice(at, end)
      place = end
    } else {
      filled += '$'
      place = at + (text[at + 1] === '$' ? 2 : 1)
    }
  }
  return filled + text.slice(place)
}

/** An object may opt out of substitution. */
function isLeftAlone(text: string): boolean {
  if (!text.includes('kustomize.toolkit.fluxcd.io/substitute')) return false
  const document = parseDocument(text, { logLevel: 'silent', version: '1.1' })
  return ['annotations', 'labels'].some(
    (field) => document.getIn(['metadata', field, 'kustomize.toolkit.fluxcd.io/substitute']) === 'disabled',
  )
}
