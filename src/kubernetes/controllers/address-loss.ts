import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { announcersFor, announces, announcesFor, areTogether, namesIn } from './address-announcer'
import { answerOf, isEqual, isOfCilium, poolsIn } from './address-pool'
import { type BalancedService, balancedServicesIn } from './balanced-service'

/** A Service that a pool gave its address before a change. */
export interface AddressLoss {
  readonly was: BalancedService
  readonly is: BalancedService
  readonly pool: Manifest
}

/** The Services that a pool gave their address before a change, and none may afterwards; objects never change. */
export function addressLosses(base: Snapshot, head: Snapshot): readonly AddressLoss[] {
  const known = lossesOf.get(head)
  if (known?.base === base) return known.losses
  const pools = poolsIn(head)
  const losses = servicesOfBoth(base, head).flatMap(({ was, is }) => {
    const pool = poolsIn(base).find((one) => answerOf(one, was).given === true)
    return pool && pools.every((one) => answerOf(one, is).given === false) ? [{ was, is, pool }] : []
  })
  lossesOf.set(head, { base, losses })
  return losses
}

const lossesOf = new WeakMap<Snapshot, { readonly base: Snapshot; readonly losses: readonly AddressLoss[] }>()

/** The Services that an object of the base announced, and none may afterwards, although a pool still gives them an address. */
export function silencedServices(announcer: Manifest, base: Snapshot, head: Snapshot): AddressLoss[] {
  return servicesOfBoth(base, head).flatMap(({ was, is }) => {
    const pool = poolsIn(base).find(
      (one) => answerOf(one, was).given === true && announcesFor(announcer, one, was) === true,
    )
    const left = pool ? poolsIn(head).filter((one) => answerOf(one, is).given !== false) : []
    // The other program announces what it gives.
    const isSilenced = left.every(
      (one) =>
        isOfCilium(one) === isOfCilium(announcer) &&
        announcersFor(one, head).every((by) => announcesFor(by, one, is) === false),
    )
    return pool && left.length > 0 && isSilenced ? [{ was, is, pool }] : []
  })
}

function servicesOfBoth(base: Snapshot, head: Snapshot): { was: BalancedService; is: BalancedService }[] {
  const before = new Map(balancedServicesIn(base).map((one) => [one.id, one]))
  return balancedServicesIn(head).flatMap((is) => {
    const was = before.get(is.id)
    return was ? [{ was, is }] : []
  })
}

/** Whether nothing announces a pool for certain. */
export function isSilent(pool: Manifest, snapshot: Snapshot): boolean {
  return announcersFor(pool, snapshot).every((one) => announces(one, pool) === false)
}

/** The pools that an object of the base announced and nothing announces afterwards, as they are at the head. */
export function silencedPools(announcer: Manifest, base: Snapshot, head: Snapshot): Manifest[] {
  return poolsIn(base)
    .filter((pool) => announces(announcer, pool) === true)
    .flatMap(({ ref }) => head.get(ref))
    .filter((pool) => isSilent(pool, head))
}

/** The names of pools that are not there, in an object of MetalLB, while nothing announces one that is. */
export function misnamedPools(announcer: Manifest, head: Snapshot) {
  const pools = poolsIn(head).filter((pool) => areTogether(announcer, pool))
  const silent = pools.filter((pool) => isSilent(pool, head))
  return namesIn(announcer).flatMap((at) => {
    const text = at.string ?? ''
    const [pool] = silent
    const isMissing = text !== '' && pools.every(({ ref }) => isEqual(text, ref.name) === false)
    return isMissing && pool ? [{ by: announcer, at, text, pool }] : []
  })
}
