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
  if (given === wanted.length || (end !== -1 && isDropped(after.slice(end)))) return []
  const effect =
    given < wanted.length
      ? `and Go writes \`%!${wanted[given]}(MISSING)\` in place of what is not there`
      : `and Go writes \`%!(EXTRA …)\` behind it for the others`
  return [
    {
      message: 'format',
      from: format.from,
      written: `printf ${format.text} ${given}`,
      text: `The format ${format.text} asks for ${counted(wanted.length)}, and this \`printf\` gets ${given}, ${effect}, so the API server refuses a name or a host of this text. Write one value for each \`%\` of the format.`,
    },
  ]
}

/**
 * Whether a text is piped into a `default` that has a value already: it takes the first after the default, and drops what comes
 * behind it. https://github.com/Masterminds/sprig/blob/v3.3.0/defaults.go, `dfault`
 */
function isDropped([pipe, called, ...after]: readonly Term[]): boolean {
  const isWord = (term: Term | undefined, text: string) => term !== undefined && 'text' in term && term.text === text
  if (!isWord(pipe, '|') || !isWord(called, 'default')) return false
  const end = after.findIndex((one) => 'text' in one && ends.has(one.text))
  return (end === -1 ? after : after.slice(0, end)).filter((one, index) => one.from !== after[index - 1]?.to).length > 1
}

const ends = new Set(['|', ')', ',', ':=', '='])

/** The verbs of a format, which ask for one value each; undefined where it is a sentence, no plain text, or counts them itself. */
function verbsIn(format: string): string[] | undefined {
  if (!/^["`]\S*$/.test(format) || /%[^a-zA-Z%]*[*[]/.test(format)) return undefined
  return [...format.matchAll(/%[-+# 0-9.]*([a-zA-Z%])/g)].flatMap(([, verb]) => (verb && verb !== '%' ? [verb] : []))
}

function counted(values: number): string {
  return values === 1 ? 'one value' : `${values} values`
}
