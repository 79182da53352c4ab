import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { releaseWriting } from '../../kubernetes/charts/objects-in-values'
import { controllerKinds, marksOfControllers } from '../../kubernetes/controllers/controller'
import {
  chainedMiddlewares,
  isForTraefik,
  keyOf,
  middlewareKinds,
  middlewaresOf,
  serversTransportKinds,
  serversTransportsOf,
  type TraefikName,
  tlsOptionKinds,
  tlsOptionsOf,
  tlsRouteKinds,
  traefikServicesOf,
} from '../../kubernetes/controllers/traefik-middleware'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { ofTraefik } from '../../kubernetes/ingress/traefik-kinds'
import { traefikServiceKinds } from '../../kubernetes/ingress/traefik-services'
import { mayShareNamespace } from '../../kubernetes/object/namespace'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { defineRule } from '../../rule/rule'

/** A way in which objects name one of a kind, and the message on its removal. */
interface Use {
  readonly namesIn: (user: Manifest) => readonly TraefikName[]
  readonly message: 'removed' | 'option' | 'named'
}

const uses: Readonly<Record<string, readonly Use[]>> = {
  Middleware: [
    { namesIn: middlewaresOf, message: 'removed' },
    { namesIn: chainedMiddlewares, message: 'named' },
  ],
  TLSOption: [{ namesIn: tlsOptionsOf, message: 'option' }],
  TraefikService: [{ namesIn: traefikServicesOf, message: 'named' }],
  ServersTransport: [{ namesIn: serversTransportsOf, message: 'named' }],
}

const userKinds = [
  'Ingress.networking.k8s.io',
  ...tlsRouteKinds,
  ...traefikServiceKinds,
  ...middlewareKinds,
  'Service',
] as const

export default defineRule({
  id: 'controller-scope/middleware-kept',
  summary: 'Objects of Traefik are kept while a route or another one of them names them.',
  since: '1.7.0',
  scope: 'removal',
  assumed: { since: '1.7.0' },
  kinds: [...middlewareKinds, ...tlsOptionKinds, ...traefikServiceKinds, ...serversTransportKinds],
  reads: [
    'Ingress.networking.k8s.io',
    ...tlsRouteKinds,
    'Service',
    'IngressClass.networking.k8s.io',
    ...controllerKinds,
    ...releaseKinds,
  ],
  messages: {
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/middleware/middlewares.go, BuildMiddlewareChain,
    // and pkg/server/router/router.go, buildEntryPointHandler
    removed: ({ middleware, users }: { middleware: string; users: string }) =>
      `This change removes ${middleware}, which ${users} still names, so Traefik leaves these routes out and answers 404 for them. Restore it, or remove the reference, too.`,
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/router/tcp/manager.go, buildEntryPointHandler: a
    // closing route for the domains of a router whose TLS options are unknown
    option: ({ option, users }: { option: string; users: string }) =>
      `This change removes ${option}, which ${users} still names, so Traefik closes every TLS connection to these hosts. Restore it, or remove the reference, too.`,
    // Source: the first two, and pkg/server/service/service.go, BuildHTTP and getLoadBalancerServiceHandler: a service that
    // does not exist, and one whose ServersTransport is not found, are errors of the router
    named: ({ object, users }: { object: string; users: string }) =>
      `This change removes ${object}, which ${users} still names, so Traefik leaves out the routes that lead there, and answers 404 for them. Restore it, or remove the reference, too.`,
  },
  later: { option: '1.13.0', named: '1.30.0' },
  *partners({ ref }) {
    if (!Object.hasOwn(uses, ref.kind)) return
    yield ref.name
    yield* marksOfControllers
  },
  check({ removed, base, head, report, skip }) {
    if (isPlaceholder(removed.ref.name) || isThere(removed, head)) return
    for (const { namesIn, message } of uses[removed.ref.kind] ?? []) {
      const users = usersOf(removed, namesIn, head)
      if (users.length === 0) continue
      const release = releaseThatBrings(removed, base, head)
      if (release) {
        skip(removed.root, `${nameOf(release.ref)}, which this change adds or edits, may bring the ${removed.ref.kind}`)
        return
      }
      const writing = releaseWriting({ ...removed.ref, kinds: [removed.ref.kind] }, head)
      if (writing) {
        skip(
          removed.root,
          `${nameOf(writing.ref)} has the ${removed.ref.kind} in its values, and its chart was not rendered`,
        )
        return
      }
      const object = nameOf(removed.ref)
      const names = abridged([...new Set(users.map(({ manifest }) => nameOf(manifest.ref)))])
      const ends = [removed.root, ...users]
      if (message === 'option') report(ends, message, { option: object, users: names })
      else if (message === 'named') report(ends, message, { object, users: names })
      else report(ends, message, { middleware: object, users: names })
    }
  },
})

/** The places at which objects that stay name a removed one. */
function usersOf(removed: Manifest, namesIn: Use['namesIn'], head: Snapshot): Cursor[] {
  const { namespace } = removed.ref
  const key = keyOf(removed.ref)
  return userKinds
    .flatMap((kind) => head.ofKind(kind))
    .filter((one) => head.get(one.ref)[0] === one)
    .flatMap((one) => {
      // Without a namespace, what names it by its whole name cannot be matched.
      const isNear = namespace !== '' || (!wholeNames.includes(one.ref.kind) && mayShareNamespace(one, removed))
      const named = isNear ? namesIn(one).find((used) => used.name === key) : undefined
      return named && isForTraefik(one, head) ? [named.at] : []
    })
}

/** The kinds whose annotations name objects with their namespaces. */
const wholeNames: readonly string[] = ['Ingress', 'Service']

/** Whether an object of that name is still there, in either API group; a tool may choose a namespace. */
function isThere({ ref }: Manifest, head: Snapshot): boolean {
  return ofTraefik(ref.kind)
    .flatMap((kind) => head.ofKind(kind))
    .some((one) => one.ref.name === ref.name && ['', ref.namespace].includes(one.ref.namespace))
}

/** A release of a chart from elsewhere that comes or changes, and whose values name an object of that kind so. */
function releaseThatBrings({ ref: { kind, name } }: Manifest, base: Snapshot, head: Snapshot): Manifest | undefined {
  return releaseKinds
    .flatMap((kind) => head.ofKind(kind))
    .filter(({ ref, object }) => !base.get(ref).some((was) => was.object.content === object.content))
    .find(({ object }) => mentionsOneOf(object.content, [kind]) && mentionsOneOf(object.content, [name]))
}
