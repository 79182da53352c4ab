import type { Snapshot } from '../../cluster/snapshot'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { classOf } from './ingress-class'

/** More Ingresses of one claim than these are compared with one of them each, and no longer all with all. */
export const mostInPairs = 32

/**
 * Ingresses by their claims within their class. Two are compared if they share a claim with different content: such
 * pairs are found without comparing all with all.
 */
export class IngressPairs<Place> {
  private readonly read = new WeakMap<Manifest, ReadonlyMap<string, Place>>()
  private readonly known = new WeakMap<Snapshot, ReadonlyMap<string, Claim>>()

  /**
   * @param claims each claim of an Ingress and its place; none for an Ingress without claims, such as a canary
   * @param says the content of a claim of an Ingress
   */
  constructor(
    private readonly claims: (ingress: Manifest) => ReadonlyMap<string, Place>,
    private readonly says: (ingress: Manifest, place: Place) => string,
  ) {}

  claimsOf(ingress: Manifest): ReadonlyMap<string, Place> {
    const claims = this.read.get(ingress) ?? this.claims(ingress)
    this.read.set(ingress, claims)
    return claims
  }

  /**
   * The Ingresses of a snapshot that contradict one, so that each pair is met once, from its first by identity. Copies
   * of one object are one object. Of a claim that many make, each Ingress meets a single one that contradicts it, so
   * that each is still in a pair.
   */
  *partnersOf(ingress: Manifest, snapshot: Snapshot): Generator<Manifest> {
    const own = identityOf(ingress.ref)
    for (const other of this.contradicting(ingress, snapshot)) if (identityOf(other.ref) > own) yield other
  }

  /** All Ingresses of a snapshot that contradict one. Of a claim that many make, it may meet a single one. */
  *contradicting(ingress: Manifest, snapshot: Snapshot): Generator<Manifest> {
    const own = identityOf(ingress.ref)
    const claims = this.claimsIn(snapshot)
    const seen = new Set<string>()
    for (const [claim, place] of this.claimsOf(ingress)) {
      const claimants = claims.get(keyOf(ingress, claim))
      for (const other of claimants?.contradicting(ingress, this.says(ingress, place)) ?? []) {
        const identity = identityOf(other.ref)
        if (identity === own || seen.has(identity)) continue
        seen.add(identity)
        yield other
      }
    }
  }

  /** The claims that two Ingresses share, sorted. */
  shared(a: Manifest, b: Manifest): string[] {
    const [fewer, more] = [this.claimsOf(a), this.claimsOf(b)].sort((one, other) => one.size - other.size)
    return [...(fewer?.keys() ?? [])].filter((claim) => more?.has(claim)).sort()
  }

  private claimsIn(snapshot: Snapshot): ReadonlyMap<string, Claim> {
    const before = this.known.get(snapshot)
    if (before) return before
    const claims = new Map<string, Claim>()
    for (const ingress of snapshot.ofKind('Ingress.networking.k8s.io')) {
      for (const [claim, place] of this.claimsOf(ingress)) {
        const key = keyOf(ingress, claim)
        const known = claims.get(key) ?? new Claim()
        claims.set(key, known)
        known.add(ingress, this.says(ingress, place))
      }
    }
    this.known.set(snapshot, claims)
    return claims
  }
}

function keyOf(ingress: Manifest, claim: string): string {
  return JSON.stringify([classOf(ingress), claim])
}

interface Claimant {
  readonly ingress: Manifest
  readonly identity: string
  readonly says: string
}

/** One claim, and all that make it. */
class Claim {
  private readonly claimants: Claimant[] = []
  /** The first claimant by identity, and the first that contradicts it. */
  private firsts: readonly [first: Claimant, second: Claimant] | undefined

  add(ingress: Manifest, says: string): void {
    this.claimants.push({ ingress, identity: identityOf(ingress.ref), says })
  }

  /** The Ingresses with which an Ingress is compared. */
  *contradicting(ingress: Manifest, says: string): Generator<Manifest> {
    if (this.claimants.length <= mostInPairs) {
      yield* this.sayingOther(says)
      return
    }
    this.firsts ??= firstsOf(this.claimants)
    const [first, second] = this.firsts ?? []
    if (!first || !second) return
    // All that contradict the first one are compared with it; all that agree with it are compared with the second.
    if (ingress === first.ingress) yield* this.sayingOther(says)
    else if (says === first.says) yield second.ingress
    else {
      yield first.ingress
      if (ingress === second.ingress) yield* this.saying(first.says)
    }
  }

  private *saying(what: string): Generator<Manifest> {
    for (const { ingress, says } of this.claimants) if (says === what) yield ingress
  }

  private *sayingOther(what: string): Generator<Manifest> {
    for (const { ingress, says } of this.claimants) if (says !== what) yield ingress
  }
}

function firstsOf(claimants: readonly Claimant[]): readonly [Claimant, Claimant] | undefined {
  const sorted = [...claimants].sort((a, b) => (a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0))
  const [first] = sorted
  const second = sorted.find(({ says }) => says !== first?.says)
  return first && second && [first, second]
}
