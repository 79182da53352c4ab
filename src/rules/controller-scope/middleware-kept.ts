import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, marksOfControllers } from '../../kubernetes/controllers/controller'
import {
  isForTraefik,
  keyOf,
  middlewareKinds,
  middlewaresOf,
  tlsOptionKinds,
  tlsOptionsOf,
  tlsRouteKinds,
} from '../../kubernetes/controllers/traefik-middleware'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { mayShareNamespace } from '../../kubernetes/object/namespace'
import { abridged } from '../../listing'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { defineRule } from '../../rule/rule'

const userKinds = ['Ingress.networking.k8s.io', ...tlsRouteKinds] as const

export default defineRule({
  id: 'controller-scope/middleware-kept',
  summary: 'A Middleware and a TLSOption of Traefik are kept while a route names them.',
  since: '1.7.0',
  scope: 'removal',
  assumed: { since: '1.7.0' },
  kinds: [...middlewareKinds, ...tlsOptionKinds],
  reads: [...userKinds, 'IngressClass.networking.k8s.io', ...controllerKinds, ...releaseKinds],
  messages: {
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/middleware/middlewares.go, BuildMiddlewareChain,
    // and pkg/server/router/router.go, buildEntryPointHandler
    removed: ({ middleware, users }: { middleware: string; users: string }) =>
      `This change removes ${middleware}, which ${users} still names, so Traefik leaves these routes out and answers 404 for them. Restore it, or remove its name there, too.`,
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/router/tcp/manager.go, buildEntryPointHandler: a
    // closing route for the domains of a router whose TLS options are unknown
    option: ({ option, users }: { option: string; users: string }) =>
      `This change removes ${option}, which ${users} still names, so Traefik closes every TLS connection to these hosts. Restore it, or remove its name there, too.`,
  },
  later: { option: '1.13.0' },
  *partners({ ref }) {
    if (ref.kind !== 'Middleware' && ref.kind !== 'TLSOption') return
    yield ref.name
    yield* marksOfControllers
  },
  check({ removed, base, head, report, skip }) {
    const { namespace, name } = removed.ref
    const isOption = removed.ref.kind === 'TLSOption'
    const kinds = isOption ? tlsOptionKinds : middlewareKinds
    if (isPlaceholder(name) || kinds.some((kind) => isThere(kind, removed, head))) return
    const key = keyOf(removed.ref)
    const users = userKinds
      .flatMap((kind) => head.ofKind(kind))
      .filter((one) => head.get(one.ref)[0] === one && isForTraefik(one, head))
      .flatMap((one) => {
        // Without a namespace, an Ingress cannot be matched: its annotation has the whole name.
        const named = (isOption ? tlsOptionsOf(one) : middlewaresOf(one)).find((used) => used.name === key)
        const isNear = namespace !== '' || (one.ref.kind !== 'Ingress' && mayShareNamespace(one, removed))
        return named && isNear ? [named.at] : []
      })
    if (users.length === 0) return
    const release = releaseThatBrings(removed, base, head)
    if (release) {
      skip(removed.root, `${nameOf(release.ref)}, which this change adds or edits, may bring the ${removed.ref.kind}`)
      return
    }
    const names = [...new Set(users.map(({ manifest }) => nameOf(manifest.ref)))]
    const ends = [removed.root, ...users]
    if (isOption) report(ends, 'option', { option: nameOf(removed.ref), users: abridged(names) })
    else report(ends, 'removed', { middleware: nameOf(removed.ref), users: abridged(names) })
  },
})

/** Whether an object of that name is still there, in either API group; a tool may choose a namespace. */
function isThere(kind: GroupKind, { ref }: Manifest, head: Snapshot): boolean {
  return head.ofKind(kind).some((one) => one.ref.name === ref.name && ['', ref.namespace].includes(one.ref.namespace))
}

/** A release of a chart from elsewhere that comes or changes, and whose values name an object of that kind so. */
function releaseThatBrings({ ref: { kind, name } }: Manifest, base: Snapshot, head: Snapshot): Manifest | undefined {
  return releaseKinds
    .flatMap((kind) => head.ofKind(kind))
    .filter(({ ref, object }) => !base.get(ref).some((was) => was.object.content === object.content))
    .find(({ object }) => mentionsOneOf(object.content, [kind]) && mentionsOneOf(object.content, [name]))
}
