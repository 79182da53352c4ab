import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { traefiksReading } from '../controllers/traefik-names'
import { proxyKind } from '../ingress/contour-proxy'
import { isPlaceholder, namesCovering } from '../ingress/ingress'
import { openshiftRouteKind } from '../ingress/openshift-route'
import { ofTraefik } from '../ingress/traefik-kinds'
import { tlsListeners } from './gateway-tls'
import { inLowerCase, traefikHosts } from './route-claim'
import { tlsHosts } from './routed-hosts'

const ingressRouteKinds = ofTraefik('IngressRoute')

/** The kinds of routes with a field of their own that has the controller end TLS for their hosts. */
export const securedRouteKinds: readonly GroupKind[] = [openshiftRouteKind, ...ingressRouteKinds, proxyKind]

interface RouteTls {
  readonly hosts: readonly string[]
  /** The field with the first host, or what is above it. */
  readonly host: Cursor
  readonly tls: Cursor
}

function routeTls(manifest: Manifest): RouteTls | undefined {
  const kind = groupKindOf(manifest.ref)
  const spec = manifest.root.at('spec')
  if (ingressRouteKinds.includes(kind))
    return { hosts: traefikHosts(manifest), host: spec.at('routes', 0, 'match'), tls: spec.at('tls') }
  if (!securedRouteKinds.includes(kind)) return undefined
  const [host, tls] =
    kind === proxyKind
      ? [spec.at('virtualhost', 'fqdn'), spec.at('virtualhost', 'tls')]
      : [spec.at('host'), spec.at('tls')]
  return { hosts: host.string ? [inLowerCase(host.string)] : [], host, tls }
}

/** The hosts for which a route ends TLS. */
export function securedHostsOf(route: Manifest): readonly string[] {
  const its = routeTls(route)
  return its?.tls.isMap ? its.hosts : []
}

/** The hosts that a route no longer has TLS for, and what becomes of requests for them. */
export interface RouteTlsLoss {
  readonly at: Cursor
  readonly was: Cursor
  readonly hosts: readonly string[]
  readonly outcome: string
}

/**
 * The loss of TLS by a change of a route that goes on with the same hosts, where no other object here ends TLS for them. Sources:
 * openshift/router at 4b401a86dccc, images/router/haproxy/conf/haproxy-config.template (os_edge_reencrypt_be.map);
 * https://github.com/projectcontour/contour/blob/v1.33.6/internal/dag/httpproxy_processor.go (computeHTTPProxy: only with
 * `tls` it makes a SecureVirtualHost); https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/routerfactory.go (BuildHandlers)
 */
export function routeTlsLoss(before: Manifest, after: Manifest, head: Snapshot): RouteTlsLoss | undefined {
  const [was, is] = [routeTls(before), routeTls(after)]
  if (!was?.tls.isMap || !is || is.tls.isMap || isFilledIn(after)) return undefined
  const outcome = outcomeOf(after, head)
  const kept = is.hosts.filter((host) => was.hosts.includes(host) && !isPlaceholder(host))
  const hosts = kept.filter((host) => !namesCovering(host).some((name) => securedHosts(head).has(name)))
  return outcome && hosts.length > 0 ? { at: is.host, was: was.tls, hosts, outcome } : undefined
}

/**
 * Whether cert-manager's controller for Routes, or the one for ACME, writes the field. Source:
 * https://github.com/cert-manager/openshift-routes
 */
function isFilledIn({ root }: Manifest): boolean {
  const keys = [...root.at('metadata', 'annotations').entries()].map(([key]) => key)
  return keys.some((key) => key.startsWith('cert-manager.io/') || key === 'kubernetes.io/tls-acme')
}

function outcomeOf(route: Manifest, head: Snapshot): string | undefined {
  const kind = groupKindOf(route.ref)
  if (kind === proxyKind) return 'Envoy closes the connections'
  if (kind === openshiftRouteKind) return 'the router answers with an error page to the requests'
  return isPlainAtEntry(route, head) ? 'Traefik answers 404 to the requests' : undefined
}

/** Whether the entry points of a route of Traefik certainly give no TLS to routes without their own. */
function isPlainAtEntry(route: Manifest, head: Snapshot): boolean {
  const points = [...route.root.at('spec', 'entryPoints').items()]
  const names = points.flatMap(({ string }) => string?.toLowerCase() ?? [])
  const readers = traefiksReading(route, head)
  const isPlain = (name: string) =>
    readers.every(
      ({ controller: { settings }, entryPoint }) =>
        entryPoint.includes(name) && !settings.has(`entrypoints.${name}.http.tls`),
    )
  return readers.length > 0 && names.length > 0 && names.every(isPlain)
}

const known = new WeakMap<Snapshot, ReadonlySet<string>>()

/** The names of hosts for which an Ingress, a Gateway or a route of a snapshot ends TLS. */
function securedHosts(snapshot: Snapshot): ReadonlySet<string> {
  const before = known.get(snapshot)
  if (before) return before
  const ofKinds = (...kinds: readonly GroupKind[]) => kinds.flatMap((kind) => snapshot.ofKind(kind))
  const listeners = ofKinds('Gateway.gateway.networking.k8s.io').flatMap(tlsListeners)
  const secured = new Set([
    ...ofKinds('Ingress.networking.k8s.io').flatMap((one) => [...tlsHosts(one).keys()]),
    ...listeners.flatMap((listener) => listener.at('hostname').string?.toLowerCase() ?? []),
    ...ofKinds(...securedRouteKinds).flatMap(securedHostsOf),
  ])
  known.set(snapshot, secured)
  return secured
}
