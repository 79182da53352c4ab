import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { type ChartRelease, chartFactsOf, versionAt } from './chart-release'
import { hiddenIf, layersOf, ReleaseValues } from './release-values'

/** https://fluxcd.io/flux/components/helm/helmreleases/ */
export function fluxReleasesOf(manifest: Manifest, snapshot: Snapshot | undefined): ChartRelease[] {
  const { root, ref } = manifest
  const spec = root.at('spec')
  const chart = fluxChartOf(manifest, snapshot)
  if (!chart) return []
  const { facts, version, at, valuesFiles, parts } = chart
  const references = [...spec.at('valuesFrom').items()]
  const single = references.flatMap((reference) => reference.at('targetPath').string ?? [])
  const holders = references
    .filter((reference) => !reference.at('targetPath').exists)
    .map((reference) => heldBy(reference, ref.namespace, snapshot))
  const layers = [spec.at('values'), ...holders.map((holder) => holder?.nested).toReversed()].filter(
    (one) => one?.exists,
  )
  const more = holders.some((holder) => !holder?.nested) || valuesFiles.exists
  const target = spec.at('targetNamespace').string
  const namespace = target ?? ref.namespace
  const name = spec.at('releaseName').string ?? (target ? `${target}-${ref.name}` : ref.name)
  const values = new ReleaseValues(spec.at('values'), [...layersOf(layers), ...hiddenIf(more)], single)
  const cluster = spec.at('kubeConfig').exists ? `of HelmRelease ${ref.name}` : ''
  const all = [...parts, ...holders.flatMap((holder) => holder ?? [])]
  return [{ facts, manifest, name, namespace, cluster, version, at, values, parts: all }]
}

/** The known chart that a HelmRelease installs: by its own fields, or by those of the object it refers to. */
function fluxChartOf({ root, ref }: Manifest, snapshot: Snapshot | undefined) {
  const reference = root.at('spec', 'chartRef')
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
    const [spec] = parts
    const facts = spec && chartFactsOf(spec.at('url'), spec.at('url'))
    if (!facts) return undefined
    const version = [spec.at('ref', 'semver'), spec.at('ref', 'tag')].find(({ exists }) => exists)
    return { facts, ...versionAt(facts, version ?? spec.at('ref')), valuesFiles: spec.at('valuesFiles'), parts }
  }
  const chart = reference.exists ? holder?.root.at('spec') : root.at('spec', 'chart', 'spec')
  // A chart of a GitRepository or Bucket is one of files, and may be any.
  if (!chart || (chart.at('sourceRef', 'kind').string ?? 'HelmRepository') !== 'HelmRepository') return undefined
  const facts = chartFactsOf(chart.at('chart'), chart.at('sourceRef', 'name'))
  return facts && { facts, ...versionAt(facts, chart.at('version')), valuesFiles: chart.at('valuesFiles'), parts }
}

/** The data of a ConfigMap in the cluster; undefined if there is none, or if it is a Secret. */
function heldBy(reference: Cursor, namespace: string, snapshot: Snapshot | undefined): Cursor | undefined {
  if (reference.at('kind').string !== 'ConfigMap') return undefined
  const name = reference.at('name').string ?? ''
  const [holder] = snapshot?.get({ group: '', kind: 'ConfigMap', namespace, name }) ?? []
  return holder?.root.at('data', reference.at('valuesKey').string ?? 'values.yaml')
}
