import { Snapshot } from '../../cluster/snapshot'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { madeOf, type Placed } from '../../manifest/placed'
import { inflatedChart, releaseKinds } from './chart-release'
import { type IngressValues, ingressValuesIn } from './ingress-values'
import { LayeredValue } from './layered-value'
import { type RemoteRelease, remoteReleasesOf } from './remote-release'

/**
 * The Ingresses that releases of remote charts are assumed to create from their values: most charts read them like
 * charts made with `helm create`. Rendered releases need no assumption.
 *
 * @param manifests the objects of one side, with the ConfigMaps of values
 */
export function assumedIngresses(manifests: readonly Manifest[]): readonly Manifest[] {
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
        .flatMap(ingressesOf)
      return made.length > 0 ? [[manifest, made] as const] : []
    }),
  )
}

/** The kinds that hold values of releases. */
const partKinds = ['ConfigMap', 'HelmChartConfig']

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

function ingressesOf(release: RemoteRelease): Manifest[] {
  const { layers, elsewhere } = release
  const hidden = layers.findIndex((layer) => 'hidden' in layer)
  // Hidden values may set anything that the layers over them leave out.
  const seen = layers.slice(0, hidden === -1 ? undefined : hidden)
  const roots = seen.flatMap((layer) => ('hidden' in layer ? [] : [layer.root]))
  const values = LayeredValue.of(roots)
  const fill = (text: string) =>
    text.replace(/\{\{-?\s*\.Release\.(Name|Namespace)\s*-?\}\}/g, (written, key) =>
      key === 'Name' ? release.name || written : release.namespace || written,
    )
  return ingressValuesIn(values, fill)
    .filter(({ path }) => {
      const isGivenElsewhere = elsewhere.some((one) => isWithin(one, path.join('.')) || isWithin(path.join('.'), one))
      const at = path.reduce((value, key) => value.get(key), values)
      const hosts = ['hosts', 'hostname', 'host'].find((key) => at.get(key).isSet) ?? 'hosts'
      const isWhole = ['tls', hosts].every((key) => at.get(key).at)
      return !isGivenElsewhere && (hidden === -1 || isWhole)
    })
    .map((ingress) => ingressOf(ingress, release))
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
}

function ingressOf(values: IngressValues, { name, namespace, manifest, clusters }: RemoteRelease): Manifest {
  const { path, at, annotations, className, rules, tls } = values
  const own = path.filter((key) => key !== 'ingress' && key !== 'main')
  const called = [name, ...own].filter(Boolean).join('-')
  const metadata: Placed = {
    at,
    map: {
      name: { at, scalar: called },
      ...(namespace ? { namespace: { at, scalar: namespace } } : {}),
      ...(annotations ? { annotations } : {}),
    },
  }
  const spec: Placed = {
    at,
    map: { ...(className ? { ingressClassName: className } : {}), rules, ...(tls ? { tls } : {}) },
  }
  const placed: Placed = {
    at,
    map: { apiVersion: { at, scalar: 'networking.k8s.io/v1' }, kind: { at, scalar: 'Ingress' }, metadata, spec },
  }
  const ref = { group: 'networking.k8s.io', kind: 'Ingress', namespace, name: called }
  const text = `This Ingress is assumed: \`${path.join('.')}\` in the values of ${nameOf(manifest.ref)} is read as charts made with \`helm create\` read it, and the chart itself was not rendered.`
  return madeOf(placed, { ref, apiVersion: 'networking.k8s.io/v1', text }, manifest, clusters)
}
