import { actionsOf, blockWords, type Word } from './template-actions'

/** A value that a template writes as it is. */
export interface WrittenValue {
  /** `service.port` */
  readonly value: string
  /** Where it begins in the template. */
  readonly from: number
}

/** Functions that only give a value another form: nothing comes of nothing. */
const forms = new Set(
  'b64enc htmlEscape indent int int64 join lower nindent quote replace squote toJson toString toYaml toYamlPretty trim trimSuffix trunc upper'.split(
    ' ',
  ),
)

/**
 * The values that a template writes, without a default and in no block that asks for them: if one is not set, there is a gap
 * in what helm makes.
 */
export function writtenValuesIn(template: string): WrittenValue[] {
  const asked: string[][] = []
  const found: WrittenValue[] = []
  const variables = new Map<string, string>()
  const read = ({ text }: Word) => valueIn(text, variables)
  const valuesIn = (words: readonly Word[]) => words.flatMap((word) => read(word) ?? [])
  for (const { words } of actionsOf(template)) {
    const [first, second, ...operands] = words
    if (first?.text === 'end') asked.pop()
    else if (first?.text === 'else') asked.splice(-1, 1, [...(asked.at(-1) ?? []), ...valuesIn(words)])
    else if (blockWords.has(first?.text ?? '')) asked.push(valuesIn(words))
    else if (first && (second?.text === ':=' || second?.text === '=')) {
      const [value] = operands.length === 1 ? valuesIn(operands) : []
      if (value === undefined) variables.delete(first.text)
      else variables.set(first.text, value)
    } else {
      const given = words.filter((word) => read(word) !== undefined)
      const isPlain = words.every(
        (word) => read(word) !== undefined || forms.has(word.text) || /^(?:[|()]|-?\d+|"[^"]*")$/.test(word.text),
      )
      const [one] = given
      const value = one && read(one)
      if (isPlain && given.length === 1 && value && !asked.flat().some((other) => isRelated(other, value)))
        found.push({ value, from: one.from })
    }
  }
  return found
}

/** `service.port` for `.Values.service.port`, and for `$service.port` where the variable is `.Values.service`. */
function valueIn(text: string, variables: ReadonlyMap<string, string>): string | undefined {
  if (/^\$?\.Values\.\w[\w.]*$/.test(text)) return text.slice(text.indexOf('.Values.') + '.Values.'.length)
  const [, name = '', rest = ''] = /^(\$\w+)(\.\w[\w.]*)$/.exec(text) ?? []
  const value = variables.get(name)
  return value === undefined ? undefined : `${value}${rest}`
}

/** Whether one of two values is the other, or is in it. */
function isRelated(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`)
}
