import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { releaseKinds } from '../charts/chart-release'
import { chartReleasesOf } from '../charts/releases'
import { isPlaceholder } from '../ingress/ingress'
import { traefikRouteKinds } from '../ingress/traefik-kinds'
import { areLikelyOfOneCluster } from '../object/one-cluster'
import { type Controller, controllersHere } from './controller'
import { takesRoute } from './controller-routes'

/** A name that a route has for a part of Traefik's own configuration. */
export interface NameInRoute {
  readonly kind: 'entryPoint' | 'resolver'
  readonly name: string
  readonly at: Cursor
}

const prefix = 'traefik.ingress.kubernetes.io/router'

/** Each route with such a name contains one of these strings. */
export const marksOfNamesInRoutes = [
  'entryPoints',
  'certResolver',
  `${prefix}.entrypoints`,
  `${prefix}.tls.certresolver`,
]

/** The entry points and the certificate resolver that a route or an Ingress names. */
export function namesInRoute({ ref, root }: Manifest): NameInRoute[] {
  const annotations = root.at('metadata', 'annotations')
  const listed = ({ string = '' }: Cursor) => string.split(',').map((one) => one.trim())
  const isRoute = traefikRouteKinds.includes(groupKindOf(ref))
  const points = annotations.at(`${prefix}.entrypoints`)
  const resolver = isRoute ? root.at('spec', 'tls', 'certResolver') : annotations.at(`${prefix}.tls.certresolver`)
  const found: NameInRoute[] = [
    ...(isRoute
      ? [...root.at('spec', 'entryPoints').items()].map((at) => ({ name: at.string ?? '', at }))
      : listed(points).map((name) => ({ name, at: points }))
    ).map((one) => ({ ...one, kind: 'entryPoint' as const })),
    { kind: 'resolver', name: resolver.string ?? '', at: resolver },
  ]
  return found.filter(({ name }) => name !== '' && !isPlaceholder(name))
}

/** The names that a Traefik has, in lower case: it takes its flags in any case. */
export interface TraefikNames {
  readonly controller: Controller
  readonly entryPoint: readonly string[]
  readonly resolver: readonly string[]
}

/** The Traefiks that read a route, where the names of all that may do so are known; none otherwise. */
export function traefiksReading(route: Manifest, snapshot: Snapshot): readonly TraefikNames[] {
  const isRoute = traefikRouteKinds.includes(groupKindOf(route.ref))
  const readers = controllersHere(snapshot).filter(({ facts }) => facts.name === (isRoute ? 'traefik-crd' : 'traefik'))
  const isHere = ({ manifest }: Controller) => areLikelyOfOneCluster(manifest, route, snapshot)
  if (readers.some((one) => !isHere(one) || !takesRoute(one, route, snapshot))) return []
  const named = readers.flatMap((one) => namesOfTraefik(one) ?? [])
  return named.length === readers.length && !hasRelease(snapshot) ? named : []
}

/** The names that the arguments of a Traefik or its file give; undefined where a file or a tool may give more. */
export function namesOfTraefik(controller: Controller): TraefikNames | undefined {
  const [entryPoint, resolver] = ['entrypoints', 'certificatesresolvers'].map((one) => controller.settings.below(one))
  // Without any, it has one of its own; for its API, its health and its metrics, another one.
  if (!entryPoint || !resolver || entryPoint.length === 0) return undefined
  return { controller, entryPoint: [...entryPoint, 'traefik'], resolver }
}

/** Whether a release installs a Traefik whose objects are not seen. */
function hasRelease(snapshot: Snapshot): boolean {
  const before = known.get(snapshot)
  if (before !== undefined) return before
  const found = releaseKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((manifest) => chartReleasesOf(manifest, snapshot))
    .some(({ facts }) => facts.controllers.includes('traefik-crd'))
  known.set(snapshot, found)
  return found
}

/** The rule asks for every route; a snapshot never changes. */
const known = new WeakMap<Snapshot, boolean>()
