/** An action of a template: `{{ if .Values.enabled }}`, without comments. */
export interface Action {
  /** The start and the end of its words in the text. */
  readonly from: number
  readonly to: number
  readonly words: readonly Word[]
}

/** A word of an action: a name, a path of fields, a string with its quotes, or a mark such as `(` and `|`. */
export interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** The words that begin a block, which an `end` closes. https://pkg.go.dev/text/template#hdr-Actions */
export const blockWords: ReadonlySet<string> = new Set(['if', 'range', 'with', 'define', 'block'])

const marks = '()|,'

/** The actions of a template, in their order. https://pkg.go.dev/text/template */
export function actionsOf(template: string): Action[] {
  const actions: Action[] = []
  for (let at = template.indexOf('{{'); at !== -1; at = template.indexOf('{{', at)) {
    at += 2
    const isTrimmed = template.charAt(at) === '-' && isSpace(template.charAt(at + 1))
    const from = isTrimmed ? at + 1 : at
    let start = from
    while (isSpace(template.charAt(start))) start++
    if (template.startsWith('/*', start)) {
      const end = template.indexOf('*/', start)
      if (end === -1) break
      at = end + 2
      continue
    }
    const words = wordsFrom(template, from)
    const last = words.at(-1)
    at = words.length > 0 ? (last?.to ?? from) : from
    // The dash that trims the space after the action.
    const isDash = last?.text === '-'
    const own = shallow(isDash ? words.slice(0, -1) : words)
    if (own.length > 0) actions.push({ from, to: own.at(-1)?.to ?? from, words: own })
  }
  return actions
}

/** The most parentheses in one another that are read: people write a few, and readers of groups call themselves. */
const deepest = 100

/** The words of an action; those outside of parentheses where these are in one another too often. */
function shallow(words: readonly Word[]): readonly Word[] {
  let depth = 0
  const depths = words.map(({ text }) => {
    if (text === '(') depth++
    return text === ')' ? depth-- : depth
  })
  return depths.some((one) => one > deepest) ? words.filter((_, at) => (depths[at] ?? 0) <= 0) : words
}

function wordsFrom(template: string, from: number): Word[] {
  const words: Word[] = []
  let at = from
  while (at < template.length && !template.startsWith('}}', at)) {
    const letter = template.charAt(at)
    if (isSpace(letter)) {
      at++
      continue
    }
    const start = at
    if (letter === '"' || letter === "'" || letter === '`') at = endOfString(template, at)
    else if (marks.includes(letter)) at++
    else if (template.startsWith(':=', at)) at += 2
    else if (letter === '=') at++
    else while (at < template.length && !isEndOfWord(template, at)) at++
    if (at === start) at++
    words.push({ text: template.slice(start, at), from: start, to: at })
  }
  return words
}

function endOfString(template: string, from: number): number {
  const quote = template.charAt(from)
  for (let at = from + 1; at < template.length; at++) {
    if (template.charAt(at) === quote) return at + 1
    if (template.charAt(at) === '\\' && quote !== '`') at++
  }
  return template.length
}

function isEndOfWord(template: string, at: number): boolean {
  const letter = template.charAt(at)
  return (
    isSpace(letter) ||
    `${marks}"'\`=`.includes(letter) ||
    template.startsWith(':=', at) ||
    template.startsWith('}}', at)
  )
}

function isSpace(letter: string): boolean {
  return letter === ' ' || letter === '\n' || letter === '\t' || letter === '\r'
}

/** The words of an action, grouped by their parentheses. */
export type Term = Word | { readonly group: readonly Term[]; readonly from: number; readonly to: number }

export function termsOf(words: readonly Word[]): Term[] {
  let at = 0
  const read = (isInside: boolean): Term[] => {
    const terms: Term[] = []
    while (at < words.length) {
      const word = words[at]
      if (!word) break
      at++
      if (word.text === ')') {
        if (isInside) break
        continue
      }
      if (word.text !== '(') {
        terms.push(word)
        continue
      }
      const group = read(true)
      terms.push({ group, from: word.from, to: words[at - 1]?.to ?? word.to })
    }
    return terms
  }
  return read(false)
}
