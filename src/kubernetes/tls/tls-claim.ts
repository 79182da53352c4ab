import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { covers, routedHosts, tlsEntries } from '../ingress/ingress'
import { mayShareNamespace, shareNamespace } from '../object/namespace'
import { certificateRefs, tlsListeners } from './gateway-tls'
import { possibleProducersOf, producersOf } from './tls-producer'

/** The kinds that name Secrets for the TLS of hosts. */
export const claimKinds = ['Ingress.networking.k8s.io', 'Gateway.gateway.networking.k8s.io'] as const

/** The Secret from which an Ingress or a Gateway has a host served with TLS. */
export interface TlsClaim {
  /** In lower case; empty for an entry whose certificate decides the hosts. */
  readonly host: string
  /** Empty where none is named. */
  readonly secret: string
  readonly namespace: string
  readonly at: Cursor
}

/** The claims of an Ingress, or of a Gateway; none for other kinds. */
export function tlsClaims(user: Manifest): TlsClaim[] {
  const { namespace, kind } = user.ref
  if (kind === 'Gateway') {
    return tlsListeners(user).flatMap((listener) =>
      certificateRefs(listener).map((ref) => ({
        host: (listener.at('hostname').string ?? '').toLowerCase(),
        secret: ref.name.string ?? '',
        namespace: ref.namespace,
        at: ref.name,
      })),
    )
  }
  if (kind !== 'Ingress') return []
  const routed = [...routedHosts(user).keys()]
  return tlsEntries(user).flatMap(({ at, hosts, secretName }) => {
    const listed = hosts.flatMap(({ string }) => string?.toLowerCase() ?? [])
    const taken = listed.length > 0 ? routed.filter((host) => listed.some((name) => covers(name, host))) : routed
    const names = new Set([...(listed.length > 0 ? listed : ['']), ...taken])
    const place = secretName.exists ? secretName : at
    return [...names].map((host) => ({ host, secret: secretName.string ?? '', namespace, at: place }))
  })
}

/** Whether a claim serves the host of another one, too. */
export function servesHostOf(claim: TlsClaim, { host }: TlsClaim): boolean {
  return claim.host === host || (claim.host !== '' && host !== '' && covers(claim.host, host))
}

/** The object that makes the Secret of a claim. */
export function makerOf(claim: TlsClaim, snapshot: Snapshot): Manifest | undefined {
  const { secret, namespace, at } = claim
  if (secret === '') return undefined
  return producersOf(snapshot, namespace, secret).find(
    ({ manifest }) => makes(manifest) && (namespace !== '' || shareNamespace(manifest, at.manifest)),
  )?.manifest
}

/** Whether a Secret is made, or may be: its maker or the claim has no namespace written. */
export function mayBeMade(claim: TlsClaim, snapshot: Snapshot): boolean {
  const { secret, namespace, at } = claim
  return possibleProducersOf(snapshot, namespace, secret, at.manifest).some(
    ({ manifest }) => makes(manifest) && (namespace !== '' || mayShareNamespace(manifest, at.manifest)),
  )
}

/** An ExternalSecret that only changes a Secret makes none. */
function makes(manifest: Manifest): boolean {
  return !['Merge', 'None'].includes(manifest.root.at('spec', 'target', 'creationPolicy').string ?? '')
}

/** The claims of all users in a snapshot; of several copies of one, those of each. */
export function claimsIn(snapshot: Snapshot): readonly TlsClaim[] {
  const before = known.get(snapshot)
  if (before) return before
  const claims = claimKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(tlsClaims)
  known.set(snapshot, claims)
  return claims
}

const known = new WeakMap<Snapshot, readonly TlsClaim[]>()

/** Whether two claims belong to one object. */
export function areOfOne(a: TlsClaim, b: TlsClaim): boolean {
  return identityOf(a.at.manifest.ref) === identityOf(b.at.manifest.ref)
}

/**
 * The Secret that a host had before and that something made, of the same object, or of one that no longer claims the
 * host.
 *
 * @param own the claims of the same object before the change
 */
export function makerBefore(
  claim: TlsClaim,
  own: readonly TlsClaim[],
  base: Snapshot,
  head: Snapshot,
): { readonly claim: TlsClaim; readonly maker: Manifest } | undefined {
  const held = (candidates: readonly TlsClaim[]) => {
    for (const one of candidates.filter((other) => servesHostOf(other, claim))) {
      const maker = makerOf(one, base)
      if (maker) return { claim: one, maker }
    }
    return undefined
  }
  if (own.length > 0) return held(own)
  if (claim.host === '') return undefined
  const isLeft = (before: TlsClaim) =>
    claimsIn(head).some((one) => areOfOne(one, before) && servesHostOf(one, claim) && one.secret === before.secret)
  return held(claimsIn(base).filter((one) => !isLeft(one)))
}
