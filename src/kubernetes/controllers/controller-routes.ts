import { gte } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { proxyKind } from '../ingress/contour-proxy'
import { isPlaceholder } from '../ingress/ingress'
import { classAnnotation, classOf, classReadFrom } from '../ingress/ingress-class'
import { formerGroup, traefikRouteKinds } from '../ingress/traefik-kinds'
import type { Controller } from './controller'
import { mayTakeIngress, takesIngress, watches } from './controller-ingresses'

/** The Ingresses, the HTTPProxies of Contour or the routes of Traefik, where a controller takes these. */
export function routesFor({ facts }: Controller, snapshot: Snapshot): Manifest[] {
  const ofContour = facts.name === contour ? [proxyKind] : []
  if (facts.takes === 'Ingresses') return sortedOfKinds(['Ingress.networking.k8s.io', ...ofContour], snapshot)
  return facts.takes === 'IngressRoutes' ? sortedOfKinds(traefikRouteKinds, snapshot) : []
}

const contour = 'contour'

/** What messages call routes of the kind of one, which a controller takes. */
export function wordForRoutes({ facts }: Controller, route: Manifest): string {
  return isProxy(route) ? 'HTTPProxies' : facts.takes
}

/** By name; of several copies of one, the first. */
export function sortedOfKinds(kinds: readonly GroupKind[], snapshot: Snapshot): Manifest[] {
  const all = kinds.flatMap((kind) => snapshot.ofKind(kind)).filter((one) => snapshot.get(one.ref)[0] === one)
  return all.sort((a, b) => (nameOf(a.ref) < nameOf(b.ref) ? -1 : 1))
}

/** The class that an Ingress or a route of Traefik asks for; empty without one. */
export function classAsked(route: Manifest): string {
  return (isOfTraefik(route) ? classAnnotation(route).string : classOf(route)) ?? ''
}

/** Whether a controller certainly takes an Ingress, an HTTPProxy or a route of Traefik. */
export function takesRoute(controller: Controller, route: Manifest, snapshot: Snapshot): boolean {
  if (isProxy(route)) return readsProxy(controller, route)
  return isOfTraefik(route) ? readsRoute(controller, route) : takesIngress(controller, route, snapshot)
}

/** Whether a controller may take an Ingress, an HTTPProxy or a route of Traefik. */
export function mayTakeRoute(controller: Controller, route: Manifest, snapshot: Snapshot): boolean {
  if (isProxy(route)) return mayReadProxy(controller, route)
  return isOfTraefik(route) ? mayReadRoute(controller, route) : mayTakeIngress(controller, route, snapshot)
}

function isOfTraefik({ ref }: Manifest): boolean {
  return traefikRouteKinds.includes(groupKindOf(ref))
}

function isProxy({ ref }: Manifest): boolean {
  return groupKindOf(ref) === proxyKind
}

/** Whether a Contour certainly reads an HTTPProxy. */
function readsProxy({ watched, claims, facts }: Controller, proxy: Manifest): boolean {
  if (facts.name !== contour || !watches(watched, proxy.ref.namespace) || ownClassOf(proxy).exists) return false
  return claims.length > 0 && claims.every((way) => claimsProxy(way, proxy))
}

/** Whether a Contour may read an HTTPProxy: no known fact about its namespaces and classes excludes it. */
function mayReadProxy({ watched, claims, facts }: Controller, proxy: Manifest): boolean {
  if (facts.name !== contour) return false
  const { namespace } = proxy.ref
  const isKnown = watched.scope === 'all' || watched.scope === 'namespaces'
  if (isKnown && !isPlaceholder(namespace) && !watches(watched, namespace)) return false
  return claims.length === 0 || ownClassOf(proxy).exists || claims.some((way) => claimsProxy(way, proxy))
}

/** The annotation of Contour's own that wins over the others. */
function ownClassOf({ root }: Manifest): Cursor {
  return root.at('metadata', 'annotations', 'projectcontour.io/ingress.class')
}

/**
 * There is no default class for HTTPProxies. Source:
 * https://github.com/projectcontour/contour/blob/v1.33.6/internal/ingressclass/ingressclass.go, MatchesHTTPProxy
 */
function claimsProxy(way: Controller['claims'][number], proxy: Manifest): boolean {
  const named = classReadFrom(proxy, ['annotation', 'field'])
  return named ? way.names.includes(named.name) : way.unclassed
}

/**
 * Whether a Traefik certainly reads a route of its own kinds. Source for the former group:
 * https://doc.traefik.io/traefik/v3.0/migration/v2-to-v3-details/#kubernetes-crds-api-group-traefikcontainous
 */
function readsRoute({ watched, claims, facts, release }: Controller, route: Manifest): boolean {
  if (facts.takes !== 'IngressRoutes' || !watches(watched, route.ref.namespace)) return false
  if (route.ref.group === formerGroup && (release === undefined || gte(release, '3.0.0'))) return false
  return claims.length > 0 && claims.every((way) => isClaimed(way, route))
}

/** Whether a Traefik may read a route of its own kinds: no known fact about its namespaces and classes excludes it. */
function mayReadRoute({ watched, claims, facts }: Controller, route: Manifest): boolean {
  if (facts.takes !== 'IngressRoutes') return false
  const isKnown = watched.scope === 'all' || watched.scope === 'namespaces'
  if (isKnown && !isPlaceholder(route.ref.namespace) && !watches(watched, route.ref.namespace)) return false
  return claims.length === 0 || claims.some((way) => isClaimed(way, route))
}

function isClaimed(way: Controller['claims'][number], route: Manifest): boolean {
  const name = classAnnotation(route).string
  return name === undefined ? way.unclassed : way.names.includes(name)
}
