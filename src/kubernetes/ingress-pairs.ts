import { identityOf, type Manifest } from '../manifest/manifest'
import type { Snapshot } from '../manifest/snapshot'
import { sameClass } from './ingress-class'

/**
 * The Ingresses of a snapshot that a rule compares with one, so that each pair is met once, from its first by identity.
 * Copies of one object are one object; what stands aside (a canary, say) is compared with nothing.
 */
export function* partnersOfClass(
  ingress: Manifest,
  snapshot: Snapshot,
  standsAside: (ingress: Manifest) => boolean,
): Generator<Manifest> {
  if (standsAside(ingress)) return
  const seen = new Set<string>()
  for (const other of snapshot.ofKind('Ingress.networking.k8s.io')) {
    const identity = identityOf(other.ref)
    if (identity <= identityOf(ingress.ref) || seen.has(identity)) continue
    seen.add(identity)
    if (!standsAside(other) && sameClass(ingress, other)) yield other
  }
}
