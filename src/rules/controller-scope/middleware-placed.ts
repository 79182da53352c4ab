import { append } from '../../append'
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
      const [meant, ...others] = meantBy(key, at.string ?? '', after, head)
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

/** The Middlewares that may be meant: those of the name that is written, or, in an annotation, behind a namespace. */
function meantBy(key: string, text: string, { ref }: Manifest, snapshot: Snapshot): readonly Manifest[] {
  const { byName, namespaces } = indexOf(snapshot)
  if (ref.kind !== 'Ingress') return byName.get(keyOf({ namespace: '', name: text })) ?? []
  return endsOf(key).flatMap((name) => {
    const namespace = key.slice(0, -name.length - 1)
    return namespace === ref.namespace || namespaces.has(namespace) ? (byName.get(name) ?? []) : []
  })
}

/** Whether a Middleware has a key, or may have it. */
function isThere(key: string, snapshot: Snapshot): boolean {
  const { keys, unplaced } = indexOf(snapshot)
  return keys.has(key) || [key, ...endsOf(key)].some((name) => unplaced.has(name))
}

interface Middlewares {
  /** By their names as Traefik writes them. */
  readonly byName: ReadonlyMap<string, readonly Manifest[]>
  readonly keys: ReadonlySet<string>
  /** The names of those whose namespace is not known. */
  readonly unplaced: ReadonlySet<string>
  /** The namespaces of all objects. */
  readonly namespaces: ReadonlySet<string>
}

const indexes = new WeakMap<Snapshot, Middlewares>()

function indexOf(snapshot: Snapshot): Middlewares {
  const index = indexes.get(snapshot) ?? indexed(snapshot)
  indexes.set(snapshot, index)
  return index
}

function indexed(snapshot: Snapshot): Middlewares {
  const all = middlewareKinds.flatMap((kind) => snapshot.ofKind(kind))
  const isPlaced = ({ ref }: Manifest) => ref.namespace !== '' && !isPlaceholder(ref.namespace)
  const byName = new Map<string, Manifest[]>()
  for (const one of all) append(byName, keyOf({ namespace: '', name: one.ref.name }), one)
  return {
    byName,
    keys: new Set(all.filter(isPlaced).map(({ ref }) => keyOf(ref))),
    unplaced: new Set(all.filter((one) => !isPlaced(one)).map(({ ref }) => keyOf({ namespace: '', name: ref.name }))),
    namespaces: new Set(snapshot.manifests.map(({ ref }) => ref.namespace)),
  }
}
