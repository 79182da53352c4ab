import type { Snapshot } from '../../cluster/snapshot'
import { type FluxReference, fluxReferencesOf } from '../../gitops/flux-references'
import { groupKindOf, identityOf, type Manifest } from '../../manifest/manifest'

/** The objects of its own kind that an object of Flux waits for. */
export function dependenciesOf(manifest: Manifest): FluxReference[] {
  return fluxReferencesOf(manifest).filter(({ kind }) => kind === groupKindOf(manifest.ref))
}

/**
 * The shortest way along which an object waits for itself: the dependencies from it on; undefined if there is none. One
 * that is suspended keeps the state that it has, and of several copies it is unknown which one is there.
 */
export function dependencyLoopOf(start: Manifest, snapshot: Snapshot): readonly FluxReference[] | undefined {
  const seen = new Set<string>()
  let ways = dependenciesOf(start).map((one) => [one])
  while (ways.length > 0) {
    const next: FluxReference[][] = []
    for (const way of ways) {
      const [one, ...others] = waitedForBy(way.at(-1), snapshot)
      if (!one || others.length > 0 || one.root.at('spec', 'suspend').value === true) continue
      if (identityOf(one.ref) === identityOf(start.ref)) return way
      if (seen.has(identityOf(one.ref))) continue
      seen.add(identityOf(one.ref))
      next.push(...dependenciesOf(one).map((further) => [...way, further]))
    }
    ways = next
  }
  return undefined
}

function waitedForBy(reference: FluxReference | undefined, snapshot: Snapshot): readonly Manifest[] {
  if (!reference) return []
  const { kind, namespace, name } = reference
  const [only = '', ...group] = kind.split('.')
  return snapshot.get({ group: group.join('.'), kind: only, namespace, name })
}
