/**
 * Whether a text matches a pattern of Go's `path.Match`, as Flux changed it: `*` also matches `/`.
 * https://github.com/fluxcd/pkg/blob/envsubst/v1.7.0/envsubst/path/match.go
 *
 * @returns undefined for a pattern that it refuses, as far as it reads it
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  let [left, rest]: [string, string] = [pattern, text]
  while (left !== '') {
    const [, stars = '', chunk = ''] = /^(\**)((?:\\.?|\[(?:\\.?|[^\]\\])*\]?|[^*\\[])*)/s.exec(left) ?? []
    left = left.slice(stars.length + chunk.length)
    if (stars !== '' && chunk === '') return true
    // The first place at which a chunk matches counts; the last chunk has to reach the end.
    const most = stars === '' ? 0 : rest.length
    let next: string | undefined
    for (let skipped = 0; skipped <= most && next === undefined; skipped++) {
      const behind = behindChunk(chunk, rest.slice(skipped))
      if (behind === 'refused') return undefined
      if (behind !== undefined && (behind === '' || left !== '')) next = behind
    }
    if (next === undefined) return false
    rest = next
  }
  return rest === ''
}

/** The rest of a text after a part of a pattern without stars. */
function behindChunk(chunk: string, text: string): string | undefined {
  let place = 0
  for (let at = 0; at < chunk.length; ) {
    const char = String.fromCodePoint(text.codePointAt(place) ?? 0)
    if (place >= text.length) return undefined
    if (chunk[at] === '[') {
      const found = classAt(chunk, at + 1, char)
      if (found === undefined) return 'refused'
      if (!found.matches) return undefined
      at = found.end
    } else if (chunk[at] === '?') at++
    else {
      if (chunk[at] === '\\') at++
      if (at >= chunk.length) return 'refused'
      if (!chunk.startsWith(char, at)) return undefined
      at += char.length
    }
    place += char.length
  }
  return text.slice(place)
}

/** `[a-z]`, `[^x]`, read from behind its bracket. */
function classAt(chunk: string, from: number, char: string): { matches: boolean; end: number } | undefined {
  const isNegated = chunk[from] === '^'
  let at = isNegated ? from + 1 : from
  let isIn = false
  for (let ranges = 0; !(chunk[at] === ']' && ranges > 0); ranges++) {
    const low = memberAt(chunk, at)
    if (!low) return undefined
    const high = chunk[low.end] === '-' ? memberAt(chunk, low.end + 1) : low
    if (!high) return undefined
    isIn ||= low.char <= char && char <= high.char
    at = high.end
  }
  return { matches: isIn !== isNegated, end: at + 1 }
}

function memberAt(chunk: string, from: number): { char: string; end: number } | undefined {
  if (from >= chunk.length || chunk[from] === '-' || chunk[from] === ']') return undefined
  const at = chunk[from] === '\\' ? from + 1 : from
  const char = String.fromCodePoint(chunk.codePointAt(at) ?? 0)
  const end = at + char.length
  return end < chunk.length ? { char, end } : undefined
}
