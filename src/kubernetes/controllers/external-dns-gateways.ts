import type { Snapshot } from '../../cluster/snapshot'
import { type GroupKind, identityOf, type Manifest } from '../../manifest/manifest'
import { parentsOf, routeProtocols } from '../ingress/gateway-route'
import { isPlaceholder } from '../ingress/ingress'
import { valuesOfFlag } from '../workload/settings'
import { type DnsScope, dnsScopesIn } from './external-dns-scope'

/** The flag by which an ExternalDNS takes the routes of one Gateway alone. */
export const gatewayFlag = 'gateway-name'

/** The Gateway whose routes alone an ExternalDNS takes: its name; undefined where it takes others, too, or is not known. */
export function gatewayNameOf({ settings }: DnsScope): string | undefined {
  const name = settings.get(gatewayFlag)?.value
  return name && !isPlaceholder(name) ? name : undefined
}

/**
 * The hosts of routes for which an ExternalDNS makes records because they are attached to a Gateway of the name that it
 * takes. Source: https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0/source/gateway.go
 */
function hostsByGateway(scope: DnsScope, snapshot: Snapshot, base: Snapshot): ReadonlySet<string> {
  return new Set(routesByGateway(scope, snapshot, base).flatMap(hostnamesOf))
}

/** A Gateway that the base does not have may be one from elsewhere: then the routes that name it count. */
function routesByGateway(scope: DnsScope, snapshot: Snapshot, base: Snapshot): Manifest[] {
  const name = gatewayNameOf(scope)
  const sources = valuesOfFlag(scope.settings, 'source') ?? []
  const routes = Object.entries(sourceOf).flatMap(([kind, source]) =>
    sources.includes(source) ? snapshot.ofKind(kind) : [],
  )
  const [gateways, before] = [snapshot, base].map((one) => gatewaysNamed(name ?? '', one))
  const isElsewhere = gateways?.length === 0 && before?.length === 0
  const isTaken = (route: Manifest) =>
    parentsOf(route)?.some(
      (parent) =>
        parent.name.string === name &&
        (isElsewhere || gateways?.some(({ ref }) => [ref.namespace, ''].includes(parent.namespace))),
    )
  return routes.filter(isTaken)
}

/** The Gateways of a name. */
export function gatewaysNamed(name: string, snapshot: Snapshot): Manifest[] {
  return snapshot.ofKind('Gateway.gateway.networking.k8s.io').filter(({ ref }) => ref.name === name)
}

/**
 * The hosts that stay routed, and whose records an ExternalDNS deletes after a change because their routes are no longer
 * attached to a Gateway of the name that it takes. None where another one may make their records.
 */
export function hostsUnattached(was: DnsScope, is: DnsScope, base: Snapshot, head: Snapshot): string[] {
  if (!is.prunes || gatewayNameOf(was) === undefined || gatewayNameOf(is) === undefined) return []
  const had = hostsByGateway(was, base, base)
  const readers = had.size > 0 ? dnsScopesIn(head).filter((one) => readsRoutes(one) && mayShareRecords(one, is)) : []
  if (readers.some((one) => gatewayNameOf(one) === undefined)) return []
  const kept = new Set(readers.flatMap((one) => [...hostsByGateway(one, head, base)]))
  const routed = new Set(
    Object.keys(sourceOf)
      .flatMap((kind) => head.ofKind(kind))
      .flatMap(hostnamesOf),
  )
  return [...had].filter((host) => routed.has(host) && !kept.has(host)).sort()
}

/** The hosts whose routes leave the Gateway that an ExternalDNS follows. */
export interface RoutesLeaving {
  readonly is: DnsScope
  readonly hosts: readonly string[]
  /** The identity of the first of these routes. */
  readonly first: string
}

const known = new WeakMap<Snapshot, WeakMap<Snapshot, readonly RoutesLeaving[]>>()

/**
 * The hosts whose records an ExternalDNS deletes after a change because all of its routes come to name another Gateway, which
 * no other ExternalDNS takes, while it goes on taking those of the same one. Each change of a route asks for them, and they are found once.
 */
export function routesLeaving(base: Snapshot, head: Snapshot): readonly RoutesLeaving[] {
  const byHead = known.get(base) ?? new WeakMap<Snapshot, readonly RoutesLeaving[]>()
  known.set(base, byHead)
  const found = byHead.get(head) ?? findLeaving(base, head)
  byHead.set(head, found)
  return found
}

function findLeaving(base: Snapshot, head: Snapshot): RoutesLeaving[] {
  const now = new Map(dnsScopesIn(head).map((one) => [identityOf(one.workload.ref), one]))
  return dnsScopesIn(base).flatMap((was) => {
    const is = now.get(identityOf(was.workload.ref))
    const name = gatewayNameOf(was)
    if (!is || name === undefined || name !== gatewayNameOf(is)) return []
    // The removal of the Gateway is a change of its own.
    if (gatewaysNamed(name, base).length > 0 && gatewaysNamed(name, head).length === 0) return []
    // Where other routes stay, those that leave do so on purpose.
    if (routesByGateway(is, head, base).length > 0) return []
    const others = [...now.values()].filter((one) => one !== is)
    const taken = new Set(others.flatMap((one) => [...hostsByGateway(one, head, base)]))
    const hosts = new Set(hostsUnattached(was, is, base, head).filter((host) => !taken.has(host)))
    const routes = routesByGateway(was, base, base).filter((one) => hostnamesOf(one).some((host) => hosts.has(host)))
    const [first] = routes.map(({ ref }) => identityOf(ref)).sort()
    return first === undefined ? [] : [{ is, hosts: [...hosts], first }]
  })
}

/** Whether two ExternalDNS write to one provider, or may: another provider has records of its own. */
function mayShareRecords(one: DnsScope, other: DnsScope): boolean {
  const [its, own] = [one, other].map(({ settings }) => settings.get('provider')?.value)
  return its === undefined || own === undefined || its === own
}

/** Whether it reads routes of the Gateway API, or may. */
function readsRoutes({ settings }: DnsScope): boolean {
  return valuesOfFlag(settings, 'source')?.some((source) => source.startsWith('gateway-')) ?? true
}

/** The sources that read the kinds of routes with hostnames: `gateway-httproute`. */
const sourceOf: Readonly<Record<GroupKind, string>> = Object.fromEntries(
  Object.keys(routeProtocols).map((kind) => [kind, `gateway-${kind.slice(0, kind.indexOf('.')).toLowerCase()}`]),
)

/** The kinds of routes of which an ExternalDNS makes records by the Gateways that they name. */
export const routeKinds = Object.keys(routeProtocols) as GroupKind[]

function hostnamesOf({ root }: Manifest): string[] {
  const written = [...root.at('spec', 'hostnames').items()]
  return written.flatMap(({ string }) => string?.toLowerCase() ?? [])
}
