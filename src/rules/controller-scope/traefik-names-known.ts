import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  controllerKinds,
  controllersOf,
  endsAt,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { holdsSettings, namesOfParts } from '../../kubernetes/controllers/controller-parts'
import {
  marksOfNamesInRoutes,
  namesInRoute,
  namesOfTraefik,
  traefiksReading,
} from '../../kubernetes/controllers/traefik-names'
import { traefikRouteKinds } from '../../kubernetes/ingress/traefik-kinds'
import { enumerated } from '../../listing'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const userKinds = ['Ingress.networking.k8s.io', ...traefikRouteKinds] as const

type Names = Record<'route' | 'name' | 'traefik' | 'known', string>

export default defineRule({
  id: 'controller-scope/traefik-names-known',
  summary: 'Traefik has the entry points and the certificate resolvers that its routes name.',
  since: '1.29.0',
  scope: 'snapshot',
  kinds: userKinds,
  reads: ['IngressClass.networking.k8s.io', ...controllerKinds, ...releaseKinds, 'ConfigMap'],
  subjects: [{ kinds: userKinds, marks: marksOfNamesInRoutes }],
  direct: true,
  messages: {
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/router/router.go and pkg/config/runtime/runtime_http.go,
    // GetRoutersByEntryPoints: EntryPoint doesn't exist; No valid entryPoint for this router
    entryPoint: ({ route, name, traefik, known }: Names) =>
      `${route} names the entry point ${name}, which ${traefik} does not have: it has ${known}. So Traefik serves none of these hosts there. Name one that it has, or add this one.`,
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/cmd/traefik/traefik.go: Router uses a nonexistent certificate
    // resolver
    resolver: ({ route, name, traefik, known }: Names) =>
      `${route} names the certificate resolver ${name}, which ${traefik} does not have: it has ${known}. So Traefik gets no certificate for these hosts, and serves its default one unless another covers them. Name a resolver that it has.`,
    resolvers: ({ route, name, traefik }: Omit<Names, 'known'>) =>
      `After this change ${traefik} has no certificate resolver, and ${route} still names ${name}. So Traefik gets no certificate for these hosts, and serves its default one unless another covers them. Restore the resolver, or give these hosts another certificate first.`,
  },
  putBack: { entryPoint: 'changed', resolver: 'changed', resolvers: 'changed' },
  *partners(manifest) {
    if (namesInRoute(manifest).length > 0) yield* marksOfControllers
    else if (controllersOf(manifest).some(({ facts }) => facts.name.startsWith('traefik')) || holdsSettings(manifest))
      yield* [...namesOfParts(manifest), ...marksOfNamesInRoutes]
  },
  check({ manifest, snapshot, report }) {
    const named = namesInRoute(manifest)
    const traefiks = named.length > 0 ? traefiksReading(manifest, snapshot) : []
    const [first] = traefiks
    if (!first) return
    const { controller } = first
    for (const { kind, name, at } of named) {
      const known = first[kind]
      if (known.length === 0 || traefiks.some((one) => one[kind].includes(name.toLowerCase()))) continue
      // The entry point of its API is there only where something needs it.
      const names = enumerated(
        known.filter((one) => one !== 'traefik'),
        4,
      )
      const args = { route: nameOf(manifest.ref), name, traefik: nameOfController(controller), known: names }
      report([at, ...endsAt(controller, [])], kind, args, { keys: [name] })
    }
  },
  checkChange({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const before = controllersOf(change.before, base).flatMap((one) => namesOfTraefik(one)?.resolver ?? [])
    const after = controllersOf(change.after, head).flatMap((one) => namesOfTraefik(one) ?? [])
    if (before.length === 0 || after.length === 0 || after.some(({ resolver }) => resolver.length > 0)) return
    for (const route of userKinds.flatMap((kind) => head.ofKind(kind))) {
      const lost = namesInRoute(route).find(
        ({ kind, name }) => kind === 'resolver' && before.includes(name.toLowerCase()),
      )
      const traefiks = lost ? traefiksReading(route, head) : []
      const [first] = traefiks
      if (!lost || !first || traefiks.some(({ resolver }) => resolver.length > 0)) continue
      const args = { route: nameOf(route.ref), name: lost.name, traefik: nameOfController(first.controller) }
      report([...endsAt(first.controller, []), lost.at], 'resolvers', args, { keys: [lost.name, nameOf(route.ref)] })
    }
  },
})
