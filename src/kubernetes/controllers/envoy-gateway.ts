import type { Snapshot } from '../../cluster/snapshot'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { releaseMentioning } from '../charts/chart-release'
import { parentsOf } from '../ingress/gateway-route'
import { isPlaceholder } from '../ingress/ingress'

/** The name of Envoy Gateway in its GatewayClass. */
export const envoyController = 'gateway.envoyproxy.io/gatewayclass-controller'

/** Whether a GatewayClass of Envoy Gateway is here. */
export function hasEnvoyGateway(snapshot: Snapshot): boolean {
  return snapshot
    .ofKind('GatewayClass.gateway.networking.k8s.io')
    .some(({ root }) => root.at('spec', 'controllerName').string === envoyController)
}

/** The key of the ConfigMap that configures Envoy Gateway: https://gateway.envoyproxy.io/docs/api/extension_types/#envoygateway */
export const envoyConfigKey = 'envoy-gateway.yaml'

/** A loss by a change of the configuration of Envoy Gateway. */
export interface EnvoyLoss {
  readonly how: 'reconfigured' | 'unwatched'
  readonly at: Cursor
  /** The name by which GatewayClasses name it; of the new configuration, the namespaces that it watches. */
  readonly was: string
  readonly is: string
  /** Gateways, and routes of Gateways. */
  readonly users: readonly Manifest[]
  /** A release that may bring another Envoy Gateway. */
  readonly release: Manifest | undefined
}

/**
 * The Gateways and routes that Envoy Gateway no longer takes. Source:
 * https://github.com/envoyproxy/gateway/blob/v1.9.0/internal/provider/kubernetes/predicates.go, hasMatchingController, and
 * api/v1alpha1/envoygateway_types.go, KubernetesWatchMode
 */
export function envoyLosses(change: Change, head: Snapshot, routes: readonly Manifest[]): EnvoyLoss[] {
  if (change.kind !== 'changed' || head.get(change.after.ref)[0] !== change.after) return []
  const [was, is] = [configOf(change.before), configOf(change.after)]
  if (!was || !is) return []
  const others = head.ofKind('ConfigMap').flatMap((one) => (one === change.after ? [] : (configOf(one) ?? [])))
  if (others.some(({ name }) => name === was.name)) return []
  const classes = head
    .ofKind('GatewayClass.gateway.networking.k8s.io')
    .filter(({ root }) => root.at('spec', 'controllerName').string === was.name)
  const names = new Set(classes.map(({ ref }) => ref.name))
  const gateways = head
    .ofKind('Gateway.gateway.networking.k8s.io')
    .filter((one) => head.get(one.ref)[0] === one && names.has(one.root.at('spec', 'gatewayClassName').string ?? ''))
  const common = { was: was.name, release: releaseMentioning('gateway-helm', head) }
  if (was.name !== is.name)
    return gateways.length > 0 ? [{ ...common, how: 'reconfigured', at: is.nameAt, is: is.name, users: gateways }] : []
  const watched = is.namespaces
  if (!watched) return []
  const isLost = ({ ref: { namespace } }: Manifest) =>
    namespace !== '' && !watched.includes(namespace) && (!was.namespaces || was.namespaces.includes(namespace))
  const known = new Set(gateways.map(({ ref }) => identityOf(ref)))
  const isOf = (route: Manifest) =>
    (parentsOf(route) ?? []).some((parent) => {
      const ref = { namespace: parent.namespace, name: parent.name.string ?? '' }
      return known.has(identityOf({ group: 'gateway.networking.k8s.io', kind: 'Gateway', ...ref }))
    })
  const users = [...gateways, ...routes.filter((one) => isOf(one))].filter(isLost)
  return users.length > 0
    ? [{ ...common, how: 'unwatched', at: is.watchAt, is: watched.join(', ') || 'none', users }]
    : []
}

interface EnvoyConfig {
  readonly name: string
  readonly nameAt: Cursor
  /** Undefined where it watches all, or those that a selector has. */
  readonly namespaces: readonly string[] | undefined
  readonly watchAt: Cursor
}

function configOf({ root, ref }: Manifest): EnvoyConfig | undefined {
  const config = root.at('data', envoyConfigKey).nested
  if (!config?.isMap || isPlaceholder(JSON.stringify(config.value))) return undefined
  const nameAt = config.at('gateway', 'controllerName')
  const watch = config.at('provider', 'kubernetes', 'watch')
  const listed = [...watch.at('namespaces').items()].flatMap(({ string }) => string ?? [])
  // It always watches its own namespace.
  const namespaces = watch.at('type').string === 'Namespaces' ? [...listed, ref.namespace] : undefined
  return { name: nameAt.string ?? envoyController, nameAt, namespaces, watchAt: watch.at('namespaces') }
}
