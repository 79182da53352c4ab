/** A line of a YAML text with the keys that lead to it. */
export interface KeyedLine {
  readonly line: number
  /** The index of the line at which its document starts. */
  readonly start: number
  /** Its keys, behind those above them. */
  readonly keys: readonly string[]
  /** The number of keys on the line itself. */
  readonly own: number
}

/** The lines of a YAML text that say something, with their keys. */
export function* keysOfLines(lines: readonly string[]): Generator<KeyedLine> {
  const above: { indent: number; keys: readonly string[] }[] = []
  let start = 0
  for (const [index, text] of lines.entries()) {
    if (/^---(?:\s|$)/.test(text)) {
      above.length = 0
      start = index + 1
      continue
    }
    // A dash alone begins an item whose keys are on the next lines.
    const indent = text.search(/[^\s-]/)
    if (indent === -1 || /^\s*#/.test(text)) continue
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop()
    const own = keysIn(text)
    above.push({ indent, keys: own })
    yield { line: index + 1, start, keys: above.flatMap(({ keys }) => keys), own: own.length }
  }
}

/** The keys that are written on a line, those of a flow map too. */
function keysIn(text: string): string[] {
  // Each word is matched with any text after it, so that none is read again from its second character on.
  const found = text.matchAll(/([\w./-]+)["']?\s*(:(?:\s|$))?/g)
  return [...found].flatMap(([, key = '', colon]) => (colon === undefined ? [] : [key]))
}
