import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { shareNamespace } from '../object/namespace'

/** The kinds of routes that have hostnames, with the protocols of the listeners that take them. */
export const routeProtocols: Readonly<Record<GroupKind, readonly string[]>> = {
  'HTTPRoute.gateway.networking.k8s.io': ['HTTP', 'HTTPS'],
  'GRPCRoute.gateway.networking.k8s.io': ['HTTP', 'HTTPS'],
  'TLSRoute.gateway.networking.k8s.io': ['TLS'],
}

/** A Gateway that a route names as its parent. */
export interface Parent {
  readonly at: Cursor
  readonly name: Cursor
  readonly namespace: string
  readonly sectionName: Cursor
  readonly port: unknown
}

/**
 * The Gateways among the parents of a route; undefined where a parent is of another kind, which has its own listeners.
 */
export function parentsOf(route: Manifest): Parent[] | undefined {
  const refs = [...route.root.at('spec', 'parentRefs').items()]
  const isGateway = (ref: Cursor) =>
    (ref.at('kind').string ?? 'Gateway') === 'Gateway' &&
    (ref.at('group').string ?? 'gateway.networking.k8s.io') === 'gateway.networking.k8s.io'
  if (!refs.every(isGateway)) return undefined
  return refs.map((at) => ({
    at,
    name: at.at('name'),
    namespace: at.at('namespace').string ?? route.ref.namespace,
    sectionName: at.at('sectionName'),
    port: at.at('port').value,
  }))
}

/** The Gateway that a parent reference names; undefined if the snapshot has none, or several copies. */
export function gatewayOf(snapshot: Snapshot, { at, name, namespace }: Parent): Manifest | undefined {
  const ref = { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace, name: name.string ?? '' }
  const [gateway, ...copies] = snapshot.get(ref)
  if (!gateway || copies.length > 0) return undefined
  return namespace !== '' || shareNamespace(at.manifest, gateway) ? gateway : undefined
}

/** The listeners of a Gateway that a parent reference selects. */
export function selectedListeners(gateway: Manifest, { sectionName, port }: Parent): Cursor[] {
  return [...gateway.root.at('spec', 'listeners').items()].filter(
    (listener) =>
      (!sectionName.string || listener.at('name').string === sectionName.string) &&
      (port === undefined || listener.at('port').value === port),
  )
}

/**
 * Whether the hostnames of a route and of a listener have a host in common. A wildcard matches one label or more here,
 * unlike in an Ingress and in a certificate. Source: Gateway API 1.6.1, apis/v1/httproute_types.go, Hostnames
 */
export function intersect(hostname: string, listener: string | undefined): boolean {
  if (!listener) return true
  const [a, b] = [hostname.toLowerCase(), listener.toLowerCase()]
  if (a === b) return true
  const below = (name: string, wildcard: string) => wildcard.startsWith('*.') && name.endsWith(wildcard.slice(1))
  return below(a, b) || below(b, a)
}
