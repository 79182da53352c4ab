import { isMistyped } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import type { Parent } from '../ingress/gateway-route'
import { isPlaceholder } from '../ingress/ingress'
import { isInSupposedNamespace } from '../object/supposed-namespace'

const gatewayKind = 'Gateway.gateway.networking.k8s.io'

/** The sides of a change in which an object comes to name a Gateway. */
interface Sides {
  readonly base: Snapshot
  readonly head: Snapshot
  /** The parents of all other objects that name Gateways, of one side. */
  readonly others: (side: Snapshot) => readonly Parent[]
}

/** A Gateway that is not here. */
export interface MissingGateway {
  /** Where one Gateway alone is most likely meant: without its namespace, or with a typing error in its name. */
  readonly meant?: { readonly by: 'unqualified' | 'misspelled'; readonly gateway: Manifest }
  /** The message on all Gateways beside it; undefined where only the one that is meant shows the fault. */
  readonly as: 'noGateway' | 'otherNamespace' | undefined
  readonly beside: readonly Manifest[]
}

/** The Gateway that a route comes to name and that is not here, where others are beside it. */
export function missingGateway(parent: Parent, { base, head, others }: Sides): MissingGateway | undefined {
  const known = gatewaysBeside(parent, { base, head, others })
  // Several routes that come together may have one fault.
  const all = gatewaysBeside(parent, { base, head, others: (side) => (side === head ? [] : others(side)) })
  const name = parent.name.string ?? ''
  const namesakes = all.filter(({ ref }) => ref.name === name)
  const beside = known.length > 0 ? known : namesakes
  const as = known.length > 0 ? 'noGateway' : namesakes.length > 0 ? 'otherNamespace' : undefined
  const [gateway, ...more] = namesakes.length > 0 ? namesakes : all.filter(({ ref }) => isMistyped(name, ref.name))
  const by = namesakes.length === 0 ? 'misspelled' : parent.at.at('namespace').exists ? undefined : 'unqualified'
  if (gateway && by && more.length === 0) return { as, beside, meant: { by, gateway } }
  return as && { as, beside }
}

/**
 * The Gateways here that have the name of a Gateway that is not here, or that are in its namespace: it was most likely
 * one of them that an object means. None where another object names the same one, which then is somewhere else.
 */
export function gatewaysBeside({ name, namespace }: Parent, { base, head, others }: Sides): Manifest[] {
  const wanted = name.string ?? ''
  if (wanted === '' || namespace === '' || [wanted, namespace].some(isPlaceholder)) return []
  const isNamed = ({ ref }: Manifest) => ref.name === wanted && ref.namespace === namespace
  const gateways = head.ofKind(gatewayKind)
  // The release of a chart, and so its Gateway, may be in any namespace.
  const isUnknown = (one: Manifest) =>
    one.ref.name === wanted &&
    (one.ref.namespace === '' || isPlaceholder(one.ref.namespace) || isInSupposedNamespace(one))
  if ([...gateways, ...base.ofKind(gatewayKind)].some((one) => isNamed(one) || isUnknown(one))) return []
  const isUsed = [base, head].some((side) =>
    others(side).some((one) => one.name.string === wanted && one.namespace === namespace),
  )
  if (isUsed) return []
  const sameName = gateways.filter(({ ref }) => ref.name === wanted)
  return sameName.length > 0 ? sameName : gateways.filter(({ ref }) => ref.namespace === namespace)
}
