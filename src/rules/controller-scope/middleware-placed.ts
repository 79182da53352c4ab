import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds, releaseMentioning } from '../../kubernetes/charts/chart-release'
import { controllerKinds, marksOfControllers } from '../../kubernetes/controllers/controller'
import {
  ingressRouteKinds,
  isForTraefik,
  keyOf,
  middlewareKinds,
  middlewaresOf,
} from '../../kubernetes/controllers/traefik-middleware'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/middleware-placed',
  summary: 'A route names a Middleware of Traefik in the namespace that has it.',
  since: '1.23.0',
  scope: 'change',
  kinds: ['Ingress.networking.k8s.io', ...ingressRouteKinds],
  reads: [...middlewareKinds, 'IngressClass.networking.k8s.io', ...controllerKinds, ...releaseKinds],
  messages: {
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/middleware/middlewares.go, BuildMiddlewareChain,
    // and pkg/server/router/router.go, buildEntryPointHandler
    elsewhere: ({ route, key, middleware, right }: Record<'route' | 'key' | 'middleware' | 'right', string>) =>
      `${route} names the Middleware that Traefik knows as ${key}, which is not in this repository; ${middleware} is, as ${right}. If that one is meant, Traefik leaves the route out and answers 404 for it. Write the namespace of the Middleware, and allow references to other namespaces where it is not that of the route (allowCrossNamespace).`,
  },
  putBack: { elsewhere: 'changed' },
  *partners(manifest) {
    const named = middlewaresOf(manifest)
    for (const { name, at } of named) yield* manifest.ref.kind === 'Ingress' ? endsOf(name) : [at.string ?? name]
    if (manifest.ref.kind === 'Ingress' && named.length > 0) yield* marksOfControllers
  },
  check({ change, base, head, report, skip }) {
    if (change.kind === 'removed') return
    const { after } = change
    // Somebody applies it to a namespace that is not known.
    if (after.ref.namespace === '' || isPlaceholder(after.ref.namespace)) return
    const before = change.kind === 'changed' ? middlewaresOf(change.before).map(({ name }) => name) : []
    for (const { name: key, at } of middlewaresOf(after)) {
      if (before.includes(key) || isPlaceholder(key)) continue
      if ([base, head].some((side) => isThere(key, side)) || !isForTraefik(after, head)) continue
      const alike = middlewares(head).filter(({ ref }) => mayMean(ref.name, key, after, at.string ?? '', head))
      const [meant, ...others] = alike
      // With several, any of them may be meant.
      if (!meant || others.some(({ ref }) => ref.namespace !== meant.ref.namespace)) continue
      const release = releaseMentioning(meant.ref.name, head)
      if (release) skip(at, `${nameOf(release.ref)} mentions the Middleware ${meant.ref.name}, and may create it`)
      else {
        const args = { route: nameOf(after.ref), key, middleware: nameOf(meant.ref), right: keyOf(meant.ref) }
        report([at, meant.root.at('metadata', 'name')], 'elsewhere', args, { keys: [key] })
      }
    }
  },
})

/** The parts of a key that may be the name of the Middleware: `b-c` and `c` of `a-b-c`. */
function endsOf(key: string): string[] {
  const words = key.split('-')
  return words.slice(1).map((_, index) => words.slice(index + 1).join('-'))
}

/** Whether a Middleware of that name may be meant: its name is written, or, in an annotation, a namespace and its name. */
function mayMean(name: string, key: string, { ref }: Manifest, text: string, snapshot: Snapshot): boolean {
  if (ref.kind !== 'Ingress') return text === name
  const end = `-${keyOf({ namespace: '', name })}`
  const namespace = key.slice(0, -end.length)
  return (
    key.endsWith(end) && [ref, ...snapshot.manifests.map((one) => one.ref)].some((one) => one.namespace === namespace)
  )
}

/** Whether a Middleware has a key, or may have it. */
function isThere(key: string, snapshot: Snapshot): boolean {
  return middlewares(snapshot).some(({ ref }) => {
    const isKnown = ref.namespace !== '' && !isPlaceholder(ref.namespace)
    return isKnown ? keyOf(ref) === key : `-${key}`.endsWith(`-${ref.name}`)
  })
}

function middlewares(snapshot: Snapshot): Manifest[] {
  return middlewareKinds.flatMap((kind) => snapshot.ofKind(kind))
}
