import { actionsOf, type Word } from './template-actions'
import type { TemplateFault } from './template-fault'

/** Values that are called like a function, or read as its field: `range $.Values "issuers"`, `default.Values.host`. */
export function calledValuesIn(template: string): TemplateFault[] {
  return actionsOf(template).flatMap(({ words }) =>
    words.flatMap((word, at) => [...callAt(words, at, word), ...fieldOfFunction(word)]),
  )
}

/** Words after which a value is not an argument of another function. */
const starts = new Set(['if', 'with', 'range', '(', '|', ':=', '='])
/** Words that are no argument of the value before them. */
const ends = new Set([')', '|', ',', ':=', '='])

function callAt(words: readonly Word[], at: number, { text: value, from }: Word): TemplateFault[] {
  const before = words[at - 1]?.text
  const argument = words[at + 1]?.text
  if (!/^\$?\.(?:Values|Release)(?:\.\w+)*$/.test(value)) return []
  if (argument === undefined || ends.has(argument) || (before !== undefined && !starts.has(before))) return []
  const shown = argument === '(' ? 'an expression in parentheses' : argument
  return [
    {
      message: 'called',
      from,
      written: `${value} ${argument}`,
      text: `Helm cannot render this line, because ${value} is a value and no function, but ${shown} follows it as an argument. Each release that reaches the line fails. Write the function first (\`index\`, \`and\`, \`default\`), or \`|\` before ${shown}.`,
    },
  ]
}

/** Words of the language, which need no blank after them. */
const keywords = new Set(['if', 'with', 'range'])

function fieldOfFunction({ text, from }: Word): TemplateFault[] {
  const [, name, value] = /^([a-z]\w*)(\.(?:Values|Release|Chart)\b.*)$/.exec(text) ?? []
  if (name === undefined || keywords.has(name)) return []
  return [
    {
      message: 'called',
      from,
      written: text,
      text: `Helm cannot render this line, because without a blank before it ${value} is read as a field of the function \`${name}\`, which has none. Each release that reaches the line fails. Write \`${name} ${value}\`.`,
    },
  ]
}
