import { holdsBinary, mayRefer, refersTo, spelledOut } from '../../manifest/mentions'

/** A word, and where in it the four characters are by which it is found. */
interface Entry {
  readonly word: string
  readonly offset: number
}

const width = 4
const bits = 2 ** 20

/**
 * Finds which of many words are in texts. A text is read once, however many words there are: each word is looked for
 * only where those four of its characters are that the fewest of the words have.
 */
export class WordIndex {
  private readonly short: readonly string[]
  private readonly entries = new Map<number, Entry[]>()
  private readonly marks = new Uint8Array(bits / 8)
  /** The words of each text: overlays of one base render the same objects over and over. */
  private readonly answers = new Map<string, ReadonlySet<string>>()
  /** How many times a text was compared with a word. */
  comparisons = 0

  constructor(private readonly words: readonly string[]) {
    this.short = words.filter(({ length }) => length < width)
    const long = words.filter(({ length }) => length >= width)
    const counts = new Map<number, number>()
    for (const word of long) for (const hash of new Set(hashesOf(word))) counts.set(hash, (counts.get(hash) ?? 0) + 1)
    for (const word of long) {
      let [offset, fewest, rarest] = [0, Infinity, 0]
      for (const [at, hash] of hashesOf(word).entries()) {
        const count = counts.get(hash) ?? 0
        if (count < fewest) [offset, fewest, rarest] = [at, count, hash]
      }
      const others = this.entries.get(rarest)
      if (others) others.push({ word, offset })
      else this.entries.set(rarest, [{ word, offset }])
      const bit = rarest & (bits - 1)
      this.marks[bit >> 3] = (this.marks[bit >> 3] ?? 0) | (1 << (bit & 7))
    }
  }

  /** The words that a YAML or JSON text may contain, in any spelling: see `mentionsOneOf`. */
  in(text: string): ReadonlySet<string> {
    const known = this.answers.get(text) ?? this.search(text)
    this.answers.set(text, known)
    return known
  }

  private search(text: string): ReadonlySet<string> {
    if (holdsBinary(text)) return new Set(this.words)
    const found = new Set<string>()
    this.find(text, found)
    const plain = spelledOut(text)
    if (plain !== text) this.find(plain, found)
    return found
  }

  private find(text: string, found: Set<string>): void {
    for (const word of this.short) if (refersTo(text, word)) found.add(word)
    for (let at = 0; at <= text.length - width; at++) {
      const hash = hashAt(text, at)
      const bit = hash & (bits - 1)
      if (!(((this.marks[bit >> 3] ?? 0) >> (bit & 7)) & 1)) continue
      for (const { word, offset } of this.entries.get(hash) ?? []) {
        if (found.has(word)) continue
        this.comparisons++
        if (at >= offset && text.startsWith(word, at - offset) && mayRefer(text, word, at - offset)) found.add(word)
      }
    }
  }
}

function hashesOf(word: string): number[] {
  return Array.from({ length: word.length - width + 1 }, (_, at) => hashAt(word, at))
}

function hashAt(text: string, at: number): number {
  const hash =
    Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
    Math.imul(text.charCodeAt(at + 1), 0x85ebca6b) ^
    Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35) ^
    Math.imul(text.charCodeAt(at + 3), 0x27d4eb2f)
  return hash ^ (hash >>> 15)
}
