import type { Manifest } from './manifest'

/**
 * Whether an object is of a chart that was rendered without the values of a known release: what is empty in it, a
 * release may fill in.
 */
export function isOfDefaultValues({ origin }: Manifest): boolean {
  if (origin.kind !== 'rendered' || origin.source.kind !== 'helm') return false
  return origin.source.values.length === 0 || origin.supposed !== undefined
}
