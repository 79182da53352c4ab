import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { ChartSettings } from '../charts/chart-settings'
import { gatewayOf, parentsOf } from '../ingress/gateway-route'
import { isPlaceholder } from '../ingress/ingress'
import { traefikRouteKinds } from '../ingress/traefik-kinds'
import { traefikServiceKinds } from '../ingress/traefik-services'
import { type Controller, controllersHere, nameOfController } from './controller'
import { mayTakeIngress, takesIngress } from './controller-ingresses'
import { workloadsRunning } from './gateway-controller'

/** Pods from which the requests of a route come, as a NetworkPolicy selects them. */
export interface RouteClient {
  readonly name: string
  readonly namespace: string
  /** The labels of the Pods; undefined where a chart that is not rendered writes them. */
  readonly labels: Cursor | undefined
  /** Labels that its namespace has no more, for certain. */
  readonly lost?: ReadonlySet<string>
  /** The place from which they are known. */
  readonly at: Cursor
}

/**
 * The Pods that may send the requests of a route to its Services; undefined unless all of them are known. The nodes send them
 * where a controller uses the host's network, and a policy takes those by address.
 */
export function clientsOf(route: Manifest, snapshot: Snapshot): readonly RouteClient[] | undefined {
  if (controllerNameOf(route, snapshot) === ofEnvoy) return proxiesOfEnvoy(snapshot)
  const controllers = controllersOfRoute(route, snapshot)
  const clients = controllers.flatMap((one) => clientOf(one) ?? [])
  return clients.length > 0 && clients.length === controllers.length ? clients : undefined
}

/** The controllers that may serve a route; none unless one of them does. */
function controllersOfRoute(route: Manifest, snapshot: Snapshot): Controller[] {
  const all = controllersHere(snapshot)
  const kind = groupKindOf(route.ref)
  if ([...traefikRouteKinds, ...traefikServiceKinds].includes(kind))
    return all.filter(({ facts }) => facts.takes === 'IngressRoutes')
  if (kind !== 'Ingress.networking.k8s.io')
    return controllerNameOf(route, snapshot) === ofTraefik ? all.filter(({ facts }) => facts.takes === 'Gateways') : []
  const its = all.filter((one) => mayTakeIngress(one, route, snapshot))
  return its.some((one) => takesIngress(one, route, snapshot)) ? its : []
}

const ofTraefik = 'traefik.io/gateway-controller'
const ofEnvoy = 'gateway.envoyproxy.io/gatewayclass-controller'

/** The controller of the Gateways that are the parents of a route; undefined unless it is one for all of them. */
function controllerNameOf(route: Manifest, snapshot: Snapshot): string | undefined {
  const gateways = (parentsOf(route) ?? []).map((parent) => gatewayOf(snapshot, parent))
  const classes = snapshot.ofKind('GatewayClass.gateway.networking.k8s.io')
  const names = gateways.flatMap((gateway) => {
    const name = gateway?.root.at('spec', 'gatewayClassName').string
    return classes.find(({ ref }) => ref.name === name)?.root.at('spec', 'controllerName').string ?? []
  })
  const [first] = names
  return names.length === gateways.length && names.every((name) => name === first) ? first : undefined
}

/** Words of settings with which the proxies run elsewhere: in the namespaces of the Gateways, or with the addresses of nodes. */
export const envoyElsewhere: readonly string[] = ['GatewayNamespace', 'hostNetwork']

/**
 * The proxies of Envoy Gateway, which run in the namespace of their controller; undefined where its settings may say
 * otherwise. Source: https://gateway.envoyproxy.io/docs/tasks/operations/gateway-namespace-mode/
 */
function proxiesOfEnvoy(snapshot: Snapshot): RouteClient[] | undefined {
  // A Job of the same image makes its certificates.
  const [controller, ...others] = workloadsRunning(ofEnvoy, snapshot)
  if (!controller || others.some(({ ref }) => ref.namespace !== controller.ref.namespace)) return undefined
  const settings = ['ConfigMap', 'EnvoyProxy.gateway.envoyproxy.io'].flatMap((kind) => snapshot.ofKind(kind))
  const isElsewhere = ({ object }: Manifest) => envoyElsewhere.some((word) => object.content.includes(word))
  const { namespace } = controller.ref
  if (namespace === '' || isPlaceholder(namespace) || settings.some(isElsewhere)) return undefined
  return [{ name: 'Envoy Gateway', namespace, labels: undefined, at: controller.root }]
}

/** The controllers that send requests from other Pods than their own: those of Envoy, and of a gateway beside them. */
const apart: readonly string[] = ['contour', 'kong']

function clientOf(controller: Controller): RouteClient | undefined {
  const { facts, manifest, namespace, installed, place } = controller
  if (apart.includes(facts.name) || namespace === '' || isPlaceholder(namespace)) return undefined
  const name = nameOfController(controller)
  if (installed) {
    const { release } = installed
    const isOnNodes = new ChartSettings(release.facts, release).isCase(release.facts.onNodes)
    return isOnNodes ? undefined : { name, namespace, labels: undefined, at: place }
  }
  const spec = podOf(manifest).at('spec')
  if (spec.at('hostNetwork').value === true || manifest.ref.namespace !== namespace) return undefined
  return { name: nameOf(manifest.ref), namespace, labels: podOf(manifest).at('metadata', 'labels'), at: place }
}
