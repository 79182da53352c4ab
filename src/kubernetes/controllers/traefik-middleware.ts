import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, type ObjectRef } from '../../manifest/manifest'
import { classOf } from '../ingress/ingress-class'
import { ofTraefik } from '../ingress/traefik-kinds'
import { controllersIn } from './controller'
import { mayTakeIngress } from './controller-ingresses'

export const middlewareKinds = ofTraefik('Middleware')
export const ingressRouteKinds = ofTraefik('IngressRoute')
export const tlsOptionKinds = ofTraefik('TLSOption')
const tcpRouteKinds = ofTraefik('IngressRouteTCP')
/** The kinds that can name a TLSOption, besides Ingresses. */
export const tlsRouteKinds = [...ingressRouteKinds, ...tcpRouteKinds]

/** The names by which an object uses Middlewares, as Traefik keeps them: `shop-auth` for `auth` in `shop`. */
export function middlewaresOf(user: Manifest): { readonly name: string; readonly at: Cursor }[] {
  if (user.ref.kind === 'Ingress') {
    return annotatedMiddlewares(user).flatMap(({ name, provider, at }) =>
      provider === 'kubernetescrd' ? [{ name, at }] : [],
    )
  }
  if (!ingressRouteKinds.includes(groupKindOf(user.ref))) return []
  return [...user.root.at('spec', 'routes').items()]
    .flatMap((route) => [...route.at('middlewares').items()])
    .flatMap((at) => {
      const name = at.at('name').string
      if (!name || name.includes('@')) return []
      const namespace = at.at('namespace').string || user.ref.namespace
      return [{ name: keyOf({ namespace, name }), at: at.at('name') }]
    })
}

/** The TLSOption that an object names, as Traefik keeps it. */
export function tlsOptionsOf({ ref, root }: Manifest): { readonly name: string; readonly at: Cursor }[] {
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
