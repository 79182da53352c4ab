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

/** Fields of most objects, and common keys of labels. */
const commonKeys: ReadonlySet<string> = new Set(
  'api app component containers data env group host image kind labels limits metadata name namespace path paths port ports requests resources role rules selector service spec status template type version'.split(
    ' ',
  ),
)

/**
 * Whether the word at a place in a text may refer to an object. One of lower-case letters and digits alone, such as the
 * name `api`, is a part of many longer words (`apiVersion`) and a key of many objects, and refers to none there.
 */
export function mayRefer(text: string, word: string, at: number): boolean {
  if (!isPlain(word)) return true
  const end = at + word.length
  // The letter before may be a part of an escape, as in "\nname".
  const isEscape = text[at - 2] === '\\'
  if ((!isEscape && isLetter(text.charCodeAt(at - 1))) || isLetter(text.charCodeAt(end))) return false
  return !(commonKeys.has(word) && isKeyUntil(text, end))
}

/** Whether a text has a word where it may refer to an object. */
export function refersTo(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (mayRefer(text, word, at)) return true
  return false
}

function isPlain(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    if (!(code >= 97 && code <= 122) && !(code >= 48 && code <= 57)) return false
  }
  return word !== ''
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
}

function isKeyUntil(text: string, end: number): boolean {
  const isQuoted = text[end] === '"' || text[end] === "'"
  const at = isQuoted ? end + 1 : end
  const after = text[at + 1] ?? '\n'
  return text[at] === ':' && (isQuoted || after === ' ' || after === '\n' || after === '\r')
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
