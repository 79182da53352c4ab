import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { selectsLabels } from '../object/label-selector'
import { type Answer, isEmpty, isEqual, isOfCilium, isTrue, selects, textsIn } from './address-pool'
import type { BalancedService } from './balanced-service'

const metalKinds = ['L2Advertisement.metallb.io', 'BGPAdvertisement.metallb.io']
const layer2Kind = 'CiliumL2AnnouncementPolicy.cilium.io'
const ciliumKinds = [layer2Kind, 'CiliumBGPAdvertisement.cilium.io', 'CiliumBGPPeeringPolicy.cilium.io']

/** The kinds that make a network know where the addresses of pools are. */
export const announcerKinds: readonly GroupKind[] = [...metalKinds, ...ciliumKinds]

/** The objects of the program of a pool that may announce its addresses. */
export function announcersFor(pool: Manifest, snapshot: Snapshot): Manifest[] {
  const kinds = isOfCilium(pool) ? ciliumKinds : metalKinds
  return kinds.flatMap((kind) => snapshot.ofKind(kind))
}

/**
 * Whether an object announces addresses of a pool: MetalLB's that names or selects it, or none at all; Cilium's announces those of
 * Services. Sources: https://github.com/metallb/metallb/blob/v0.16.1/internal/config/config.go, setL2AdvertisementsToPools,
 * setBGPAdvertisementsToPools;
 * https://github.com/cilium/cilium/blob/00cfe9e813c628ce5a010f70d7d9c9b6b335379d/pkg/l2announcer/l2announcer.go, desiredEntries
 */
export function announces(announcer: Manifest, pool: Manifest): Answer {
  if (isOfCilium(announcer)) return isOfCilium(pool) && announcesBalancers(announcer)
  if (isOfCilium(pool) || !areTogether(announcer, pool)) return false
  const [names, selectors] = [namesIn(announcer), announcer.root.at('spec', 'ipAddressPoolSelectors')]
  if (names.length === 0 && isEmpty(selectors)) return true
  const answers = names.map(({ string = '' }) => isEqual(string, pool.ref.name))
  const labels = pool.root.at('metadata', 'labels')
  if (answers.includes(true) || [...selectors.items()].some((selector) => selectsLabels(selector, labels))) return true
  return answers.includes(undefined) ? undefined : false
}

/** Whether an object announces the address that a Service has of a pool. */
export function announcesFor(announcer: Manifest, pool: Manifest, service: BalancedService): Answer {
  const answer = announces(announcer, pool)
  if (answer !== true || groupKindOf(announcer.ref) !== layer2Kind) return answer
  return selects(announcer.root.at('spec', 'serviceSelector'), service)
}

function announcesBalancers({ ref, root }: Manifest): Answer {
  const spec = root.at('spec')
  switch (ref.kind) {
    case 'CiliumL2AnnouncementPolicy':
      return isTrue(spec.at('loadBalancerIPs'), false)
    case 'CiliumBGPAdvertisement':
      return [...spec.at('advertisements').items()].some(
        (one) =>
          one.at('advertisementType').string === 'Service' &&
          (textsIn(one.at('service', 'addresses')) ?? []).includes('LoadBalancerIP'),
      )
    default:
      return true
  }
}

/** The names of pools that an object of MetalLB has. */
export function namesIn({ root }: Manifest): Cursor[] {
  return [...root.at('spec', 'ipAddressPools').items()]
}

/** Whether two objects are in one namespace, as MetalLB reads its own alone; a tool may give one of them its namespace. */
export function areTogether({ ref: one }: Manifest, { ref: other }: Manifest): boolean {
  return one.namespace === other.namespace || one.namespace === '' || other.namespace === ''
}
