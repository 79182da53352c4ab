/**
 * Whether a YAML or JSON text may contain a word, in any spelling. A search of the raw text misses spellings that a
 * parser reads: double quotes take escapes (`"argoproj.io\x2fv1alpha1"`, `"\u0041pplication"`) and continue after a
 * backslash at the end of a line, and `!!binary` takes base64. Anchors, aliases and merge keys hide nothing, because
 * their content is in the same document.
 *
 * This finds candidates to parse; the parsed fields decide what an object is.
 */
export function mentions(text: string, word: string): boolean {
  if (text.includes(word)) return true
  if (holdsBinary(text)) return true
  return spelledOut(text).includes(word)
}

/** Whether a text has a name that is not a part of a longer one. */
export function mentionsWhole(text: string, name: string): boolean {
  return text.split(name).some((before, index, parts) => isWhole(before, parts[index + 1]))
}

/** Whether a value, or one in it, is a text that has a name that is not a part of a longer one. */
export function namesWhole(value: unknown, name: string): boolean {
  if (typeof value === 'string') return mentionsWhole(value, name)
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => namesWhole(one, name))
}

/** Whether a name between two texts is no part of a longer one; no text after it means that there is no name. */
export function isWhole(before: string, after: string | undefined): boolean {
  return after !== undefined && !/[\w.-]$/.test(before) && !/^[\w.-]/.test(after)
}

/** Whether a text may contain one of some words. */
export function mentionsOneOf(text: string, words: readonly string[] | ReadonlySet<string>): boolean {
  let isEmpty = true
  for (const word of words) {
    if (text.includes(word)) return true
    isEmpty = false
  }
  if (isEmpty) return false
  if (holdsBinary(text)) return true
  const plain = spelledOut(text)
  if (plain === text) return false
  for (const word of words) if (plain.includes(word)) return true
  return false
}

/**
 * A tag may be written `!!binary`, in full, with some of its letters as `%62`, or behind a handle that `%TAG` declares.
 */
export function holdsBinary(text: string): boolean {
  return text.includes('!') && (text.includes('%TAG') || /![^\s!]*(?:binary|%[0-9A-Fa-f])/.test(text))
}

const escaped =
  /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(\/)|(?:\r\n|[\r\n\u0085\u2028\u2029])[ \t]*)/g

/** A text in which the escapes of word characters in double quotes are replaced by those characters. */
export function spelledOut(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(escaped, (_, x?: string, u?: string, long?: string, slash?: string) => {
    const code = x ?? u ?? long
    if (code === undefined) return slash ?? ''
    const point = Number.parseInt(code, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : ''
  })
}
