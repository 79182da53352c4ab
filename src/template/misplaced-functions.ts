import { actionsOf, type Term, termsOf } from './template-actions'
import type { TemplateFault } from './template-fault'

/** Functions that need arguments, and that people write between two values as other languages do. */
const functions: ReadonlySet<string> = new Set(['and', 'or', 'not', 'eq', 'ne', 'lt', 'le', 'gt', 'ge'])

/** Words before the terms of an action. */
const openers: ReadonlySet<string> = new Set(['if', 'else', 'with', 'range', 'include', 'template'])

const separators: ReadonlySet<string> = new Set(['|', ':=', '=', ','])

/**
 * Functions without arguments among those of another: `if eq .a "x" and eq .b "y"`, where `and` belongs before both.
 * https://pkg.go.dev/text/template#hdr-Functions
 */
export function misplacedFunctionsIn(template: string): TemplateFault[] {
  return actionsOf(template).flatMap(({ from, to, words }) => {
    // One of several lines is mostly text of another language that has two braces.
    return template.slice(from, to).includes('\n') ? [] : faultsIn(termsOf(words))
  })
}

function faultsIn(terms: readonly Term[]): TemplateFault[] {
  // The term that the others are arguments of.
  let start: Term | undefined
  return terms.flatMap((term) => {
    if ('group' in term) {
      start ??= term
      return faultsIn(term.group)
    }
    const { text, from } = term
    if (openers.has(text) || separators.has(text)) {
      start = undefined
      return []
    }
    const isOperand = start !== undefined && !isValue(start) && functions.has(text)
    start ??= term
    if (!isOperand) return []
    return {
      message: 'operand' as const,
      from,
      written: text,
      text: `Helm cannot render this line, because \`${text}\` comes between values, and it is a function that takes them from behind it. Each release that reaches the line fails. Write it first, with each condition in parentheses: \`and (eq .a "x") (eq .b "y")\`.`,
    }
  })
}

/** Whether a term is a value, whose arguments are a fault of their own. */
function isValue(term: Term): boolean {
  return 'text' in term && /^\$?\.(?:Values|Release)\b/.test(term.text)
}
