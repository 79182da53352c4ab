/** Shortens a text as far as it keeps a property: lines first, then characters. */
export async function reduced(text: string, keeps: (text: string) => Promise<boolean>): Promise<string> {
  let kept = text
  for (const pattern of [/[^\n]*\n?/g, /./gsu]) {
    let parts = kept.match(pattern)?.filter((part) => part !== '') ?? []
    for (let size = Math.max(1, parts.length >> 1); size >= 1; size >>= 1) {
      for (let start = 0; start < parts.length; ) {
        const without = parts.toSpliced(start, size)
        if (await keeps(without.join(''))) parts = without
        else start += size
      }
    }
    kept = parts.join('')
  }
  return kept
}
