import type { Finding } from './report'

/** The findings at lines that no known finding is at: a reader needs one cause for each line. */
export function notKnown(found: readonly Finding[], known: readonly Finding[]): Finding[] {
  const places = new Set(known.map(placeOf))
  return found.filter((one) => !places.has(placeOf(one)))
}

function placeOf({ location: { path, region } }: Finding): string {
  return `${path}:${region.startLine}`
}
