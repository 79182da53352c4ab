import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { intersect, type Parent, parentsOf, routeProtocols } from '../ingress/gateway-route'
import { isPlaceholder } from '../ingress/ingress'
import { selectsBy } from '../object/label-selector'
import { labelOfNamespace } from '../object/namespace'
import { isInSupposedNamespace } from '../object/supposed-namespace'

/** A Gateway, in a snapshot. */
export interface Side {
  readonly gateway: Manifest
  readonly snapshot: Snapshot
}

/** A field for which a listener refuses a route. */
interface Refusal {
  readonly at: Cursor
  readonly why: 'port' | 'protocol' | 'hostname' | 'kinds' | 'namespaces' | 'gone'
}

const protocols: typeof routeProtocols = {
  ...routeProtocols,
  'TCPRoute.gateway.networking.k8s.io': ['TCP'],
  'UDPRoute.gateway.networking.k8s.io': ['UDP'],
}

/**
 * The part of a Gateway that newly refuses a route; undefined if some listener may still accept it. The names and
 * hostnames in the route itself are checked by route-attached.
 */
export function narrowedFor(route: Manifest, before: Side, after: Side): Refusal | undefined {
  const { namespace, name } = after.gateway.ref
  const own = (parentsOf(route) ?? []).filter((one) => one.name.string === name && one.namespace === namespace)
  for (const parent of own) {
    if (!listenersFor(parent, before.gateway).some((one) => isTaken(one, route, parent, before))) continue
    const now = listenersFor(parent, after.gateway)
    // Of the others, a name without a listener is reported with the route.
    const isNamed = entryOf(routeProtocols, groupKindOf(route.ref)) !== undefined && parent.sectionName.string
    if (now.length === 0 && !isNamed) return { at: after.gateway.root.at('spec', 'listeners'), why: 'gone' }
    const refusals = now.flatMap((one) => refusalOf(one, route, parent, after) ?? [])
    // One that takes it, or may.
    if (refusals.length < now.length) return undefined
    const [refusal] = refusals.filter(({ why }) => why !== 'hostname')
    if (refusal) return refusal
  }
  return undefined
}

/** The listeners of a Gateway that take a route; where they may, those for which that is unknown, too. */
export function listenersTaking(route: Manifest, side: Side, { orMay }: { orMay: boolean }): Cursor[] {
  const { namespace, name } = side.gateway.ref
  const own = (parentsOf(route) ?? []).filter((one) => one.name.string === name && one.namespace === namespace)
  const takes = (listener: Cursor, parent: Parent) =>
    orMay ? refusalOf(listener, route, parent, side) === undefined : isTaken(listener, route, parent, side)
  return own.flatMap((parent) => listenersFor(parent, side.gateway).filter((one) => takes(one, parent)))
}

function listenersFor({ sectionName }: Parent, gateway: Manifest): Cursor[] {
  const listeners = [...gateway.root.at('spec', 'listeners').items()]
  return listeners.filter((one) => !sectionName.string || one.at('name').string === sectionName.string)
}

function isTaken(listener: Cursor, route: Manifest, parent: Parent, side: Side): boolean {
  return refusalOf(listener, route, parent, side) === undefined && namespacesOf(listener, route, side) === true
}

function refusalOf(listener: Cursor, route: Manifest, parent: Parent, side: Side): Refusal | undefined {
  const kind = groupKindOf(route.ref)
  const hosts = [...route.root.at('spec', 'hostnames').items()].flatMap(({ string }) => string ?? [])
  if (hosts.length > 0 && !hosts.some((host) => intersect(host, listener.at('hostname').string)))
    return { at: listener.at('hostname'), why: 'hostname' }
  if (parent.port !== undefined && parent.port !== listener.at('port').value)
    return { at: listener.at('port'), why: 'port' }
  const allowed = entryOf(protocols, kind)
  if (allowed && !allowed.includes(listener.at('protocol').string ?? ''))
    return { at: listener.at('protocol'), why: 'protocol' }
  const kinds = listener.at('allowedRoutes', 'kinds')
  const names = [...kinds.items()].map((one) => one.at('kind').string)
  if (names.length > 0 && !names.includes(route.ref.kind)) return { at: kinds, why: 'kinds' }
  if (namespacesOf(listener, route, side) === false)
    return { at: listener.at('allowedRoutes', 'namespaces'), why: 'namespaces' }
  return undefined
}

/**
 * Whether a listener accepts routes of a route's namespace; undefined if that is unknown. Source: Gateway API 1.6.1,
 * apis/v1/gateway_types.go, RouteNamespaces
 */
function namespacesOf(listener: Cursor, { ref }: Manifest, { gateway, snapshot }: Side): boolean | undefined {
  const at = listener.at('allowedRoutes', 'namespaces')
  switch (at.at('from').string ?? 'Same') {
    case 'All':
      return true
    case 'Same':
      return ref.namespace === gateway.ref.namespace
    case 'None':
      return false
    default: {
      const [namespace] = snapshot.get({ group: '', kind: 'Namespace', namespace: '', name: ref.namespace })
      return namespace && selectsBy(at.at('selector'), (key) => labelOfNamespace(namespace, key))
    }
  }
}

/**
 * Whether a listener lets in the routes of a route's namespace; undefined where the namespaces or its labels are unknown, as
 * those of a chart that nothing known installs.
 */
export function letsIn(listener: Cursor, route: Manifest, snapshot: Snapshot): boolean | undefined {
  const gateway = listener.manifest
  const isOpen = [route, gateway].some(({ ref }) => ref.namespace === '' || isPlaceholder(ref.namespace))
  const isSupposed = [route, gateway].some(isInSupposedNamespace)
  const takesNone = listener.at('allowedRoutes', 'namespaces', 'from').string === 'None'
  return isOpen || (isSupposed && !takesNone) ? undefined : namespacesOf(listener, route, { gateway, snapshot })
}
