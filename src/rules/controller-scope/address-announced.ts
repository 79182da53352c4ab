import { workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import {
  namesOfReleaseParts,
  releaseKinds,
  releaseMentioning,
  releasePartKinds,
} from '../../kubernetes/charts/chart-release'
import { announcerKinds, announcersFor } from '../../kubernetes/controllers/address-announcer'
import {
  type AddressLoss,
  addressLosses,
  isSilent,
  misnamedPools,
  silencedPools,
  silencedServices,
} from '../../kubernetes/controllers/address-loss'
import {
  addressesFor,
  answerOf,
  isOfCilium,
  poolAskedBy,
  poolKinds,
  poolsIn,
} from '../../kubernetes/controllers/address-pool'
import { marksOfBalancers } from '../../kubernetes/controllers/balanced-service'
import { type MetalPlace, metalPlaces } from '../../kubernetes/controllers/metallb-place'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { enumerated } from '../../listing'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const serviceKinds = ['Service', ...releaseKinds]
const kindsOfPrograms = [...poolKinds, ...announcerKinds]
/** The kinds without their groups, as they are written. */
const marksOfPrograms = kindsOfPrograms.map((kind) => `${kind.split('.', 1)[0]}`)

type Lost = Record<'pool' | 'services' | 'program', string>

const outcome = 'and the hosts behind it are not reached'

export default defineRule({
  id: 'controller-scope/address-announced',
  summary: 'A Service of type LoadBalancer keeps its address of MetalLB or Cilium, and the network learns where it is.',
  since: '1.29.0',
  scope: 'change',
  kinds: [...kindsOfPrograms, ...serviceKinds],
  reads: [...releasePartKinds, ...workloadKinds],
  messages: {
    unaddressed: ({ pool, services, program, address }: Lost & { address: string }) =>
      `${pool} gives ${services} an address, and after this change no pool here gives it ${address}: ${program} leaves it without an address, ${outcome}. Keep an address for ${services} in a pool that may serve it.`,
    gone: ({ pool, services, program }: Lost) =>
      `${pool} gives ${services} an address, and after this change ${program} has no pool here and takes it away. Unless something else gives ${services} an address, the hosts behind it are not reached. Keep the pool until something else does.`,
    unannounced: ({ pool, announcer }: Record<'pool' | 'announcer', string>) =>
      `${announcer} announced the addresses of ${pool}, and after this change nothing here does: the network no longer learns the way to them, so no client reaches the Services that have them. Let an object announce the pool again, or remove both.`,
    unselected: ({ services, announcer }: Record<'services' | 'announcer', string>) =>
      `${announcer} announced the address of ${services}, and after this change nothing here does: the network no longer learns the way to it, ${outcome}. Select the Service again.`,
    misnamed: ({ announcer, name, pool }: Record<'announcer' | 'name' | 'pool', string>) =>
      `${announcer} names the pool ${name}, which is not there, and nothing announces the addresses of ${pool}: no client reaches the Services that have them. Name a pool that is there.`,
    // Source: https://github.com/metallb/metallb/blob/v0.16.1/internal/k8s/k8s.go, New
    misplaced: ({ object, namespace, by, own }: Record<'object' | 'namespace' | 'by' | 'own', string>) =>
      `This change adds ${object} in namespace ${namespace}, and ${by} installs MetalLB in namespace ${own}, where alone it reads its pools and announcements: this one has no effect, and Services of type LoadBalancer get no address by it. Write namespace: ${own}.`,
  },
  later: { misplaced: '1.32.0' },
  putBack: { unaddressed: 'changed', unannounced: 'changed', unselected: 'changed', misnamed: 'changed' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
    const isOfProgram = kindsOfPrograms.includes(groupKindOf(manifest.ref))
    if (isOfProgram) yield* [...marksOfBalancers, 'metallb']
    if (isOfProgram || marksOfBalancers.some((mark) => manifest.object.content.includes(mark))) yield* marksOfPrograms
  },
  check({ change, base, head, report, skip }) {
    const at = change.kind === 'removed' ? change.before.root : change.after.root
    const place = change.kind === 'added' ? placeAside(change.after, head) : undefined
    if (place) {
      const { ref, root } = at.manifest
      const args = { object: nameOf(ref), namespace: ref.namespace, by: nameOf(place.by.ref), own: place.namespace }
      report([root.at('metadata', 'namespace'), place.by.root], 'misplaced', args, { keys: [place.namespace] })
      return
    }
    const losses = lossesBy(change, base, head)
    const pools = silencedBy(change, base, head)
    const services = pools.length > 0 ? [] : unselectedBy(change, base, head)
    const misnamed = pools.length > 0 ? [] : misnamedBy(change, base, head)
    if ([losses, pools, services, misnamed].every(({ length }) => length === 0)) return
    // A release that makes such objects itself shows none of them.
    const release = marksOfPrograms.map((kind) => releaseMentioning(kind, head)).find((one) => one !== undefined)
    if (release) {
      skip(at, `${nameOf(release.ref)} may create the pools and the announcements that Services lack here`)
      return
    }
    const announcer = nameOf(refOf(change))
    const [first] = losses
    if (first) {
      const { pool } = first
      const isExplicit = losses.some(({ is }) => addressesFor(is, pool).length > 0 || poolAskedBy(is) !== undefined)
      const isAnyLeft = poolsIn(head).some((one) => isOfCilium(one) === isOfCilium(pool))
      const names = losses.map(({ is }) => is.name)
      const args = {
        pool: nameOf(pool.ref),
        services: enumerated(names, 3),
        program: isOfCilium(pool) ? 'Cilium' : 'MetalLB',
      }
      const [asked] = losses.flatMap(({ is }) => addressesFor(is, pool))
      const address = asked ? `the address ${asked.address}, for which it asks` : 'one'
      const ends = endsOf(change, losses)
      if (isExplicit || isAnyLeft) report(ends, 'unaddressed', { ...args, address }, { keys: names })
      else report(ends, 'gone', args, { keys: names })
    }
    for (const pool of pools)
      report(
        [decisiveIn(change), pool.root],
        'unannounced',
        { pool: nameOf(pool.ref), announcer },
        { keys: [pool.ref.name] },
      )
    if (services.length > 0) {
      const names = services.map(({ is }) => is.name)
      const ends = [decisiveIn(change), ...services.map(({ is }) => is.manifest.root)]
      report(ends, 'unselected', { services: enumerated(names, 3), announcer }, { keys: names })
    }
    for (const { by, at: name, text, pool } of misnamed) {
      const args = { announcer: nameOf(by.ref), name: text, pool: nameOf(pool.ref) }
      report([name, pool.root], 'misnamed', args, { keys: [text] })
    }
  },
})

/** Where MetalLB runs, if it does not read an object of its kinds there. */
function placeAside(manifest: Manifest, head: Snapshot): MetalPlace | undefined {
  const { namespace } = manifest.ref
  if (!groupKindOf(manifest.ref).endsWith('.metallb.io') || namespace === '' || isPlaceholder(namespace))
    return undefined
  const places = metalPlaces(head)
  return places.some((place) => place.namespace === namespace) ? undefined : places[0]
}

function refOf(change: Change) {
  return (change.kind === 'removed' ? change.before : change.after).ref
}

/** The Services that lose their address by a change of the pool that gave it, or by a change of their own. */
function lossesBy(change: Change, base: Snapshot, head: Snapshot): AddressLoss[] {
  const own = identityOf(refOf(change))
  if (change.kind === 'added') return []
  return addressLosses(base, head).filter(({ was, is, pool }) => {
    const isLeft = head.get(pool.ref).some((one) => answerOf(one, was).given !== false)
    return own === identityOf((isLeft ? is.manifest : pool).ref)
  })
}

/** The field that decides it first: of the pool that changed, or of the Service. */
function endsOf(change: Change, losses: readonly AddressLoss[]): Cursor[] {
  const asked = losses.map(({ is, pool }) => addressesFor(is, pool)[0]?.at ?? is.manifest.root)
  const [{ pool, is }] = losses as [AddressLoss]
  if (!poolKinds.includes(groupKindOf(refOf(change)))) return [...asked, pool.root]
  return [change.kind === 'removed' ? change.before.root : answerOf(change.after, is).at, ...asked]
}

function silencedBy(change: Change, base: Snapshot, head: Snapshot): Manifest[] {
  return isOfAnnouncer(change) && change.kind !== 'added' ? silencedPools(change.before, base, head) : []
}

function unselectedBy(change: Change, base: Snapshot, head: Snapshot): AddressLoss[] {
  return isOfAnnouncer(change) && change.kind !== 'added' ? silencedServices(change.before, base, head) : []
}

/** The names of pools that are not there: new ones of an announcement, and all where a pool is new that nothing announces. */
function misnamedBy(change: Change, base: Snapshot, head: Snapshot) {
  if (change.kind === 'removed') return []
  const { after } = change
  if (poolKinds.includes(groupKindOf(after.ref)))
    return change.kind === 'added' && isSilent(after, head)
      ? announcersFor(after, head).flatMap((one) => misnamedPools(one, head))
      : []
  if (!isOfAnnouncer(change)) return []
  const had = change.kind === 'changed' ? misnamedPools(change.before, base) : []
  return misnamedPools(after, head).filter(({ text }) => had.every((one) => one.text !== text))
}

function isOfAnnouncer(change: Change): boolean {
  return announcerKinds.includes(groupKindOf(refOf(change)))
}

/** The field of an announcement that decides what it announces. */
function decisiveIn(change: Change): Cursor {
  if (change.kind === 'removed') return change.before.root
  const spec = change.after.root.at('spec')
  const fields = ['ipAddressPools', 'ipAddressPoolSelectors', 'loadBalancerIPs', 'serviceSelector', 'advertisements']
  return fields.map((field) => spec.at(field)).find(({ exists }) => exists) ?? change.after.root
}
