import type { Snapshot } from '../../cluster/snapshot'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { routedHosts, tlsEntries } from './ingress'
import { sameClass } from './ingress-class'

/**
 * The Ingresses of a snapshot that a rule compares with one, so that each pair is compared once, from its first by
 * identity: those of its class with one of its hosts. Copies of one object are one object; an exempt Ingress (a canary,
 * for example) is compared with nothing.
 */
export function* partnersOfClass(
  ingress: Manifest,
  snapshot: Snapshot,
  standsAside: (ingress: Manifest) => boolean,
): Generator<Manifest> {
  if (standsAside(ingress)) return
  const byHost = ingressesByHost(snapshot)
  const seen = new Set<string>()
  for (const other of [...hostsOf(ingress)].flatMap((host) => byHost.get(host) ?? [])) {
    const identity = identityOf(other.ref)
    if (identity <= identityOf(ingress.ref) || seen.has(identity)) continue
    seen.add(identity)
    if (!standsAside(other) && sameClass(ingress, other)) yield other
  }
}

const known = new WeakMap<Snapshot, Map<string, Manifest[]>>()

/** Kept, as each Ingress of a snapshot is compared with the others. */
function ingressesByHost(snapshot: Snapshot): Map<string, Manifest[]> {
  let byHost = known.get(snapshot)
  if (!byHost) {
    byHost = new Map()
    for (const ingress of snapshot.ofKind('Ingress.networking.k8s.io')) {
      for (const host of hostsOf(ingress)) {
        const there = byHost.get(host)
        if (there) there.push(ingress)
        else byHost.set(host, [ingress])
      }
    }
    known.set(snapshot, byHost)
  }
  return byHost
}

/** The hosts that an Ingress routes or lists for TLS, in lower case. */
function hostsOf(ingress: Manifest): Set<string> {
  const listed = tlsEntries(ingress).flatMap(({ hosts }) => hosts.flatMap(({ string }) => string?.toLowerCase() ?? []))
  return new Set([...routedHosts(ingress).keys(), ...listed])
}
