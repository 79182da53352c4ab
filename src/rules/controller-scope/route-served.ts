import type { Snapshot } from '../../cluster/snapshot'
import { ingressRouteKinds } from '../../kubernetes/controllers/traefik-middleware'
import { mayShareNamespace } from '../../kubernetes/object/namespace'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/route-served',
  summary: 'Each route of an IngressRoute has a service.',
  since: '1.15.0',
  scope: 'snapshot',
  kinds: ingressRouteKinds,
  direct: true,
  messages: {
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/router/router.go, ParseRouterTree: "router has no service
    // and no child routers"; v3.4.0, buildHTTPHandler: "the service is missing on the router"; before, the name of a
    // service that is not there
    unserved: ({ route, match }: { route: string; match: string }) =>
      `The route ${match} of ${route} has no services, so Traefik leaves it out, with its middlewares, and answers 404 for it. Name a service; where a middleware answers all requests, name noop@internal with kind: TraefikService.`,
  },
  putBack: { unserved: 'changed' },
  *partners({ ref }) {
    yield ref.name
  },
  check({ manifest, snapshot, report }) {
    const { root, ref } = manifest
    // A route with children sends them its requests: https://doc.traefik.io/traefik/v3.6/reference/routing-configuration/http/routing/multi-layer-routing/
    if (hasChild(manifest, snapshot)) return
    for (const one of root.at('spec', 'routes').items()) {
      const services = one.at('services')
      const isNone =
        !services.exists || services.value === null || (services.isList && [...services.items()].length === 0)
      const match = one.at('match').string
      if (!isNone || !match) continue
      report(
        services.exists ? services : one.at('match'),
        'unserved',
        { route: nameOf(ref), match: shortened(match) },
        { keys: [match] },
      )
    }
  },
})

/** Whether another IngressRoute may name this one as its parent. */
function hasChild(manifest: Manifest, snapshot: Snapshot): boolean {
  return ingressRouteKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .some((one) =>
      [...one.root.at('spec', 'parentRefs').items()].some((parent) => {
        const namespace = parent.at('namespace').string
        const isThere = namespace ? ['', namespace].includes(manifest.ref.namespace) : mayShareNamespace(one, manifest)
        return parent.at('name').string === manifest.ref.name && isThere
      }),
    )
}

function shortened(match: string): string {
  return match.length > 80 ? `${match.slice(0, 80)}…` : match
}
