/** Whether a text is one JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * The end of the JSON value that begins at a place, if it is one: its brackets are counted, and nothing else is
 * checked.
 */
export function endOfJson(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (inString) {
      if (letter === '\\') at++
      else if (letter === '"') inString = false
      if (!inString && depth === 0) return at + 1
    } else if (letter === '"') inString = true
    else if (letter === '{' || letter === '[') depth++
    else if (letter === '}' || letter === ']') {
      depth--
      if (depth <= 0) return at + 1
    } else if (depth === 0) {
      // A value outside brackets ends where its own grammar ends: `2-1` is two numbers.
      const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y
      scalar.lastIndex = at
      return at + (scalar.exec(text)?.[0].length ?? 0)
    }
  }
  return text.length
}

/** The end of the blanks that JSON allows between values. */
export function endOfBlanks(text: string, start: number): number {
  let at = start
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++
  return at
}
