/** `a, b, c`; of more names than `most` the first ones and how many more there are: `a, b, c and 4 more`. */
export function abridged(names: readonly string[], most = 3, separator = ', '): string {
  const shown = names.slice(0, most).join(separator)
  return names.length > most ? `${shown} and ${names.length - most} more` : shown
}

/** Joins as `a`, `a and b`, `a, b and c`; beyond `most` parts, the last one counts the rest: `a, b and 5 more`. */
export function enumerated(names: readonly string[], most = Number.POSITIVE_INFINITY): string {
  const parts = names.length > most ? shortened(names, most - 1) : names
  const last = parts.at(-1) ?? ''
  return parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${last}` : last
}

/** The names, of more than `most` the first ones and `4 more`. */
export function shortened(names: readonly string[], most: number): string[] {
  return names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : [...names]
}

/** `A, B or C`. */
export function alternatives(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ')
}
