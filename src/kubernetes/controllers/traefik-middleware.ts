import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, type ObjectRef } from '../../manifest/manifest'
import { classOf } from '../ingress/ingress-class'
import { ofTraefik } from '../ingress/traefik-kinds'
import { traefikServicesIn } from '../ingress/traefik-services'
import { controllersIn } from './controller'
import { mayTakeIngress } from './controller-ingresses'

export const middlewareKinds = ofTraefik('Middleware')
export const ingressRouteKinds = ofTraefik('IngressRoute')
export const serversTransportKinds = ofTraefik('ServersTransport')
export const tlsOptionKinds = ofTraefik('TLSOption')
const tcpRouteKinds = ofTraefik('IngressRouteTCP')
/** The kinds that can name a TLSOption, besides Ingresses. */
export const tlsRouteKinds = [...ingressRouteKinds, ...tcpRouteKinds]

/** The name of an object of Traefik, as Traefik keeps it: `shop-auth` for `auth` in `shop`; and its place. */
export interface TraefikName {
  readonly name: string
  readonly at: Cursor
}

/** The names by which an object uses Middlewares. */
export function middlewaresOf(user: Manifest): TraefikName[] {
  if (user.ref.kind === 'Ingress') {
    return annotatedMiddlewares(user).flatMap(({ name, provider, at }) =>
      provider === 'kubernetescrd' ? [{ name, at }] : [],
    )
  }
  if (!ingressRouteKinds.includes(groupKindOf(user.ref))) return []
  return [...user.root.at('spec', 'routes').items()]
    .flatMap((route) => [...route.at('middlewares').items()])
    .flatMap((at) => nameIn(at, user))
}

/** The Middlewares that a Middleware chains. */
export function chainedMiddlewares(user: Manifest): TraefikName[] {
  if (!middlewareKinds.includes(groupKindOf(user.ref))) return []
  return [...user.root.at('spec', 'chain', 'middlewares').items()].flatMap((at) => nameIn(at, user))
}

/** The TraefikServices that a route, another one or the error pages of a Middleware name. */
export function traefikServicesOf(user: Manifest): TraefikName[] {
  const pages = middlewareKinds.includes(groupKindOf(user.ref)) ? [user.root.at('spec', 'errors', 'service')] : []
  return [...traefikServicesIn(user), ...pages]
    .filter((at) => at.at('kind').string === 'TraefikService')
    .flatMap((at) => nameIn(at, user))
}

/**
 * The ServersTransports that a route, a TraefikService or the annotation of a Service names. Source:
 * https://github.com/traefik/traefik/blob/v3.7.9/pkg/provider/kubernetes/crd/kubernetes_http.go, makeServersTransportKey
 */
export function serversTransportsOf(user: Manifest): TraefikName[] {
  // Those of IngressRouteTCPs are of another kind.
  if (tcpRouteKinds.includes(groupKindOf(user.ref))) return []
  const { ref, root } = user
  const isService = groupKindOf(ref) === 'Service'
  const annotation = root.at('metadata', 'annotations', 'traefik.ingress.kubernetes.io/service.serverstransport')
  const places = isService ? [annotation] : traefikServicesIn(user).map((one) => one.at('serversTransport'))
  return places.flatMap((at) => {
    const [name, provider] = (at.string ?? '').trim().split('@')
    if (!name || (provider === undefined ? isService : provider !== 'kubernetescrd')) return []
    return [{ name: provider === undefined ? keyOf({ namespace: ref.namespace, name }) : name, at }]
  })
}

/** The name at a place that has a namespace beside it; one with a provider is no object. */
function nameIn(at: Cursor, { ref }: Manifest): TraefikName[] {
  const name = at.at('name').string
  if (!name || name.includes('@')) return []
  return [{ name: keyOf({ namespace: at.at('namespace').string || ref.namespace, name }), at: at.at('name') }]
}

/** The TLSOption that an object names, as Traefik keeps it. */
export function tlsOptionsOf({ ref, root }: Manifest): TraefikName[] {
  if (ref.kind === 'Ingress') {
    const at = root.at('metadata', 'annotations', 'traefik.ingress.kubernetes.io/router.tls.options')
    const [name, provider] = (at.string ?? '').trim().split('@')
    return name && provider === 'kubernetescrd' ? [{ name, at }] : []
  }
  const options = root.at('spec', 'tls', 'options')
  const at = options.at('name')
  // With a provider in its name, it is no object; without one, `default` is always there.
  if (!at.string || at.string.includes('@') || (at.string === 'default' && !options.at('namespace').string)) return []
  return [{ name: keyOf({ namespace: options.at('namespace').string || ref.namespace, name: at.string }), at }]
}

/** The Middlewares that the annotation of an Ingress names, each with its provider if one is written. */
export function annotatedMiddlewares({ root }: Manifest): { name: string; provider: string | undefined; at: Cursor }[] {
  const at = root.at('metadata', 'annotations', 'traefik.ingress.kubernetes.io/router.middlewares')
  return (at.string ?? '').split(',').flatMap((written) => {
    const [name, provider] = written.trim().split('@')
    return name ? [{ name, provider, at }] : []
  })
}

/**
 * The key of a Middleware in Traefik. Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/provider, `makeID` in
 * kubernetes/crd/kubernetes.go and `Normalize` in configuration.go
 */
export function keyOf({ namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>): string {
  return `${namespace}-${name}`
    .split(/[^\p{L}\p{N}]/u)
    .filter(Boolean)
    .join('-')
}

/** Whether Traefik may serve an Ingress: an annotation often stays where another controller came. */
export function isForTraefik(user: Manifest, head: Snapshot): boolean {
  if (user.ref.kind !== 'Ingress') return true
  const takers = controllersIn(head).filter((one) => mayTakeIngress(one, user, head))
  if (takers.length > 0) return takers.some(({ facts }) => facts.name.startsWith('traefik'))
  const name = classOf(user)
  const classes = head.ofKind('IngressClass.networking.k8s.io').filter(({ ref }) => ref.name === name)
  const says = classes.map(({ root }) => root.at('spec', 'controller').string ?? '')
  return [name ?? 'traefik', ...says].some((word) => word.includes('traefik'))
}
