import { coerce } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import { readFluxSource } from '../../gitops/flux-source'
import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import { groupKindOf, type Manifest, type ObjectRef } from '../../manifest/manifest'

/** The first number of the version of the chart that a HelmRelease installs, where that is written. */
export function chartMajorOf(manifest: Manifest, snapshot: Snapshot): number | undefined {
  if (groupKindOf(manifest.ref) !== gitOpsKind.helmRelease) return undefined
  const { chart, chartRef } = readHelmRelease(manifest.root)
  const named = ociRepositoryOf(manifest)
  const [holder] = named ? snapshot.get(named) : []
  const version = chartRef.exists ? holder && readFluxSource(holder.root).version : chart.version
  return coerce(version?.string)?.major
}

/** The OCIRepository that a HelmRelease takes its chart from. */
export function ociRepositoryOf({ root, ref }: Manifest): ObjectRef | undefined {
  const { chartRef } = readHelmRelease(root)
  const [kind, name] = [chartRef.at('kind').string, chartRef.at('name').string]
  if (kind !== 'OCIRepository' || !name) return undefined
  return { group: 'source.toolkit.fluxcd.io', kind, namespace: chartRef.at('namespace').string ?? ref.namespace, name }
}
