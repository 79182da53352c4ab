/**
 * The globs of Argo CD: without a separator, as in `directory.include`, a star and a question mark take slashes, too.
 * https://github.com/gobwas/glob
 */
type GlobPart =
  | { readonly kind: 'any'; readonly until?: string }
  | { readonly kind: 'one'; readonly takes: (character: string) => boolean }
  | { readonly kind: 'either'; readonly ways: readonly (readonly GlobPart[])[] }

/**
 * Whether a glob matches a text; an invalid glob matches nothing.
 *
 * @param separator a character that two stars take, and one star or a question mark do not
 */
export function matchesArgoGlob(glob: string, file: string, separator?: string): boolean {
  const parts = new GlobReader([...glob], separator).read()
  return parts !== undefined && endsOf(parts, [...file], new Set([0])).has([...file].length)
}

/** The places of a text up to which parts match, from some places on. */
function endsOf(parts: readonly GlobPart[], text: readonly string[], starts: ReadonlySet<number>): ReadonlySet<number> {
  let places = starts
  for (const part of parts) {
    if (places.size === 0) break
    places = endsOfPart(part, text, places)
  }
  return places
}

function endsOfPart(part: GlobPart, text: readonly string[], places: ReadonlySet<number>): ReadonlySet<number> {
  switch (part.kind) {
    case 'any': {
      const { until } = part
      if (until !== undefined) return upTo(until, text, places)
      const first = Math.min(...places)
      return new Set(Array.from({ length: text.length - first + 1 }, (_, index) => first + index))
    }
    case 'one':
      return new Set([...places].flatMap((place) => (part.takes(text[place] ?? '') ? [place + 1] : [])))
    case 'either':
      return new Set(part.ways.flatMap((way) => [...endsOf(way, text, places)]))
  }
}

/** The places that a star leads to which does not take a character. */
function upTo(separator: string, text: readonly string[], places: ReadonlySet<number>): ReadonlySet<number> {
  const found = new Set<number>()
  for (const place of places) {
    for (let at = place; !found.has(at); at++) {
      found.add(at)
      if (at >= text.length || text[at] === separator) break
    }
  }
  return found
}

/** Reads a glob as gobwas does; a character class that is not closed or holds nothing is an error. */
class GlobReader {
  private at = 0
  private isBroken = false

  constructor(
    private readonly glob: readonly string[],
    private readonly separator: string | undefined,
  ) {}

  read(): readonly GlobPart[] | undefined {
    const parts = this.parts(false)
    return this.isBroken ? undefined : parts
  }

  private parts(isInside: boolean): GlobPart[] {
    const found: GlobPart[] = []
    for (;;) {
      const next = this.glob[this.at]
      if (next === undefined || (isInside && (next === ',' || next === '}'))) return found
      this.at++
      found.push(...this.partAt(next))
    }
  }

  private partAt(character: string): GlobPart[] {
    switch (character) {
      case '*':
        return [this.star()]
      case '?':
        return [{ kind: 'one', takes: (one) => one !== '' && one !== this.separator }]
      case '[':
        return this.characterClass()
      case '{':
        return [this.either()]
      case '\\': {
        const escaped = this.glob[this.at++]
        return escaped === undefined ? [] : [literal(escaped)]
      }
      default:
        return [literal(character)]
    }
  }

  /** Several stars in a row are one that takes separators. */
  private star(): GlobPart {
    let isSingle = true
    for (; this.glob[this.at] === '*'; this.at++) isSingle = false
    return isSingle && this.separator !== undefined ? { kind: 'any', until: this.separator } : { kind: 'any' }
  }

  private either(): GlobPart {
    const ways: GlobPart[][] = []
    do ways.push(this.parts(true))
    while (this.glob[this.at++] === ',')
    return { kind: 'either', ways }
  }

  private characterClass(): GlobPart[] {
    const isNegated = this.glob[this.at] === '!'
    if (isNegated) this.at++
    const end = this.glob.indexOf(']', this.at)
    const inside = this.glob.slice(this.at, end)
    this.at = end + 1
    const [low = '', dash, high = ''] = inside
    const isRange = dash === '-' && inside.length === 3 && low <= high
    if (end === -1 || inside.length === 0 || (dash === '-' && !isRange)) {
      this.isBroken = true
      this.at = this.glob.length
      return []
    }
    const holds = isRange ? (one: string) => low <= one && one <= high : (one: string) => inside.includes(one)
    return [{ kind: 'one', takes: (one) => one !== '' && holds(one) !== isNegated }]
  }
}

function literal(character: string): GlobPart {
  return { kind: 'one', takes: (one) => one === character }
}
