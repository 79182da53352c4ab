import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import type { Parent } from '../ingress/gateway-route'
import { isPlaceholder } from '../ingress/ingress'

const gatewayKind = 'Gateway.gateway.networking.k8s.io'

/**
 * The Gateways here that have the name of a Gateway that is not here, or that are in its namespace: it was most likely
 * one of them that an object means. None where another object names the same one, which then is somewhere else.
 *
 * @param others the parents of all other objects that name Gateways, of one side
 */
export function gatewaysBeside(
  { name, namespace }: Parent,
  { base, head, others }: { base: Snapshot; head: Snapshot; others: (side: Snapshot) => readonly Parent[] },
): Manifest[] {
  const wanted = name.string ?? ''
  if (wanted === '' || namespace === '' || [wanted, namespace].some(isPlaceholder)) return []
  const isNamed = ({ ref }: Manifest) => ref.name === wanted && ref.namespace === namespace
  const gateways = head.ofKind(gatewayKind)
  const isUnknown = ({ ref }: Manifest) => ref.name === wanted && (ref.namespace === '' || isPlaceholder(ref.namespace))
  if ([...gateways, ...base.ofKind(gatewayKind)].some((one) => isNamed(one) || isUnknown(one))) return []
  const isUsed = [base, head].some((side) =>
    others(side).some((one) => one.name.string === wanted && one.namespace === namespace),
  )
  if (isUsed) return []
  const sameName = gateways.filter(({ ref }) => ref.name === wanted)
  return sameName.length > 0 ? sameName : gateways.filter(({ ref }) => ref.namespace === namespace)
}
