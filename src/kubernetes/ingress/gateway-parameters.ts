import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, type ObjectRef } from '../../manifest/manifest'

const group = 'gateway.networking.k8s.io'
export const gatewayKind: GroupKind = `Gateway.${group}`
export const gatewayClassKind: GroupKind = `GatewayClass.${group}`

/** The parameters of Envoy Gateway, for the proxies of a Gateway. */
export const envoyProxyKind: GroupKind = 'EnvoyProxy.gateway.envoyproxy.io'

/**
 * The kinds of parameters without which a controller accepts neither the class nor its Gateways; that of NGINX does. Sources:
 * envoyproxy/gateway v1.6.0, internal/provider/kubernetes/controller.go, processGatewayClassParamsRef; cilium/cilium v1.18.0,
 * operator/pkg/gateway-api/gatewayclass_reconcile.go
 */
export const parameterKinds: readonly GroupKind[] = [envoyProxyKind, 'CiliumGatewayClassConfig.cilium.io']

/** The reference of a GatewayClass, or of a Gateway for itself, to its parameters. */
export interface ParametersReference {
  readonly at: Cursor
  readonly to: ObjectRef
}

export function parametersOf({ ref, root }: Manifest): ParametersReference | undefined {
  const isClass = ref.kind === 'GatewayClass'
  const at = isClass ? root.at('spec', 'parametersRef') : root.at('spec', 'infrastructure', 'parametersRef')
  const [name, kind, itsGroup] = ['name', 'kind', 'group'].map((key) => at.at(key).string ?? '')
  const namespace = isClass ? at.at('namespace').string : ref.namespace
  if (!name || !kind || namespace === undefined) return undefined
  const to = { group: itsGroup ?? '', kind, namespace, name }
  return parameterKinds.includes(groupKindOf(to)) ? { at: at.at('name'), to } : undefined
}

/** The Gateways of a class. */
export function gatewaysOfClass(name: string, snapshot: Snapshot): Manifest[] {
  return snapshot.ofKind(gatewayKind).filter(({ root }) => root.at('spec', 'gatewayClassName').string === name)
}

/** The Gateways that references lead from to parameters, with the reference of each. */
export function usersOfParameters(ref: ObjectRef, snapshot: Snapshot): { at: Cursor; gateways: Manifest[] }[] {
  return [gatewayClassKind, gatewayKind]
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((one) => {
      const reference = parametersOf(one)
      if (!reference || !isSame(reference.to, ref)) return []
      const gateways = one.ref.kind === 'Gateway' ? [one] : gatewaysOfClass(one.ref.name, snapshot)
      return gateways.length > 0 ? [{ at: reference.at, gateways }] : []
    })
}

function isSame(a: ObjectRef, b: ObjectRef): boolean {
  return groupKindOf(a) === groupKindOf(b) && a.name === b.name && a.namespace === b.namespace
}
