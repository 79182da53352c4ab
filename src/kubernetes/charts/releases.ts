import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { argoReleasesOf } from './argo-release'
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

/** Reads the releases of known charts that an object installs; those of charts in the repository are rendered instead. */
export function chartReleasesOf(manifest: Manifest, snapshot: Snapshot | undefined): ChartRelease[] {
  switch (groupKindOf(manifest.ref)) {
    case 'HelmRelease.helm.toolkit.fluxcd.io':
      return fluxReleasesOf(manifest, snapshot)
    case 'Application.argoproj.io':
    case generatedApplication:
      return argoReleasesOf(manifest.root)
    case 'ApplicationSet.argoproj.io':
      return manifest.object.context?.applications ? [] : argoReleasesOf(manifest.root.at('spec', 'template'))
    case 'HelmChart.helm.cattle.io':
      return k3sReleasesOf(manifest)
    case inflatedChart:
      return inflatedReleasesOf(manifest)
    case filedRelease:
      return filedReleasesOf(manifest)
    default:
      return []
  }
}

/** https://docs.k3s.io/helm */
function k3sReleasesOf({ root, ref }: Manifest): ChartRelease[] {
  const spec = root.at('spec')
  const facts = chartFactsOf(spec.at('chart'), spec.at('repo'))
  if (!facts || spec.at('chartContent').exists) return []
  const content = spec.at('valuesContent')
  // Values may be set one by one, too, with their paths as keys.
  const single = [...spec.at('set').entries()].map(([path]) => path)
  const layers = [...layersOf([content.nested]), ...hiddenIf(spec.at('valuesSecrets').exists)]
  const values = new ReleaseValues(content, layers, single)
  const namespace = spec.at('targetNamespace').string ?? ref.namespace
  const { manifest } = root
  const version = versionAt(facts, spec.at('version'))
  return [{ facts, manifest, name: ref.name, namespace, cluster: '', ...version, values, parts: [] }]
}

/**
 * Kustomize merges the inline values with those of `valuesFile`, as `valuesMerge` says, and helm lays the additional
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
