/**
 * Whether text has the marks of a template outside quotes and comments: `{{` or `{%`. One that begins in quotes and
 * ends after them is outside: `"{{ index .Items "key" }}"` is filled in before anything reads the quotes.
 */
export function holdsTemplate(text: string): boolean {
  return text.split('\n').some(lineHoldsTemplate)
}

function lineHoldsTemplate(line: string): boolean {
  let mayClose = true
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]
    if (letter === '#' && (at === 0 || /\s/.test(line[at - 1] ?? ''))) return false
    if (letter === '{' && (line[at + 1] === '{' || line[at + 1] === '%')) return true
    if (letter === "'") {
      const end = line.indexOf("'", at + 1)
      if (isOpenBetween(line, at, end)) return true
      if (end !== -1) at = end
    } else if (letter === '"' && mayClose) {
      const end = endOfQuoted(line, at)
      // If this quote has no end, no later quote of the line has one.
      if (end === undefined) mayClose = false
      else if (isOpenBetween(line, at, end)) return true
      else at = end
    }
  }
  return false
}

function isOpenBetween(line: string, start: number, end: number): boolean {
  const quoted = line.slice(start, Math.max(start, end))
  return quoted.lastIndexOf('{{') > quoted.lastIndexOf('}}') || quoted.lastIndexOf('{%') > quoted.lastIndexOf('%}')
}

function endOfQuoted(line: string, start: number): number | undefined {
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === '"') return at
  }
  return undefined
}

/** Whether a word of an object's identity contains a mark. */
export function isMarked(word: string): boolean {
  return word.includes('{{') || word.includes('{%')
}
