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

/** The Secrets whose certificates a Traefik in a snapshot may load, each at the first object that names it. */
export function loadedSecretsIn(snapshot: Snapshot): readonly TlsClaim[] {
  const before = loaded.get(snapshot)
  if (before) return before
  // A route has a claim for each of its hosts.
  const found = new Map<string, TlsClaim>()
  for (const claim of usersOf(snapshot)) {
    const { ref } = claim.at.manifest
    const key = JSON.stringify([claim.namespace, claim.secret])
    const isLoaded = ['Ingress', 'TLSStore'].includes(ref.kind) || isTraefikRoute(claim.at.manifest)
    if (isLoaded && !found.has(key)) found.set(key, claim)
  }
  const claims = [...found.values()]
  loaded.set(snapshot, claims)
  return claims
}

const loaded = new WeakMap<Snapshot, readonly TlsClaim[]>()

/** Another object by which Traefik loads a certificate for a host. */
export function loadedFor({ host }: TlsClaim, snapshot: Snapshot): Manifest | undefined {
  const fits = (name: string) => areComparable(name, host) && covers(name, host)
  return loadedSecretsIn(snapshot).find(
    ({ at: { manifest }, namespace, secret }) =>
      certificatesBehind(snapshot, manifest, secret, namespace)?.some((one) => one.covers(host)) ||
      producersOf(snapshot, namespace, secret).some(
        (one) => certificateKinds.includes(groupKindOf(one.manifest.ref)) && namesOf(one.manifest).some(fits),
      ),
  )?.at.manifest
}
