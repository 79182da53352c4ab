import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { covers, namesCovering, routedHosts, tlsEntries } from '../ingress/ingress'
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
    const names = new Set(listed.length > 0 ? listed : [''])
    const taken =
      listed.length > 0 ? routed.filter((host) => namesCovering(host).some((name) => names.has(name))) : routed
    const place = secretName.exists ? secretName : at
    return [...new Set([...names, ...taken])].map((host) => ({
      host,
      secret: secretName.string ?? '',
      namespace,
      at: place,
    }))
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

/** The Secrets that objects of a snapshot name and that nothing makes for one of them. Read once: each claim asks. */
export function unmadeSecrets(snapshot: Snapshot): ReadonlySet<string> {
  const before = unmade.get(snapshot)
  if (before) return before
  const byUser = new Map<Manifest, Set<string>>()
  const found = new Set<string>()
  for (const claim of claimsIn(snapshot)) {
    const { secret, namespace, at } = claim
    const judged = byUser.get(at.manifest) ?? new Set<string>()
    byUser.set(at.manifest, judged)
    // A Secret has a claim for each of its hosts.
    const named = `${namespace}/${secret}`
    if (!judged.has(named) && !makerOf(claim, snapshot)) found.add(secret)
    judged.add(named)
  }
  unmade.set(snapshot, found)
  return found
}

const unmade = new WeakMap<Snapshot, ReadonlySet<string>>()

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

/** Claims by the host that they serve: one object may have thousands. */
export class ClaimsByHost {
  private readonly claims = new Map<string, TlsClaim[]>()

  constructor(claims: readonly TlsClaim[]) {
    for (const claim of claims) append(this.claims, claim.host, claim)
  }

  /** The claims of a snapshot; read once, as each changed object asks. */
  static in(snapshot: Snapshot): ClaimsByHost {
    const claims = indexed.get(snapshot) ?? new ClaimsByHost(claimsIn(snapshot))
    indexed.set(snapshot, claims)
    return claims
  }

  get isEmpty(): boolean {
    return this.claims.size === 0
  }

  /** Those that serve the host of a claim, as `servesHostOf` has it. */
  serving({ host }: TlsClaim): TlsClaim[] {
    return namesCovering(host).flatMap((name) => this.claims.get(name) ?? [])
  }
}

const indexed = new WeakMap<Snapshot, ClaimsByHost>()

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
  own: ClaimsByHost,
  base: Snapshot,
  head: Snapshot,
): { readonly claim: TlsClaim; readonly maker: Manifest } | undefined {
  const held = (candidates: readonly TlsClaim[]) => {
    for (const one of candidates) {
      const maker = makerOf(one, base)
      if (maker) return { claim: one, maker }
    }
    return undefined
  }
  if (!own.isEmpty) return held(own.serving(claim))
  if (claim.host === '') return undefined
  const now = ClaimsByHost.in(head).serving(claim)
  const isLeft = (before: TlsClaim) => now.some((one) => one.secret === before.secret && areOfOne(one, before))
  return held(
    ClaimsByHost.in(base)
      .serving(claim)
      .filter((one) => !isLeft(one)),
  )
}
