/** The name that a person may have meant: the one with the fewest edits, if these are few. */
export function closest(given: string, names: readonly string[]): string | undefined {
  return ranked(given, names)[0]
}

/** The names that a person may have meant, the nearest first: those of few edits, else those that contain what was given. */
export function nearestTo(given: string, names: readonly string[], most = 3): string[] {
  const near = ranked(given, names)
  const containing = names.filter((name) => given.length > 3 && name.includes(given))
  return (near.length > 0 ? near : containing).slice(0, most)
}

/** The names of few edits, the nearest first. */
function ranked(given: string, names: readonly string[]): string[] {
  const limit = Math.min(3, Math.floor(given.length / 3))
  return names
    .map((name) => ({ name, edits: Math.min(editsBetween(given, name), editsBetween(given, ending(name))) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name)
}

/** The only name that is one edit away, so that a typing error is likely. */
export function oneEditFrom(given: string, names: readonly string[]): string | undefined {
  const mayBe = (name: string) => Math.abs(name.length - given.length) < 2
  const near = given.length < 4 ? [] : names.filter((name) => mayBe(name) && editsBetween(given, name) === 1)
  return near.length === 1 ? near[0] : undefined
}

/**
 * Whether one name is written for another by a typing error: one of their parts differs, by one letter, or by two of at least
 * eight. Parts of few letters and numbers are set on purpose, and so are words that begin otherwise (internal, external).
 */
export function isMistyped(given: string, name: string): boolean {
  const [written, meant] = [given.split('-'), name.split('-')]
  const differing = written.flatMap((part, index) =>
    part === meant[index] ? [] : [[part, meant[index] ?? ''] as const],
  )
  const [pair, ...others] = differing
  if (!pair || others.length > 0 || written.length !== meant.length) return false
  const [one, other] = pair
  if (Math.min(one.length, other.length) < 4 || one.replace(/\d/g, '') === other.replace(/\d/g, '')) return false
  const edits = editsBetween(one, other)
  return edits === 1 || (edits === 2 && Math.min(one.length, other.length) >= 8 && one[0] === other[0])
}

/** Whether two names have the same words in another order: `clusterSecretCLI` and `clusterCLISecret`. */
export function isReordered(given: string, name: string): boolean {
  const [written, meant] = [wordsOf(given), wordsOf(name)]
  return written.join(' ') !== meant.join(' ') && written.sort().join(' ') === meant.sort().join(' ')
}

/** The words of a name in lower case: `cluster`, `cli` and `secret` of `clusterCLISecret`. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _-]/)
}

/** ` Did you mean x?`, or an empty text. */
export function didYouMean(given: string, names: readonly string[]): string {
  const name = closest(given, names)
  return name === undefined ? '' : ` Did you mean ${name}?`
}

/** `host-covered` of `ingress-tls/host-covered`. */
function ending(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

/** The letters to add, drop, replace or swap with the next one; of names, so a long text counts as no name. */
function editsBetween(a: string, b: string): number {
  if (Math.max(a.length, b.length) > 100) return Number.POSITIVE_INFINITY
  let [before, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const least = Math.min((row?.[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row?.[j - 1] ?? 0) + same)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(swapped ? Math.min(least, (before?.[j - 2] ?? 0) + 1) : least)
    }
    ;[before, row] = [row, next]
  }
  return row?.at(-1) ?? 0
}
