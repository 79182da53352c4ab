import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { isOwnCluster } from '../../gitops/application'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'

import { generatedApplication, inflatedChart } from './chart-release'
import { readParameters } from './helm-parameters'
import { fileOf, filesOf, hiddenIf, layersOf, type ValuesLayer } from './release-values'

/** A release of any chart that is not in the repository, known or not, so that its values alone can be read. */
export interface RemoteRelease {
  readonly manifest: Manifest
  readonly name: string
  /** Empty where the manifest gives none. */
  readonly namespace: string
  /** The clusters it is installed to. */
  readonly clusters: readonly string[]
  /** The first over the others. */
  readonly layers: readonly ValuesLayer[]
  /** The paths of single values that something else gives. */
  readonly elsewhere: readonly string[]
}

/** Reads the releases of charts from elsewhere that an object installs. */
export function remoteReleasesOf(manifest: Manifest, snapshot: Snapshot): RemoteRelease[] {
  switch (groupKindOf(manifest.ref)) {
    case 'HelmRelease.helm.toolkit.fluxcd.io':
      return fluxRelease(manifest, snapshot)
    case 'Application.argoproj.io':
    case generatedApplication:
      return argoReleases(manifest.root)
    case 'ApplicationSet.argoproj.io':
      return manifest.object.context?.applications ? [] : argoReleases(manifest.root.at('spec', 'template'))
    case 'HelmChart.helm.cattle.io':
      return k3sRelease(manifest, snapshot)
    case inflatedChart:
      return inflatedRelease(manifest)
    default:
      return []
  }
}

/** https://fluxcd.io/flux/components/helm/helmreleases/ */
function fluxRelease(manifest: Manifest, snapshot: Snapshot): RemoteRelease[] {
  const { root, ref, clusters } = manifest
  const spec = root.at('spec')
  const chart = spec.at('chart', 'spec')
  // A chart of a GitRepository or Bucket is one of files, and may be here.
  const isRemote = spec.at('chartRef').exists
    ? ['OCIRepository', 'HelmChart'].includes(spec.at('chartRef', 'kind').string ?? '')
    : chart.at('chart').exists && (chart.at('sourceRef', 'kind').string ?? 'HelmRepository') === 'HelmRepository'
  // Patches of what the chart renders may change the Ingress, too.
  const isPatched = JSON.stringify(spec.at('postRenderers').value ?? null).includes('Ingress')
  if (!isRemote || isPatched) return []
  const references = [...spec.at('valuesFrom').items()].toReversed()
  const elsewhere = references.flatMap((reference) => reference.at('targetPath').string ?? [])
  const held = references
    .filter((reference) => !reference.at('targetPath').exists)
    .flatMap((reference) => heldBy(reference, ref.namespace, snapshot))
  const layers = [...layersOf([spec.at('values')]), ...held, ...hiddenIf(chart.at('valuesFiles').exists)]
  const target = spec.at('targetNamespace').string
  const name = spec.at('releaseName').string ?? (target ? `${target}-${ref.name}` : ref.name)
  const elsewhereTo = spec.at('kubeConfig').exists ? [`${ref.name} of ${manifest.origin.path}`] : clusters
  return [{ manifest, name, namespace: target ?? ref.namespace, clusters: elsewhereTo, layers, elsewhere }]
}

/** What a ConfigMap that was read holds; a Secret, or a ConfigMap from elsewhere, may hold anything. */
function heldBy(reference: Cursor, namespace: string, snapshot: Snapshot): ValuesLayer[] {
  const name = reference.at('name').string ?? ''
  const isMap = reference.at('kind').string === 'ConfigMap'
  const [holder] = isMap ? snapshot.get({ group: '', kind: 'ConfigMap', namespace, name }) : []
  const nested = holder?.root.at('data', reference.at('valuesKey').string ?? 'values.yaml').nested
  return nested ? layersOf([nested]) : hiddenIf(true)
}

/** https://argo-cd.readthedocs.io/en/stable/operator-manual/application.yaml */
function argoReleases(application: Cursor): RemoteRelease[] {
  const { manifest } = application
  const spec = application.at('spec')
  const destination = spec.at('destination')
  const to = destination.at('name').string || destination.at('server').string || ''
  return [spec.at('source'), ...spec.at('sources').items()].flatMap((source) => {
    if (!source.at('chart').exists) return []
    const helm = source.at('helm')
    const object = helm.at('valuesObject')
    // https://argo-cd.readthedocs.io/en/stable/user-guide/helm/
    const parameters = readParameters(helm.at('parameters'))
    const below = [...layersOf([object.exists ? object : helm.at('values').nested]), ...filesOf(helm.at('valueFiles'))]
    const patched = hiddenIf(manifest.root.at('spec', 'templatePatch').exists)
    const files = [...helm.at('fileParameters').items()].flatMap((one) => one.at('name').string ?? [])
    const into = helm.at('namespace').string ?? destination.at('namespace').string ?? ''
    return [
      {
        manifest,
        name: helm.at('releaseName').string ?? application.at('metadata', 'name').string ?? '',
        namespace: isPlaceholder(into) ? '' : into,
        clusters: isOwnCluster(to) ? manifest.clusters : [to],
        layers: [...patched, ...layersOf([parameters.root]), ...below],
        elsewhere: [...files, ...parameters.unread, ...(below.length > 0 ? parameters.ofItems : [])],
      },
    ]
  })
}

/** https://docs.k3s.io/helm#customizing-packaged-components-with-helmchartconfig */
function k3sRelease(manifest: Manifest, snapshot: Snapshot): RemoteRelease[] {
  const { root, ref, clusters } = manifest
  const spec = root.at('spec')
  if (!spec.at('chart').exists || spec.at('chartContent').exists) return []
  const [config] = snapshot.get({ ...ref, kind: 'HelmChartConfig' })
  const values = [config?.root.at('spec'), spec].flatMap((one) => [
    ...hiddenIf(one?.at('valuesSecrets').exists === true),
    ...layersOf([one?.at('valuesContent').nested]),
  ])
  const namespace = spec.at('targetNamespace').string ?? ref.namespace
  const elsewhere = [...spec.at('set').entries()].map(([path]) => path)
  return [{ manifest, name: ref.name, namespace, clusters, layers: values, elsewhere }]
}

/** https://kubectl.docs.kubernetes.io/references/kustomize/builtins/#_helmchartinflationgenerator_ */
function inflatedRelease(manifest: Manifest): RemoteRelease[] {
  const { root, ref, clusters, object } = manifest
  if (object.context?.patchesIngress) return []
  const inline = root.at('valuesInline').exists ? layersOf([root.at('valuesInline')]) : []
  const file = root.at('valuesFile').exists ? fileOf(root.at('valuesFile')) : []
  // As `valuesMerge` says; without a values file the chart's own values win over the inline ones.
  const merged = root.at('valuesFile').exists ? [...file, ...inline] : hiddenIf(true)
  const mode = root.at('valuesMerge').string || 'override'
  const base = entryOf({ override: [...inline, ...file], merge: merged, replace: inline }, mode)
  const layers = [
    ...filesOf(root.at('additionalValuesFiles')),
    ...(inline.length === 0 ? file : (base ?? hiddenIf(true))),
  ]
  return [{ manifest, name: ref.name, namespace: ref.namespace, clusters, layers, elsewhere: [] }]
}
