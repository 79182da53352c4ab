import { actionsOf, type Term, termsOf } from './template-actions'
import type { TemplateFault } from './template-fault'

/**
 * Calls of `printf` whose format asks for another number of values than it gets: Go writes `%!s(MISSING)` or
 * `%!(EXTRA string=web)` into the text, which is part of no name. https://pkg.go.dev/fmt#hdr-Format_errors
 */
export function misformattedTextsIn(template: string): TemplateFault[] {
  return actionsOf(template).flatMap(({ words }) => faultsIn(termsOf(words)))
}

function faultsIn(terms: readonly Term[]): TemplateFault[] {
  return terms.flatMap((term, at) => {
    if ('group' in term) return faultsIn(term.group)
    return term.text === 'printf' ? faultOf(terms, at) : []
  })
}

function faultOf(terms: readonly Term[], at: number): TemplateFault[] {
  const [format, ...after] = terms.slice(at + 1)
  const wanted = format && 'text' in format ? verbsIn(format.text) : undefined
  if (!format || !('text' in format) || wanted === undefined) return []
  const end = after.findIndex((one) => 'text' in one && ends.has(one.text))
  // The field of an expression in parentheses comes right behind it: `(semver .a).Major`.
  const values = (end === -1 ? after : after.slice(0, end)).filter((one, index) => one.from !== after[index - 1]?.to)
  const before = terms[at - 1]
  // A pipe gives its value as the last one.
  const piped = before && 'text' in before && before.text === '|' ? 1 : 0
  const given = values.length + piped
  if (given === wanted) return []
  const effect =
    given < wanted
      ? `and Go writes \`%!s(MISSING)\` in place of what is not there`
      : `and Go writes \`%!(EXTRA …)\` behind it for the others`
  return [
    {
      message: 'format',
      from: format.from,
      written: `printf ${format.text} ${given}`,
      text: `The format ${format.text} asks for ${counted(wanted)}, and this \`printf\` gets ${given}, ${effect}, so the API server refuses a name or a host of this text. Write one value for each \`%\` of the format.`,
    },
  ]
}

const ends = new Set(['|', ')', ',', ':=', '='])

/** The values that a format asks for; undefined where it is a sentence, no plain text, or counts them itself. */
function verbsIn(format: string): number | undefined {
  if (!/^["`]\S*$/.test(format) || /%[^a-zA-Z%]*[*[]/.test(format)) return undefined
  return [...format.matchAll(/%[-+# 0-9.]*([a-zA-Z%])/g)].filter(([, verb]) => verb !== '%').length
}

function counted(values: number): string {
  return values === 1 ? 'one value' : `${values} values`
}
