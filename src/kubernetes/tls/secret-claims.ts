import type { Snapshot } from '../../cluster/snapshot'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { covers } from '../ingress/ingress'
import { areComparable } from '../ingress/placeholder'
import { certManagerGroups } from './cert-manager'
import { certificatesBehind } from './certificate'
import { tlsStoreKinds } from './certificate-choice'
import { inLowerCase, isTraefikRoute, routeClaimKinds, routeClaims } from './route-claim'
import { storeSecrets } from './secret-user'
import { claimKinds, type TlsClaim, tlsClaims } from './tls-claim'
import { producersOf } from './tls-producer'

/** The kinds that name Secrets for the TLS of hosts. */
export const userKinds: readonly GroupKind[] = [...claimKinds, ...routeClaimKinds]
export const certificateKinds: readonly GroupKind[] = certManagerGroups.map((group) => `Certificate.${group}`)

/** The Secrets from which an object has its hosts served. */
export function claimsOf(manifest: Manifest): TlsClaim[] {
  return [...tlsClaims(manifest), ...routeClaims(manifest)]
}

/** The claims of all users in a snapshot, and the certificates that Traefik's stores name. */
export function usersOf(snapshot: Snapshot): readonly TlsClaim[] {
  const before = known.get(snapshot)
  if (before) return before
  const claims = [
    ...userKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(claimsOf),
    ...tlsStoreKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(storeClaims),
  ]
  known.set(snapshot, claims)
  return claims
}

const known = new WeakMap<Snapshot, readonly TlsClaim[]>()

/** The Secrets of a TLSStore of Traefik, whose certificates decide the hosts. */
function storeClaims(store: Manifest): TlsClaim[] {
  const { namespace } = store.ref
  return storeSecrets(store).map(([secret, at]) => ({ host: '', secret, namespace, at }))
}

/** The hosts that a Certificate is for. */
export function namesOf({ root }: Manifest): string[] {
  const spec = root.at('spec')
  return [...spec.at('dnsNames').items(), spec.at('commonName')].flatMap(({ string }) =>
    string ? inLowerCase(string) : [],
  )
}

/** Another route by which Traefik loads a certificate for a host. */
export function loadedFor(claim: TlsClaim, snapshot: Snapshot): Manifest | undefined {
  return usersOf(snapshot).find(({ at, namespace, secret }) => {
    const { manifest } = at
    if (manifest.ref.kind !== 'Ingress' && !isTraefikRoute(manifest)) return false
    const fits = (name: string) => areComparable(name, claim.host) && covers(name, claim.host)
    return (
      certificatesBehind(snapshot, manifest, secret, namespace)?.some((one) => one.covers(claim.host)) ||
      producersOf(snapshot, namespace, secret).some(
        (one) => certificateKinds.includes(groupKindOf(one.manifest.ref)) && namesOf(one.manifest).some(fits),
      )
    )
  })?.at.manifest
}
