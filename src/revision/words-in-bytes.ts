/** Contents in the same memory, in its order. */
interface Stretch {
  readonly bytes: Buffer
  readonly contents: readonly Uint8Array[]
  /** Where each content starts in the bytes. */
  readonly starts: readonly number[]
}

/**
 * Rules out words in contents that were read together, without decoding them: what a tool printed is searched in one go
 * for all of the contents in it.
 */
export class WordsInBytes {
  private readonly byMemory = new Map<ArrayBufferLike, Uint8Array[]>()
  private known: readonly Stretch[] | undefined
  private readonly found = new Map<string, ReadonlySet<Uint8Array>>()
  /** The contents that may hold a word of a list, by the list: it is asked about for each content in turn. */
  private readonly mayHold = new WeakMap<readonly string[], (content: Uint8Array) => boolean>()
  private unclear: ReadonlySet<Uint8Array> | undefined
  /** How many times memory was searched. */
  searches = 0

  /** Adds a content; all are added before the first question. */
  add(content: Uint8Array): void {
    const others = this.byMemory.get(content.buffer)
    if (others) others.push(content)
    else this.byMemory.set(content.buffer, [content])
  }

  /** Whether no spelling of any of the words is in a content. */
  hasNone(content: Uint8Array, words: readonly string[]): boolean {
    const known = this.mayHold.get(words) ?? this.candidates(words)
    this.mayHold.set(words, known)
    return !known(content)
  }

  private candidates(words: readonly string[]): (content: Uint8Array) => boolean {
    if (words.some((word) => word === '' || word.includes('\ufffd'))) return () => true
    this.unclear ??= this.unclearOnes()
    const holders = [this.unclear, ...words.map((word) => this.holding(word))].filter(({ size }) => size > 0)
    return (content) => holders.some((one) => one.has(content))
  }

  private holding(word: string): ReadonlySet<Uint8Array> {
    const known = this.found.get(word)
    if (known) return known
    const found = this.withBytes(Buffer.from(word))
    this.found.set(word, found)
    return found
  }

  private stretches(): readonly Stretch[] {
    this.known ??= [...this.byMemory.values()].map(stretchOf)
    return this.known
  }

  /** Those with marks of other spellings, and those that are no UTF-8: see `mentions`. */
  private unclearOnes(): Set<Uint8Array> {
    const marked = [...this.withBytes(Buffer.from('\\')), ...this.withBytes(Buffer.from('!'))]
    const wide = this.stretches().flatMap(({ contents }) => contents.filter((one) => (one[0] ?? 0) >= 0xfe))
    return new Set([...marked, ...wide])
  }

  private withBytes(word: Buffer): Set<Uint8Array> {
    const found = new Set<Uint8Array>()
    for (const { bytes, contents, starts } of this.stretches()) {
      let at = -1
      for (let hit = bytes.indexOf(word); hit !== -1; hit = bytes.indexOf(word, hit)) {
        this.searches++
        while ((starts[at + 1] ?? Infinity) <= hit) at++
        const content = contents[at]
        const end = (starts[at] ?? 0) + (content?.length ?? 0)
        const isIn = content !== undefined && hit + word.length <= end
        if (isIn) found.add(content)
        hit = isIn ? end : hit + 1
      }
      this.searches++
    }
    return found
  }
}

function stretchOf(contents: readonly Uint8Array[]): Stretch {
  const sorted = [...contents].sort((a, b) => a.byteOffset - b.byteOffset)
  const [first] = sorted
  const start = first?.byteOffset ?? 0
  const end = Math.max(...sorted.slice(-1).map((last) => last.byteOffset + last.length))
  return {
    bytes: Buffer.from(first?.buffer ?? new ArrayBuffer(0), start, end - start),
    contents: sorted,
    starts: sorted.map(({ byteOffset }) => byteOffset - start),
  }
}
