import { Snapshot } from '../../cluster/snapshot'
import { groupKindOf, type Manifest, nameOf, type ObjectRef } from '../../manifest/manifest'
import { madeOf, type Placed } from '../../manifest/placed'
import { inflatedChart, releaseKinds } from './chart-release'
import { type IngressValues, ingressValuesIn } from './ingress-values'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, remoteReleasesOf, seenValuesOf } from './remote-release'
import { type RouteValues, routeValuesIn } from './route-values'
import { backendsIn } from './service-values'

/**
 * The Ingresses and routes that releases of remote charts are assumed to create from their values: most charts read
 * them like charts made with `helm create`, and those of a few libraries. Rendered releases need no assumption.
 *
 * @param manifests the objects of one side, with the ConfigMaps of values
 */
export function assumedObjects(manifests: readonly Manifest[]): readonly Manifest[] {
  return [...assumedByRelease(manifests).values()].flat()
}

/** The same by the object that installs the release. */
export function assumedByRelease(manifests: readonly Manifest[]): ReadonlyMap<Manifest, readonly Manifest[]> {
  const before = known.get(manifests)
  if (before) return before
  const found = assumedAmong(manifests)
  known.set(manifests, found)
  return found
}

/** The objects of a side that were looked at: several stages ask for theirs. */
const known = new WeakMap<readonly Manifest[], ReadonlyMap<Manifest, readonly Manifest[]>>()

function assumedAmong(manifests: readonly Manifest[]): Map<Manifest, Manifest[]> {
  const releases = manifests.filter(({ ref }) => releaseKinds.includes(groupKindOf(ref)))
  if (releases.length === 0) return new Map()
  const rendered = new Set(manifests.flatMap(({ origin }) => renderedRelease(origin)))
  const parts = byClusters(manifests.filter(({ ref }) => partKinds.includes(ref.kind)))
  return new Map(
    releases.flatMap((manifest) => {
      const snapshot = new Snapshot('', parts.get(clustersOf(manifest)) ?? [])
      const made = remoteReleasesOf(manifest, snapshot)
        // A release named like a chart of this repository that includes it was left out of the rendering.
        .filter(
          ({ name, namespace }) =>
            groupKindOf(manifest.ref) === inflatedChart || !rendered.has(JSON.stringify([namespace, name])),
        )
        .filter(({ name }) => !manifest.object.context?.rendered?.has(name))
        .flatMap(madeBy)
      return made.length > 0 ? [[manifest, made] as const] : []
    }),
  )
}

/** The kinds that hold values of releases, or name their charts. */
const partKinds = ['ConfigMap', 'HelmChartConfig', 'OCIRepository']

function byClusters(manifests: readonly Manifest[]): Map<string, Manifest[]> {
  const found = new Map<string, Manifest[]>()
  for (const manifest of manifests) {
    const its = found.get(clustersOf(manifest))
    if (its) its.push(manifest)
    else found.set(clustersOf(manifest), [manifest])
  }
  return found
}

function clustersOf({ clusters }: Manifest): string {
  return JSON.stringify(clusters)
}

function renderedRelease(origin: Manifest['origin']): string[] {
  if (origin.kind !== 'rendered' || origin.source.kind !== 'helm') return []
  return [JSON.stringify([origin.source.namespace, origin.source.release])]
}

function madeBy(release: RemoteRelease): Manifest[] {
  const { layers, elsewhere } = release
  // Hidden values may set anything that the layers over them leave out.
  const hidden = layers.findIndex((layer) => 'hidden' in layer)
  const values = seenValuesOf(release)
  const fill = (text: string) =>
    text.replace(/\{\{-?\s*\.Release\.(Name|Namespace)\s*-?\}\}/g, (written, key) =>
      key === 'Name' ? release.name || written : release.namespace || written,
    )
  const isKnown = ({ path }: { path: readonly string[] }, keysOf: (value: LayeredValue) => readonly string[]) => {
    const isGivenElsewhere = elsewhere.some((one) => isWithin(one, path.join('.')) || isWithin(path.join('.'), one))
    const value = path.reduce((outer, key) => outer.get(key), values)
    return !isGivenElsewhere && (hidden === -1 || keysOf(value).every((key) => value.get(key).at))
  }
  // Of values that are not all known, an own Service may be among the others.
  const areServicesKnown =
    hidden === -1 && !elsewhere.some((one) => ['service', 'controllers'].some((own) => isWithin(one, own)))
  const backendOf = backendsIn(values, release.name, areServicesKnown)
  const reading = { fill, backendOf, writesRules: writesRules(release) }
  const hostsOf = (value: LayeredValue) => ['hosts', 'hostname', 'host'].find((key) => value.get(key).isSet) ?? 'hosts'
  return [
    ...ingressValuesIn(values, reading)
      .filter((one) => isKnown(one, (value) => ['tls', hostsOf(value)]))
      .map((one) => ingressOf(one, release)),
    ...routeValuesIn(values, reading)
      .filter((one) => isKnown(one, () => ['parentRefs', 'hostnames']))
      .map((one) => routeOf(one, release)),
  ]
}

/**
 * Whether its chart adds no backend to rules. A chart whose OCIRepository is not read may be that one. Source:
 * bjw-s-labs/helm-charts, charts/library/common/templates/classes/_route.tpl
 */
function writesRules({ chart }: RemoteRelease): boolean {
  return ['', 'app-template'].includes(chart.split('/').at(-1) ?? '')
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
}

function ingressOf({ className, rules, tls, ...values }: IngressValues, release: RemoteRelease): Manifest {
  const spec = { ...(className ? { ingressClassName: className } : {}), rules, ...(tls ? { tls } : {}) }
  return objectOf({ group: 'networking.k8s.io', kind: 'Ingress' }, spec, values, release)
}

function routeOf({ kind, parentRefs, hostnames, rules, ...values }: RouteValues, release: RemoteRelease): Manifest {
  const spec = { parentRefs, ...(hostnames ? { hostnames } : {}), ...(rules ? { rules } : {}) }
  return objectOf({ group: 'gateway.networking.k8s.io', kind }, spec, values, release)
}

/** Keys that are no part of the name of an object. */
const unnamed = new Set(['ingress', 'main', 'route', 'httpRoute', 'httproute', 'grpcRoute', 'grpcroute'])

function objectOf(
  { group, kind }: Pick<ObjectRef, 'group' | 'kind'>,
  spec: Readonly<Record<string, Placed>>,
  { path, isAlone, at, annotations }: Pick<IngressValues, 'path' | 'isAlone' | 'at' | 'annotations'>,
  { name, namespace, manifest, clusters }: RemoteRelease,
): Manifest {
  // The only one of several keyed ones has the name of the release, so that a new key makes no new object.
  const isKeyed = !unnamed.has(path.at(-1) ?? '')
  const own = path.slice(0, isKeyed && isAlone ? -1 : undefined).filter((key) => !unnamed.has(key))
  const called = [name, ...own].filter(Boolean).join('-')
  const metadata: Placed = {
    at,
    map: {
      name: { at, scalar: called },
      ...(namespace ? { namespace: { at, scalar: namespace } } : {}),
      ...(annotations ? { annotations } : {}),
    },
  }
  const apiVersion = `${group}/v1`
  const placed: Placed = {
    at,
    map: {
      apiVersion: { at, scalar: apiVersion },
      kind: { at, scalar: kind },
      metadata,
      spec: { at, map: spec },
    },
  }
  const like = `as ${path.includes('route') ? 'app-template reads' : 'charts made with `helm create` read'} it`
  const isSupposed = manifest.object.context?.release?.chart === ''
  const values = isSupposed ? 'these values, which no known release uses,' : `the values of ${nameOf(manifest.ref)}`
  const text = `This ${kind} is assumed: \`${path.join('.')}\` in ${values} is read ${like}, and the chart itself was not rendered.`
  return madeOf(placed, { ref: { group, kind, namespace, name: called }, apiVersion, text }, manifest, clusters)
}
