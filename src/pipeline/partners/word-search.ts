import { holdsBinary, refersTo, spelledOut } from '../../manifest/mentions'

/** A text in which words are looked for. */
interface Searched {
  readonly holdsBinary: boolean
  /** The text, and the text without escapes where that is another one. */
  readonly spellings: readonly string[]
  /** A bit for each three characters that follow one another, by their hash. */
  readonly triples: Uint8Array
}

/**
 * Decides which texts contain one of many words, as `mentionsOneOf` does. Thousands of words are looked for in thousands
 * of texts: a text is scanned once, and nearly all words that it does not contain are ruled out by three of their characters.
 */
export class WordSearch {
  private readonly texts = new Map<string, Searched>()
  private readonly hashes = new Map<string, readonly number[]>()
  /** How many times a text was searched for a word. */
  searches = 0

  mentionsOneOf(text: string, words: readonly string[]): boolean {
    if (words.length === 0) return false
    const searched = this.searched(text)
    return searched.holdsBinary || words.some((word) => this.contains(searched, word))
  }

  private contains({ triples, spellings }: Searched, word: string): boolean {
    const mask = triples.length * 8 - 1
    for (const hash of this.hashesOf(word)) {
      const bit = hash & mask
      if (!(((triples[bit >> 3] ?? 0) >> (bit & 7)) & 1)) return false
    }
    this.searches++
    return spellings.some((spelling) => refersTo(spelling, word))
  }

  private searched(text: string): Searched {
    const known = this.texts.get(text)
    if (known) return known
    const plain = spelledOut(text)
    const spellings = plain === text ? [text] : [text, plain]
    const searched = { holdsBinary: holdsBinary(text), spellings, triples: triplesOf(spellings) }
    this.texts.set(text, searched)
    return searched
  }

  /** The first, middle and last three characters of a word; none of a shorter one. */
  private hashesOf(word: string): readonly number[] {
    const known = this.hashes.get(word)
    if (known) return known
    const last = word.length - 3
    const hashes = last < 0 ? [] : [...new Set([0, last >> 1, last])].map((at) => hashAt(word, at))
    this.hashes.set(word, hashes)
    return hashes
  }
}

function triplesOf(spellings: readonly string[]): Uint8Array {
  const length = spellings.reduce((sum, { length }) => sum + length, 0)
  // Four bits a character, and 128 KiB at most.
  const bytes = Math.min(2 ** 17, 2 ** Math.max(3, Math.ceil(Math.log2(length / 2 + 1))))
  const triples = new Uint8Array(bytes)
  const mask = bytes * 8 - 1
  for (const text of spellings) {
    for (let at = 0; at < text.length - 2; at++) {
      const bit = hashAt(text, at) & mask
      triples[bit >> 3] = (triples[bit >> 3] ?? 0) | (1 << (bit & 7))
    }
  }
  return triples
}

function hashAt(text: string, at: number): number {
  const [first, second] = [text.charCodeAt(at), text.charCodeAt(at + 1)]
  const hash =
    Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35)
  return hash ^ (hash >>> 15)
}
