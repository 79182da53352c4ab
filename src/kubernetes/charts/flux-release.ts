import type { Snapshot } from '../../cluster/snapshot'
import { readFluxSource } from '../../gitops/flux-source'
import { type HelmRelease, helmReleaseChartAt, readHelmRelease, type ValuesReference } from '../../gitops/helm-release'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest, ObjectRef } from '../../manifest/manifest'
import { type ChartRelease, chartFactsOf, versionAt } from './chart-release'
import { hiddenIf, layersOf, ReleaseValues } from './release-values'

/** The releases of known charts that a HelmRelease installs. */
export function fluxReleasesOf(manifest: Manifest, snapshot: Snapshot | undefined): ChartRelease[] {
  const { root, ref } = manifest
  const release = readHelmRelease(root)
  const chart = fluxChartOf(release, ref, snapshot)
  if (!chart) return []
  const { facts, version, at, valuesFiles, parts } = chart
  const single = release.valuesFrom.flatMap(({ targetPath }) => targetPath.string ?? [])
  const holders = release.valuesFrom
    .filter(({ targetPath }) => !targetPath.exists)
    .map((reference) => heldBy(reference, ref.namespace, snapshot))
  const layers = [release.values, ...holders.map((holder) => holder?.nested).toReversed()].filter((one) => one?.exists)
  const more = holders.some((holder) => !holder?.nested) || valuesFiles.exists
  const namespace = release.targetNamespace.string ?? ref.namespace
  const values = new ReleaseValues(release.values, [...layersOf(layers), ...hiddenIf(more)], single)
  const cluster = release.kubeConfig.exists ? `of HelmRelease ${ref.name}` : ''
  const all = [...parts, ...holders.flatMap((holder) => holder ?? [])]
  return [{ facts, manifest, name: release.releaseName, namespace, cluster, version, at, values, parts: all }]
}

/** The known chart that a HelmRelease installs: by its own fields, or by those of the object it refers to. */
function fluxChartOf({ chart: own, chartRef: reference }: HelmRelease, ref: ObjectRef, snapshot: Snapshot | undefined) {
  const kind = reference.at('kind').string ?? ''
  const named = {
    group: 'source.toolkit.fluxcd.io',
    kind,
    namespace: reference.at('namespace').string ?? ref.namespace,
    name: reference.at('name').string ?? '',
  }
  const [holder] = reference.exists ? (snapshot?.get(named) ?? []) : []
  const parts = holder ? [holder.root.at('spec')] : []
  if (kind === 'OCIRepository') {
    const source = holder && readFluxSource(holder.root)
    const facts = source && chartFactsOf(source.url, source.url)
    if (!facts) return undefined
    return { facts, ...versionAt(facts, source.version), valuesFiles: source.spec.at('valuesFiles'), parts }
  }
  const chart = reference.exists ? holder && helmReleaseChartAt(holder.root.at('spec')) : own
  // A chart of a GitRepository or Bucket is one of files, and may be any.
  if (!chart || (chart.sourceRef.at('kind').string ?? 'HelmRepository') !== 'HelmRepository') return undefined
  const facts = chartFactsOf(chart.chart, chart.sourceRef.at('name'))
  return facts && { facts, ...versionAt(facts, chart.version), valuesFiles: chart.valuesFiles, parts }
}

/** The data of a ConfigMap in the cluster; undefined if there is none, or if it is a Secret. */
function heldBy(reference: ValuesReference, namespace: string, snapshot: Snapshot | undefined): Cursor | undefined {
  if (reference.kind.string !== 'ConfigMap') return undefined
  const name = reference.name.string ?? ''
  const [holder] = snapshot?.get({ group: '', kind: 'ConfigMap', namespace, name }) ?? []
  return holder?.root.at('data', reference.key)
}
