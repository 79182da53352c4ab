/** The lines that a pull request's diff of one file shows: comments are possible at these. */
export interface DiffLines {
  /** The lines of the head, by their number, each with the part of the diff that it is in. */
  readonly right: ReadonlyMap<number, { readonly text: string; readonly part: number }>
  /** The lines that are removed, by their number at the base. */
  readonly left: ReadonlyMap<number, string>
}

/** Reads the patch of a file as GitHub gives it. */
export function diffLines(patch: string): DiffLines {
  const right = new Map<number, { text: string; part: number }>()
  const left = new Map<number, string>()
  let [before, after, part] = [0, 0, 0]
  for (const line of patch.split('\n')) {
    const [, from, to] = line.match(/^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/) ?? []
    if (from !== undefined && to !== undefined) {
      ;[before, after] = [Number(from), Number(to)]
      part++
      continue
    }
    const text = line.slice(1)
    if (line.startsWith('-')) left.set(before++, text)
    else if (line.startsWith('+')) right.set(after++, { text, part })
    else if (line.startsWith(' ')) {
      right.set(after++, { text, part })
      before++
    }
  }
  return { right, left }
}
