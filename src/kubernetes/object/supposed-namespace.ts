import type { Manifest } from '../../manifest/manifest'

/**
 * Whether an object is in the namespace that the gate supposes for a chart which nothing known installs: its release may be in
 * any other one.
 */
export function isInSupposedNamespace({ origin, ref }: Manifest): boolean {
  if (origin.kind !== 'rendered' || origin.source.kind !== 'helm') return false
  const isSupposed = origin.unplaced === true || origin.supposed !== undefined
  return isSupposed && ref.namespace === origin.source.namespace
}
