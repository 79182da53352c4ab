import type { Snapshot } from '../../cluster/snapshot'
import { type GroupKind, identityOf, type Manifest } from '../../manifest/manifest'
import { classOf } from './ingress-class'

/** More objects of one claim than these are compared with one of them each, and no longer all with all. */
export const mostInPairs = 32

/** The objects that are compared with each other: by default, the Ingresses of one class. */
interface Compared {
  readonly kinds: readonly GroupKind[]
  /** Equal for two objects only if their claims may meet. */
  readonly among: (one: Manifest) => string | undefined
}

/**
 * Ingresses or routes by their claims. Two are compared if they share a claim with different content: such pairs are
 * found without comparing all with all.
 */
export class ClaimPairs<Place> {
  private readonly read = new WeakMap<Manifest, ReadonlyMap<string, Place>>()
  private readonly known = new WeakMap<Snapshot, ReadonlyMap<string, Claim>>()

  /**
   * @param claims each claim of an object and its place; none for an Ingress without claims, such as a canary
   * @param says the content of a claim of an object
   */
  constructor(
    private readonly claims: (object: Manifest) => ReadonlyMap<string, Place>,
    private readonly says: (object: Manifest, place: Place) => string,
    private readonly compared: Compared = { kinds: ['Ingress.networking.k8s.io'], among: classOf },
  ) {}

  claimsOf(object: Manifest): ReadonlyMap<string, Place> {
    const claims = this.read.get(object) ?? this.claims(object)
    this.read.set(object, claims)
    return claims
  }

  /**
   * The objects of a snapshot that contradict one, so that each pair is met once, from its first by identity. Copies
   * of one object are one object. Of a claim that many make, each object meets a single one that contradicts it, so
   * that each is still in a pair.
   */
  *partnersOf(object: Manifest, snapshot: Snapshot): Generator<Manifest> {
    for (const other of this.contradicting(object, snapshot))
      if (identityOf(other.ref) > identityOf(object.ref)) yield other
  }

  /** All objects of a snapshot that contradict one. Of a claim that many make, it may meet a single one. */
  *contradicting(object: Manifest, snapshot: Snapshot): Generator<Manifest> {
    const claims = this.claimsIn(snapshot)
    const seen = new Set<string>()
    for (const [claim, place] of this.claimsOf(object)) {
      const claimants = claims.get(this.keyOf(object, claim))
      for (const other of claimants?.contradicting(object, this.says(object, place)) ?? []) {
        const identity = identityOf(other.ref)
        if (identity === identityOf(object.ref) || seen.has(identity)) continue
        seen.add(identity)
        yield other
      }
    }
  }

  /** The claims that two objects share, sorted. */
  shared(a: Manifest, b: Manifest): string[] {
    const [fewer, more] = [this.claimsOf(a), this.claimsOf(b)].sort((one, other) => one.size - other.size)
    return [...(fewer?.keys() ?? [])].filter((claim) => more?.has(claim)).sort()
  }

  private claimsIn(snapshot: Snapshot): ReadonlyMap<string, Claim> {
    const before = this.known.get(snapshot)
    if (before) return before
    const claims = new Map<string, Claim>()
    for (const object of this.compared.kinds.flatMap((kind) => snapshot.ofKind(kind))) {
      for (const [claim, place] of this.claimsOf(object)) {
        const key = this.keyOf(object, claim)
        const known = claims.get(key) ?? new Claim()
        claims.set(key, known)
        known.add(object, this.says(object, place))
      }
    }
    this.known.set(snapshot, claims)
    return claims
  }

  private keyOf(object: Manifest, claim: string): string {
    return JSON.stringify([this.compared.among(object), claim])
  }
}

interface Claimant {
  readonly object: Manifest
  readonly identity: string
  readonly says: string
}

/** One claim, and all that make it. */
class Claim {
  private readonly claimants: Claimant[] = []
  /** The first claimant by identity, and the first that contradicts it. */
  private firsts: readonly [first: Claimant, second: Claimant] | undefined

  add(object: Manifest, says: string): void {
    this.claimants.push({ object, identity: identityOf(object.ref), says })
  }

  /** The objects with which an object is compared. */
  *contradicting(object: Manifest, says: string): Generator<Manifest> {
    if (this.claimants.length <= mostInPairs) {
      yield* this.sayingOther(says)
      return
    }
    this.firsts ??= firstsOf(this.claimants)
    const [first, second] = this.firsts ?? []
    if (!first || !second) return
    // All that contradict the first one are compared with it; all that agree with it are compared with the second.
    if (object === first.object) yield* this.sayingOther(says)
    else if (says === first.says) yield second.object
    else {
      yield first.object
      if (object === second.object) yield* this.saying(first.says)
    }
  }

  private *saying(what: string): Generator<Manifest> {
    for (const { object, says } of this.claimants) if (says === what) yield object
  }

  private *sayingOther(what: string): Generator<Manifest> {
    for (const { object, says } of this.claimants) if (says !== what) yield object
  }
}

function firstsOf(claimants: readonly Claimant[]): readonly [Claimant, Claimant] | undefined {
  const sorted = [...claimants].sort((a, b) => (a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0))
  const [first] = sorted
  const second = sorted.find(({ says }) => says !== first?.says)
  return first && second && [first, second]
}
