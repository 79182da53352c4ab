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
  for (const { words } of actionsOf(template)) {
    const [first] = words
    if (first?.text === 'end') asked.pop()
    else if (first?.text === 'else') asked.splice(-1, 1, [...(asked.at(-1) ?? []), ...valuesIn(words)])
    else if (blockWords.has(first?.text ?? '')) asked.push(valuesIn(words))
    else if (!words.some(({ text }) => text === ':=' || text === '=')) {
      const given = words.filter(({ text }) => isValue(text))
      const isPlain = words.every(
        ({ text }) => isValue(text) || forms.has(text) || /^(?:[|()]|-?\d+|"[^"]*")$/.test(text),
      )
      const [one] = given
      const value = one && keysOf(one.text)
      if (isPlain && given.length === 1 && one && value && !asked.flat().some((other) => isRelated(other, value)))
        found.push({ value, from: one.from })
    }
  }
  return found
}

function valuesIn(words: readonly Word[]): string[] {
  return words.flatMap(({ text }) => (isValue(text) ? [keysOf(text)] : []))
}

function isValue(text: string): boolean {
  return /^\$?\.Values\.\w[\w.]*$/.test(text)
}

function keysOf(text: string): string {
  return text.slice(text.indexOf('.Values.') + '.Values.'.length)
}

/** Whether one of two values is the other, or is in it. */
function isRelated(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`)
}
