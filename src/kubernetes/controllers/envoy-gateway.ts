import type { Snapshot } from '../../cluster/snapshot'

/** The name of Envoy Gateway in its GatewayClass. */
export const envoyController = 'gateway.envoyproxy.io/gatewayclass-controller'

/** Whether a GatewayClass of Envoy Gateway is here. */
export function hasEnvoyGateway(snapshot: Snapshot): boolean {
  return snapshot
    .ofKind('GatewayClass.gateway.networking.k8s.io')
    .some(({ root }) => root.at('spec', 'controllerName').string === envoyController)
}
