import type { Snapshot } from '../../cluster/snapshot'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { parentsOf } from '../ingress/gateway-route'
import { isPlaceholder, routedHosts } from '../ingress/ingress'
import { listenersTaking } from './listener-narrowing'

/** The kinds of routes whose clients ask for a host with a protocol that has a port of its own. */
export const webRouteKinds = ['HTTPRoute.gateway.networking.k8s.io', 'GRPCRoute.gateway.networking.k8s.io'] as const

type Edited = Pick<Extract<Change, { kind: 'changed' }>, 'before' | 'after'>

/** A listener by which a Gateway no longer serves routes as their clients ask, although it still takes the routes. */
export interface ListenerLoss {
  /** `tls`: no listener with TLS is left; `port`: none on the port that clients use for its protocol. */
  readonly lost: 'tls' | 'port'
  /** What is left of it. */
  readonly at: Cursor
  readonly was: Cursor
  readonly routes: readonly Manifest[]
}

/** The listeners that a change of a Gateway takes from routes which name no other parent, each with its routes. */
export function listenerLosses({ before, after }: Edited, base: Snapshot, head: Snapshot): ListenerLoss[] {
  if ([base.get(before.ref), head.get(after.ref)].some((copies) => copies.length !== 1)) return []
  const found = new Map<string, ListenerLoss & { routes: Manifest[] }>()
  const routes = webRouteKinds.flatMap((kind) => head.ofKind(kind))
  const isOwn = (route: Manifest) =>
    parentsOf(route)?.every(
      ({ name, namespace }) => name.string === after.ref.name && namespace === after.ref.namespace,
    )
  const elsewhere = hostsOf(
    routes.filter((one) => !isOwn(one)),
    head,
  )
  for (const route of routes) {
    if (!isOwn(route) || head.get(route.ref)[0] !== route || base.get(route.ref).length === 0) continue
    // Another Gateway or Ingress serves the host, too: the traffic moves there.
    if (hostsIn(route).some((host) => elsewhere.has(host))) continue
    const was = listenersTaking(route, { gateway: before, snapshot: base }, { orMay: false })
    const is = listenersTaking(route, { gateway: after, snapshot: head }, { orMay: true })
    const loss = lossOf(was, is)
    if (!loss) continue
    const key = JSON.stringify([loss.lost, loss.was.at('name').string])
    const known = found.get(key)
    if (known) known.routes.push(route)
    else found.set(key, { ...loss, routes: [route] })
  }
  return [...found.values()]
}

/** The port on which clients ask, by the protocol of a listener. */
const usual: ReadonlyMap<string, number> = new Map([
  ['HTTPS', 443],
  ['HTTP', 80],
])

function lossOf(was: readonly Cursor[], is: readonly Cursor[]): Omit<ListenerLoss, 'routes'> | undefined {
  const left = (protocol: string) => is.filter((one) => one.at('protocol').string === protocol)
  const [first] = is
  if (!first || is.some((one) => isPlaceholder(String(one.at('port').value)))) return undefined
  // Requests for http are often sent on to https alone.
  const protocol = was.some((one) => one.at('protocol').string === 'HTTPS') ? 'HTTPS' : 'HTTP'
  const had = was.filter((one) => one.at('protocol').string === protocol)
  const [one] = had
  if (!one) return undefined
  const same = (other: Cursor) => other.at('name').string === one.at('name').string
  const stays = left(protocol)
  if (stays.length === 0) {
    const at = is.find(same)
    return protocol === 'HTTPS'
      ? { lost: 'tls', was: one.at('protocol'), at: at?.at('protocol') ?? above(first) }
      : undefined
  }
  const isUsual = (listener: Cursor) => listener.at('port').value === usual.get(protocol)
  const front = had.find(isUsual)
  const moved = stays.find(same) ?? stays[0]
  if (!front || !moved || stays.some(isUsual)) return undefined
  return { lost: 'port', was: front.at('port'), at: moved.at('port') }
}

function above({ manifest }: Cursor): Cursor {
  return manifest.root.at('spec', 'listeners')
}

/** The hosts of some routes, and of all Ingresses. */
function hostsOf(routes: readonly Manifest[], head: Snapshot): ReadonlySet<string> {
  const ingresses = head.ofKind('Ingress.networking.k8s.io').flatMap((one) => [...routedHosts(one).keys()])
  return new Set([...routes.flatMap(hostsIn), ...ingresses])
}

function hostsIn({ root }: Manifest): string[] {
  return [...root.at('spec', 'hostnames').items()].flatMap(({ string }) => string?.toLowerCase() ?? [])
}

/**
 * The controllers that offer the ports of listeners on the address of a Gateway, as they write its Service: the listeners of others
 * have the ports of Pods, or lie behind a balancer of one's own. Sources: envoyproxy/gateway at d32f28294245,
 * internal/infrastructure/kubernetes/proxy/resource_provider.go (Service); istio/istio,
 * pilot/pkg/config/kube/gateway/deploymentcontroller.go (extractServicePorts)
 */
const offering = ['gateway.envoyproxy.io/gatewayclass-controller', 'istio.io/gateway-controller']

/** Whether the address of a Gateway has the ports of its listeners, and no others. */
export function offersItsPorts({ root }: Manifest, snapshot: Snapshot): boolean {
  const name = root.at('spec', 'gatewayClassName').string ?? ''
  // Istio takes the Service with that address for the Gateway.
  if (root.at('spec', 'addresses').exists) return false
  const classes = snapshot.ofKind('GatewayClass.gateway.networking.k8s.io').filter(({ ref }) => ref.name === name)
  // Istio makes its class itself.
  if (classes.length === 0) return name === 'istio'
  return classes.every((one) => offering.includes(one.root.at('spec', 'controllerName').string ?? ''))
}
