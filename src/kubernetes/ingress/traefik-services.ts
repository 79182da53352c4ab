import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { ofTraefik, traefikRouteKinds } from './traefik-kinds'

/** The kind that shares requests out among services, and that routes name in place of a Service. */
export const traefikServiceKinds: readonly GroupKind[] = ofTraefik('TraefikService')

/**
 * The places at which a route or a TraefikService of Traefik names services; none for other kinds. Source:
 * https://github.com/traefik/traefik/blob/v3.7.9/pkg/provider/kubernetes/crd/traefikio/v1alpha1/service.go
 */
export function traefikServicesIn({ ref, root }: Manifest): Cursor[] {
  const spec = root.at('spec')
  if (traefikRouteKinds.includes(groupKindOf(ref)))
    return [...spec.at('routes').items()].flatMap((route) => [...route.at('services').items()])
  if (!traefikServiceKinds.includes(groupKindOf(ref))) return []
  const lists = [
    spec.at('weighted', 'services'),
    spec.at('highestRandomWeight', 'services'),
    spec.at('mirroring', 'mirrors'),
  ]
  const single = [spec.at('mirroring'), spec.at('failover', 'service'), spec.at('failover', 'fallback')]
  return [...lists.flatMap((list) => [...list.items()]), ...single.filter(({ exists }) => exists)]
}
