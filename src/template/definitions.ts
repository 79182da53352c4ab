import { type Action, actionsOf, blockWords } from './template-actions'

/** A named template that a file defines. */
export interface Definition {
  readonly name: string
  /** The start of its first action and that of its `end`. */
  readonly from: number
  readonly to: number
}

/** The named templates that a text defines to include elsewhere, not those of a `block`, which is written in its place. */
export function definitionsIn(text: string): Definition[] {
  const found: Definition[] = []
  const open: Action[] = []
  for (const action of actionsOf(text)) {
    const [word, name] = action.words
    if (word && blockWords.has(word.text)) open.push(action)
    if (word?.text !== 'end') continue
    const [start, called] = open.pop()?.words ?? []
    if (start?.text === 'define' && called && isLiteral(called.text) && !name)
      found.push({ name: called.text.slice(1, -1), from: start.from, to: action.from })
  }
  return found
}

/** Whether a template includes another one by a name that is not written: `include $name .`, `include (printf …) .`. */
export function includesByVariable(text: string): boolean {
  return actionsOf(text).some(({ words }) =>
    words.some(({ text: word }, at) => {
      const next = words[at + 1]
      // Helm names a file so, as in checksums of a ConfigMap: `include (print $.Template.BasePath "/config.yaml") .`.
      const isFile = next?.text === '(' && words[at + 3]?.text.endsWith('.Template.BasePath') === true
      const isWritten = isFile || (next !== undefined && isLiteral(next.text))
      return (word === 'include' || (word === 'template' && at === 0)) && !isWritten
    }),
  )
}

function isLiteral(word: string): boolean {
  return ['"', '`'].some((mark) => word.length > 2 && word.startsWith(mark) && word.endsWith(mark))
}
