import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { readK3sChart } from '../../gitops/helm-chart'
import { gitOpsKind } from '../../gitops/kinds'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { argoReleasesOf } from './argo-release'
import { bundledReleasesOf } from './bundled-release'
import {
  type ChartRelease,
  chartFactsOf,
  filedRelease,
  generatedApplication,
  inflatedChart,
  versionAt,
} from './chart-release'
import { filedReleasesOf } from './filed-release'
import { fluxReleasesOf } from './flux-release'
import { fileOf, filesOf, hiddenIf, layersOf, ReleaseValues } from './release-values'

/** Reads the releases of known charts that an object installs; rendered releases are not read from their values. */
export function chartReleasesOf(manifest: Manifest, snapshot: Snapshot | undefined): ChartRelease[] {
  const { rendered } = manifest.object.context ?? {}
  return allReleasesOf(manifest, snapshot).filter(({ name }) => !rendered?.has(name))
}

function allReleasesOf(manifest: Manifest, snapshot: Snapshot | undefined): ChartRelease[] {
  switch (groupKindOf(manifest.ref)) {
    case gitOpsKind.helmRelease:
      return fluxReleasesOf(manifest, snapshot)
    case gitOpsKind.application:
    case generatedApplication:
      return argoReleasesOf(manifest.root)
    case gitOpsKind.applicationSet:
      return manifest.object.context?.applications ? [] : argoReleasesOf(manifest.root.at('spec', 'template'))
    case gitOpsKind.k3sChart:
      return k3sReleasesOf(manifest)
    case gitOpsKind.k3sChartConfig:
      return bundledReleasesOf(manifest, snapshot)
    case inflatedChart:
      return inflatedReleasesOf(manifest)
    case filedRelease:
      return filedReleasesOf(manifest)
    default:
      return []
  }
}

/** The release of a known chart that K3s installs. */
function k3sReleasesOf({ root, ref }: Manifest): ChartRelease[] {
  const {
    chart,
    repo,
    chartContent,
    valuesContent,
    valuesSecrets,
    set,
    targetNamespace,
    version: at,
  } = readK3sChart(root)
  const facts = chartFactsOf(chart, repo)
  if (!facts || chartContent.exists) return []
  const single = [...set.entries()].map(([path]) => path)
  const layers = [...layersOf([valuesContent.nested]), ...hiddenIf(valuesSecrets.exists)]
  const values = new ReleaseValues(valuesContent, layers, single)
  const namespace = targetNamespace.string ?? ref.namespace
  const { manifest } = root
  const version = versionAt(facts, at)
  return [{ facts, manifest, name: ref.name, namespace, cluster: '', ...version, values, parts: [] }]
}

/**
 * Kustomize merges the inline values with those of `valuesFile` as `valuesMerge` declares, and helm lays the additional
 * files over the result:
 * https://kubectl.docs.kubernetes.io/references/kustomize/builtins/#_helmchartinflationgenerator_
 */
function inflatedReleasesOf(manifest: Manifest): ChartRelease[] {
  const { root, ref, object } = manifest
  const facts = chartFactsOf(root.at('name'), root.at('repo'))
  if (!facts) return []
  const written = root.at('valuesInline')
  const inline = written.exists ? layersOf([written]) : []
  const [file, additional] = [root.at('valuesFile'), root.at('additionalValuesFiles')]
  const files = file.exists ? fileOf(file) : []
  // Without a values file, the chart's own values win over the inline ones.
  const merged = file.exists ? [...files, ...inline] : hiddenIf(inline.length > 0)
  const mode = root.at('valuesMerge').string || 'override'
  const merges = { override: [...inline, ...files], merge: merged, replace: inline }
  const base = inline.length === 0 ? files : entryOf(merges, mode)
  const layers = [...hiddenIf(object.context?.patched === true), ...filesOf(additional), ...(base ?? hiddenIf(true))]
  const generated = root.at('nameTemplate').exists || !root.at('releaseName').string
  const name = generated ? '<generated>' : ref.name
  const values = new ReleaseValues(written.exists ? written : root, layers)
  const version = versionAt(facts, root.at('version'))
  return [{ facts, manifest, name, namespace: ref.namespace, cluster: '', ...version, values, parts: [] }]
}
