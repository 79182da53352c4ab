import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { inlineValuesOf, isOwnCluster, readApplication } from '../../gitops/application'
import { readFluxSource } from '../../gitops/flux-source'
import { readK3sChart } from '../../gitops/helm-chart'
import { type HelmRelease, helmReleaseChartAt, readHelmRelease, type ValuesReference } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { filedRelease, generatedApplication, inflatedChart } from './chart-release'
import { filedLayersOf } from './filed-release'
import { readParameters } from './helm-parameters'
import { LayeredValue } from './layered-value'
import { fileOf, filesOf, hiddenIf, layersOf, type ValuesLayer } from './release-values'

/** A release of any chart that is not in the repository, known or not, so that its values alone can be read. */
export interface RemoteRelease {
  readonly manifest: Manifest
  /** The chart, and where it is from, as they are written. */
  readonly chart: string
  readonly repository: string
  /** The version of the chart, or a range of versions, as it is written; empty where none is. */
  readonly version: string
  /** The place of the version, or where it would be. */
  readonly versionAt: Cursor
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

/** The values of a release that nothing hidden is laid over. */
export function seenValuesOf({ layers }: RemoteRelease): LayeredValue {
  const hidden = layers.findIndex((layer) => 'hidden' in layer)
  const seen = layers.slice(0, hidden === -1 ? undefined : hidden)
  return LayeredValue.of(seen.flatMap((layer) => ('hidden' in layer ? [] : [layer.root])))
}

/** Reads the releases of charts from elsewhere that an object installs. */
export function remoteReleasesOf(manifest: Manifest, snapshot: Snapshot): RemoteRelease[] {
  switch (groupKindOf(manifest.ref)) {
    case gitOpsKind.helmRelease:
      return fluxRelease(manifest, snapshot)
    case gitOpsKind.application:
    case generatedApplication:
      return argoReleases(manifest.root)
    case gitOpsKind.applicationSet:
      return manifest.object.context?.applications ? [] : argoReleases(manifest.root.at('spec', 'template'))
    case 'HelmChart.helm.cattle.io':
      return k3sRelease(manifest, snapshot)
    case inflatedChart:
      return inflatedRelease(manifest)
    case filedRelease:
      return releaseOfFile(manifest)
    default:
      return []
  }
}

/** The release of a HelmRelease. */
function fluxRelease(manifest: Manifest, snapshot: Snapshot): RemoteRelease[] {
  const { root, ref, clusters } = manifest
  const { chart, chartRef, values, valuesFrom, targetNamespace, ...release } = readHelmRelease(root)
  // A chart of a GitRepository or Bucket is one of files, and may be here.
  const isRemote = chartRef.exists
    ? ['OCIRepository', 'HelmChart'].includes(chartRef.at('kind').string ?? '')
    : chart.chart.exists &&
      ((chart.sourceRef.at('kind').string ?? 'HelmRepository') === 'HelmRepository' ||
        isElsewhere(chart.chart, manifest))
  // Patches of the rendered chart may change the Ingress, too.
  const isPatched = JSON.stringify(release.postRenderers.value ?? null).includes('Ingress')
  if (!isRemote || isPatched) return []
  const references = valuesFrom.toReversed()
  const elsewhere = references.flatMap(({ targetPath }) => targetPath.string ?? [])
  const held = references
    .filter(({ targetPath }) => !targetPath.exists)
    .flatMap((reference) => heldBy(reference, ref.namespace, snapshot))
  const layers = [...layersOf([values]), ...held, ...hiddenIf(chart.valuesFiles.exists)]
  const namespace = targetNamespace.string ?? ref.namespace
  const elsewhereTo = release.kubeConfig.exists ? [`${ref.name} of ${manifest.origin.path}`] : clusters
  const from = namedChart({ chart, chartRef }, ref.namespace, snapshot)
  return [{ manifest, ...from, name: release.releaseName, namespace, clusters: elsewhereTo, layers, elsewhere }]
}

/** Whether the folder of a chart is known to be in another repository. */
function isElsewhere(folder: Cursor, { object }: Manifest): boolean {
  return object.context?.chartsElsewhere?.has(textAt(folder)) ?? false
}

/** The chart that a HelmRelease names, or the object that it takes its chart of. */
function namedChart(
  { chart: own, chartRef }: Pick<HelmRelease, 'chart' | 'chartRef'>,
  releaseNamespace: string,
  snapshot: Snapshot,
): Pick<RemoteRelease, 'chart' | 'repository' | 'version' | 'versionAt'> {
  const [kind, name] = [textAt(chartRef.at('kind')), textAt(chartRef.at('name'))]
  const namespace = textAt(chartRef.at('namespace')) || releaseNamespace
  const [holder] = chartRef.exists ? snapshot.get({ group: 'source.toolkit.fluxcd.io', kind, namespace, name }) : []
  if (holder && kind === 'OCIRepository') {
    const { url, version } = readFluxSource(holder.root)
    return { chart: textAt(url), repository: textAt(url), version: textAt(version), versionAt: version }
  }
  const { chart, version, sourceRef } = holder ? helmReleaseChartAt(holder.root.at('spec')) : own
  return {
    chart: textAt(chart),
    repository: textAt(sourceRef.at('name')),
    version: textAt(version),
    versionAt: version,
  }
}

/** The data of a ConfigMap that was read; a Secret, or a ConfigMap from elsewhere, may hold anything. */
function heldBy(reference: ValuesReference, namespace: string, snapshot: Snapshot): ValuesLayer[] {
  const name = reference.name.string ?? ''
  const isMap = reference.kind.string === 'ConfigMap'
  const [holder] = isMap ? snapshot.get({ group: '', kind: 'ConfigMap', namespace, name }) : []
  const nested = holder?.root.at('data', reference.key).nested
  return nested ? layersOf([nested]) : hiddenIf(true)
}

/** The releases of an Application, or of the template of an ApplicationSet. */
function argoReleases(root: Cursor): RemoteRelease[] {
  const { manifest } = root
  const application = readApplication(root)
  const { cluster, namespace } = application.destination
  return application.sources.flatMap((source) => {
    if (!source.chart.exists && !isElsewhere(source.path, manifest)) return []
    const { helm } = source
    const parameters = readParameters(helm.at('parameters'))
    const below = [...layersOf([inlineValuesOf(source).map]), ...filesOf(helm.at('valueFiles'))]
    const patched = hiddenIf(manifest.root.at('spec', 'templatePatch').exists)
    const files = [...helm.at('fileParameters').items()].flatMap((one) => one.at('name').string ?? [])
    const into = helm.at('namespace').string ?? namespace.string ?? ''
    return [
      {
        manifest,
        chart: textAt(source.chart) || textAt(source.path),
        repository: textAt(source.repoURL),
        version: textAt(source.targetRevision),
        versionAt: source.targetRevision,
        name: helm.at('releaseName').string ?? application.name.string ?? '',
        namespace: isPlaceholder(into) ? '' : into,
        clusters: isOwnCluster(cluster) ? manifest.clusters : [cluster],
        layers: [...patched, ...layersOf([parameters.root]), ...below],
        elsewhere: [...files, ...parameters.unread, ...(below.length > 0 ? parameters.ofItems : [])],
      },
    ]
  })
}

/** The release of a HelmChart of K3s: https://docs.k3s.io/helm#customizing-packaged-components-with-helmchartconfig */
function k3sRelease(manifest: Manifest, snapshot: Snapshot): RemoteRelease[] {
  const { root, ref, clusters } = manifest
  const own = readK3sChart(root)
  if (!own.chart.exists || own.chartContent.exists) return []
  const [config] = snapshot.get({ ...ref, kind: 'HelmChartConfig' })
  const layers = [...(config ? [readK3sChart(config.root)] : []), own].flatMap(({ valuesSecrets, valuesContent }) => [
    ...hiddenIf(valuesSecrets.exists),
    ...layersOf([valuesContent.nested]),
  ])
  const namespace = own.targetNamespace.string ?? ref.namespace
  const elsewhere = [...own.set.entries()].map(([path]) => path)
  const named = {
    chart: textAt(own.chart),
    repository: textAt(own.repo),
    version: textAt(own.version),
    versionAt: own.version,
  }
  return [{ manifest, ...named, name: ref.name, namespace, clusters, layers, elsewhere }]
}

/**
 * The release in a file of Fleet or helmfile. Values from Secrets seldom contain hosts, and only fill in missing ones.
 */
function releaseOfFile(manifest: Manifest): RemoteRelease[] {
  const { root, ref, clusters, object } = manifest
  const written = object.context?.release
  if (!written) return []
  const layers = filedLayersOf(manifest, written)
  const isHidden = layers.some((layer) => 'hidden' in layer)
  const shown = layers.flatMap((layer) => ('root' in layer ? [layer] : []))
  const parameters = shown.filter((layer) => layer.parameters).map(({ root }) => readParameters(root))
  const maps = shown.filter((layer) => !layer.parameters)
  return [
    {
      manifest,
      chart: written.chart,
      repository: written.repository,
      version: textAt(root.at(...written.version)),
      versionAt: root.at(...written.version),
      name: ref.name,
      namespace: ref.namespace,
      clusters: written.cluster === '' ? clusters : [written.cluster],
      layers: [...layersOf(parameters.map(({ root }) => root)), ...maps, ...hiddenIf(isHidden)],
      elsewhere: parameters.flatMap(({ unread, ofItems }) => [...unread, ...ofItems]),
    },
  ]
}

/** https://kubectl.docs.kubernetes.io/references/kustomize/builtins/#_helmchartinflationgenerator_ */
function inflatedRelease(manifest: Manifest): RemoteRelease[] {
  const { root, ref, clusters, object } = manifest
  if (object.context?.patchesIngress) return []
  const inline = root.at('valuesInline').exists ? layersOf([root.at('valuesInline')]) : []
  const file = root.at('valuesFile').exists ? fileOf(root.at('valuesFile')) : []
  // `valuesMerge` decides; without a values file the chart's own values win over the inline ones.
  const merged = root.at('valuesFile').exists ? [...file, ...inline] : hiddenIf(true)
  const mode = root.at('valuesMerge').string || 'override'
  const base = entryOf({ override: [...inline, ...file], merge: merged, replace: inline }, mode)
  const layers = [
    ...filesOf(root.at('additionalValuesFiles')),
    ...(inline.length === 0 ? file : (base ?? hiddenIf(true))),
  ]
  const named = {
    chart: textAt(root.at('name')),
    repository: textAt(root.at('repo')),
    version: textAt(root.at('version')),
    versionAt: root.at('version'),
  }
  return [{ manifest, ...named, name: ref.name, namespace: ref.namespace, clusters, layers, elsewhere: [] }]
}
