import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, type ObjectRef } from '../../manifest/manifest'
import { ofTraefik } from '../ingress/traefik-kinds'

export const middlewareKinds = ofTraefik('Middleware')
export const ingressRouteKinds = ofTraefik('IngressRoute')

/** The names by which an object uses Middlewares, as Traefik keeps them: `shop-auth` for `auth` in `shop`. */
export function middlewaresOf(user: Manifest): { readonly name: string; readonly at: Cursor }[] {
  if (user.ref.kind === 'Ingress') {
    const at = user.root.at('metadata', 'annotations', 'traefik.ingress.kubernetes.io/router.middlewares')
    return (at.string ?? '').split(',').flatMap((written) => {
      const [name = '', provider] = written.trim().split('@')
      return provider === 'kubernetescrd' ? [{ name, at }] : []
    })
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
