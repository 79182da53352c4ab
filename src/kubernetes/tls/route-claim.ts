import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { readMatch } from '../controllers/traefik-match'
import { proxyKind } from '../ingress/contour-proxy'
import { isPlaceholder } from '../ingress/ingress'
import { ofTraefik } from '../ingress/traefik-kinds'
import type { TlsClaim } from './tls-claim'

const traefikKinds: readonly GroupKind[] = ['IngressRoute', 'IngressRouteTCP'].flatMap(ofTraefik)

/** The kinds of Traefik and Contour that name Secrets for the TLS of hosts. */
export const routeClaimKinds: readonly GroupKind[] = [...traefikKinds, proxyKind]

/** Whether an object is a route of Traefik that may name a Secret. */
export function isTraefikRoute({ ref }: Manifest): boolean {
  return traefikKinds.includes(groupKindOf(ref))
}

/** The Secrets from which a route of Traefik or Contour has its hosts served; none for other kinds. */
export function routeClaims(route: Manifest): TlsClaim[] {
  if (groupKindOf(route.ref) === proxyKind) return ofProxy(route)
  return isTraefikRoute(route) ? ofTraefikRoute(route) : []
}

/**
 * The Secret of an HTTPProxy, which may be in another namespace. Source: https://github.com/projectcontour/contour,
 * internal/k8s/helpers.go (NamespacedNameFrom) and internal/dag/httpproxy_processor.go
 */
function ofProxy({ ref, root }: Manifest): TlsClaim[] {
  const virtualHost = root.at('spec', 'virtualhost')
  const at = virtualHost.at('tls', 'secretName')
  const [host, written] = [virtualHost.at('fqdn').string, at.string]
  if (!host || !written) return []
  const [, namespace = ref.namespace, secret = ''] = written.match(/^(?:([^/]*)\/)?(.*)$/s) ?? []
  return [{ host: inLowerCase(host), secret, namespace, at }]
}

/** The Secret of a route of Traefik, of its own namespace; a resolver of certificates needs none. */
function ofTraefikRoute(route: Manifest): TlsClaim[] {
  const { ref, root } = route
  const tls = root.at('spec', 'tls')
  const at = tls.at('secretName')
  const { string: secret } = at
  if (!secret || tls.at('certResolver').string) return []
  return traefikHosts(route).map((host) => ({ host, secret, namespace: ref.namespace, at }))
}

/** The hosts that the matches of a route of Traefik name, each once. */
export function traefikHosts({ root }: Manifest): string[] {
  return [...new Set([...root.at('spec', 'routes').items()].flatMap((route) => hostsOf(route.at('match'))))]
}

/** Source: https://github.com/traefik/traefik, pkg/muxer/http/mux.go, `ParseDomains`: hosts below `!` are none of the route. */
function hostsOf({ string }: Cursor): string[] {
  const read = readMatch(string ?? '')
  if ('fault' in read) return []
  return read.matchers
    .filter(({ name, isNegated }) => !isNegated && ['host', 'hostheader', 'hostsni'].includes(name.toLowerCase()))
    .flatMap(({ values }) => values.filter((value) => value !== '*').map(inLowerCase))
}

/** A host in lower case, but for its variables. */
export function inLowerCase(host: string): string {
  return isPlaceholder(host) ? host : host.toLowerCase()
}
