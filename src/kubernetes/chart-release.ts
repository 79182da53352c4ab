import { maxSatisfying, valid } from 'semver'
import type { Cursor } from '../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, ownGroup } from '../manifest/manifest'
import type { Snapshot } from '../manifest/snapshot'
import { type ChartFacts, chartFacts } from './chart-facts'
import { isPlaceholder } from './ingress'
import { ReleaseValues, type ValuesLayer } from './release-values'

/** An Application that an ApplicationSet makes, as the set and the tree tell it. */
export const madeApplication: GroupKind = `Application.${ownGroup}`

/** A chart that a Kustomization inflates. */
export const inflatedChart: GroupKind = `HelmChart.${ownGroup}`

/** The kinds that install a chart: objects of Flux, Argo CD and k3s, what those make, and the charts of Kustomizations. */
export const releaseKinds: readonly GroupKind[] = [
  'HelmRelease.helm.toolkit.fluxcd.io',
  'Application.argoproj.io',
  'ApplicationSet.argoproj.io',
  'HelmChart.helm.cattle.io',
  madeApplication,
  inflatedChart,
]

/** The kinds that hold parts of a release: its values, or which chart it installs. */
export const partKinds: readonly GroupKind[] = [
  'ConfigMap',
  'OCIRepository.source.toolkit.fluxcd.io',
  'HelmChart.source.toolkit.fluxcd.io',
]

/** A release of a known chart that is not in the repository, so that only its values tell what it installs. */
export interface ChartRelease {
  readonly facts: ChartFacts
  readonly manifest: Manifest
  readonly name: string
  /** Empty where the manifest gives none. */
  readonly namespace: string
  /** The cluster it is installed to, where that is another one than its object's own; empty where it is not. */
  readonly cluster: string
  /** The version of the chart: of a range the newest one that is known. */
  readonly version: string
  /** Where that is written. */
  readonly at: Cursor
  readonly values: ReleaseValues
  /** What it is read from beside its own object. */
  readonly parts: readonly Cursor[]
}

/** Reads the releases of known charts that an object installs; those of charts in the repository are rendered instead. */
export function chartReleasesOf(manifest: Manifest, snapshot: Snapshot | undefined): ChartRelease[] {
  switch (groupKindOf(manifest.ref)) {
    case 'HelmRelease.helm.toolkit.fluxcd.io':
      return fluxReleasesOf(manifest, snapshot)
    case 'Application.argoproj.io':
    case madeApplication:
      return argoReleasesOf(manifest.root)
    case 'ApplicationSet.argoproj.io':
      return manifest.object.around?.makes ? [] : argoReleasesOf(manifest.root.at('spec', 'template'))
    case 'HelmChart.helm.cattle.io':
      return k3sReleasesOf(manifest)
    case inflatedChart:
      return inflatedReleasesOf(manifest)
    default:
      return []
  }
}

/** https://fluxcd.io/flux/components/helm/helmreleases/ */
function fluxReleasesOf(manifest: Manifest, snapshot: Snapshot | undefined): ChartRelease[] {
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

/** The known chart that a HelmRelease installs: as it says itself, or as the object does that it names. */
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
    const facts = spec && factsOf(spec.at('url'), spec.at('url'))
    if (!facts) return undefined
    const version = [spec.at('ref', 'semver'), spec.at('ref', 'tag')].find(({ exists }) => exists)
    return { facts, ...versionAt(facts, version ?? spec.at('ref')), valuesFiles: spec.at('valuesFiles'), parts }
  }
  const chart = reference.exists ? holder?.root.at('spec') : root.at('spec', 'chart', 'spec')
  // A chart of a GitRepository or Bucket is one of files, and may be any.
  if (!chart || (chart.at('sourceRef', 'kind').string ?? 'HelmRepository') !== 'HelmRepository') return undefined
  const facts = factsOf(chart.at('chart'), chart.at('sourceRef', 'name'))
  return facts && { facts, ...versionAt(facts, chart.at('version')), valuesFiles: chart.at('valuesFiles'), parts }
}

/** The names by which a release and its parts find each other. */
export function* namesOfParts(manifest: Manifest): Iterable<string> {
  const { ref, root } = manifest
  const kind = groupKindOf(ref)
  if (releaseKinds.includes(kind)) {
    for (const reference of [root.at('spec', 'chartRef'), ...root.at('spec', 'valuesFrom').items()]) {
      const name = reference.at('name').string
      if (name) yield name
    }
  } else if (kind === 'ConfigMap') {
    const holdsValues = [...root.at('data').entries()].some(([key]) => /\.ya?ml$/.test(key))
    if (holdsValues) yield ref.name
  } else if (partKinds.includes(kind)) yield ref.name
}

/** What a ConfigMap of the cluster gives; undefined where it is not there, or is a Secret. */
function heldBy(reference: Cursor, namespace: string, snapshot: Snapshot | undefined): Cursor | undefined {
  if (reference.at('kind').string !== 'ConfigMap') return undefined
  const name = reference.at('name').string ?? ''
  const [holder] = snapshot?.get({ group: '', kind: 'ConfigMap', namespace, name }) ?? []
  return holder?.root.at('data', reference.at('valuesKey').string ?? 'values.yaml')
}

/**
 * Reads an Application, or the template of an ApplicationSet of which nobody tells what it makes: that stands for all of its
 * Applications, each in a cluster of its own where the destination is filled in.
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/application.yaml
 */
function argoReleasesOf(application: Cursor): ChartRelease[] {
  const { manifest } = application
  const spec = application.at('spec')
  const destination = spec.at('destination')
  const written = destination.at('name').string || destination.at('server').string || ''
  const set = manifest.root.at('spec')
  const generated = isPlaceholder(written) ? `${written} of ${JSON.stringify(set.at('generators').value)}` : written
  const cluster = ownCluster.includes(written) ? '' : generated
  return [spec.at('source'), ...spec.at('sources').items()].flatMap((source) => {
    const facts = factsOf(source.at('chart'), source.at('repoURL'))
    if (!facts) return []
    const helm = source.at('helm')
    const object = helm.at('valuesObject')
    // The object takes the place of the text: https://argo-cd.readthedocs.io/en/stable/user-guide/helm/
    const inline = object.exists ? object : helm.at('values').nested
    const parameters: ValuesLayer = { root: helm.at('parameters'), parameters: true }
    const single = [...helm.at('fileParameters').items()].flatMap((one) => one.at('name').string ?? [])
    const layers = [parameters, ...layersOf([inline]), ...filesOf(helm.at('valueFiles'))]
    const place = object.exists ? object : helm.at('values')
    const values = new ReleaseValues(place, [...hiddenIf(set.at('templatePatch').exists), ...layers], single)
    const name = helm.at('releaseName').string ?? application.at('metadata', 'name').string ?? ''
    const into = helm.at('namespace').string ?? destination.at('namespace').string ?? ''
    const namespace = isPlaceholder(into) ? '' : into
    const version = versionAt(facts, source.at('targetRevision'))
    return [{ facts, manifest, name, namespace, cluster, ...version, values, parts: [] }]
  })
}

/** The names of the cluster that Argo CD itself runs in. */
const ownCluster = ['', 'in-cluster', 'https://kubernetes.default.svc']

/** https://docs.k3s.io/helm */
function k3sReleasesOf({ root, ref }: Manifest): ChartRelease[] {
  const spec = root.at('spec')
  const facts = factsOf(spec.at('chart'), spec.at('repo'))
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
 * Kustomize merges the values in its file with those of `valuesFile`, as `valuesMerge` says, and helm lays the additional files
 * over the outcome: https://kubectl.docs.kubernetes.io/references/kustomize/builtins/#_helmchartinflationgenerator_
 */
function inflatedReleasesOf(manifest: Manifest): ChartRelease[] {
  const { root, ref, object } = manifest
  const facts = factsOf(root.at('name'), root.at('repo'))
  if (!facts) return []
  const written = root.at('valuesInline')
  const inline = written.exists ? layersOf([written]) : []
  const [file, additional] = [root.at('valuesFile'), root.at('additionalValuesFiles')]
  const files = file.exists ? fileOf(file) : []
  // Without a file of values those of the chart win over the ones that stand here.
  const merged = file.exists ? [...files, ...inline] : hiddenIf(inline.length > 0)
  const mode = root.at('valuesMerge').string || 'override'
  const base = inline.length === 0 ? files : { override: [...inline, ...files], merge: merged, replace: inline }[mode]
  const layers = [...hiddenIf(object.around?.patched === true), ...filesOf(additional), ...(base ?? hiddenIf(true))]
  const generated = root.at('nameTemplate').exists || !root.at('releaseName').string
  const name = generated ? '<generated>' : ref.name
  const values = new ReleaseValues(written.exists ? written : root, layers)
  const version = versionAt(facts, root.at('version'))
  return [{ facts, manifest, name, namespace: ref.namespace, cluster: '', ...version, values, parts: [] }]
}

function layersOf(roots: readonly (Cursor | undefined)[]): ValuesLayer[] {
  return roots.flatMap((root) => (root ? [{ root }] : []))
}

function hiddenIf(condition: boolean): ValuesLayer[] {
  return condition ? [{ hidden: true }] : []
}

/** What values files hold, the last over the others; one that is not in this repository may hold anything. */
function filesOf(list: Cursor): ValuesLayer[] {
  return [...list.items()].toReversed().flatMap(fileOf)
}

function fileOf(name: Cursor): ValuesLayer[] {
  const files = name.string === undefined ? undefined : name.manifest.valuesIn(name.string)
  return files ? layersOf(files.toReversed()) : hiddenIf(true)
}

/** Whether a chart is one that the facts know, by how objects name it and where from. */
export function isKnownChart(chart: string, repository: string): boolean {
  return factsNamed(chart, repository) !== undefined
}

/** The chart of an OCI registry is named with its path. */
function factsOf(chart: Cursor, repository: Cursor): ChartFacts | undefined {
  return factsNamed(chart.string ?? '', repository.string ?? '')
}

function factsNamed(chart: string, repository: string): ChartFacts | undefined {
  const written = chart.split('/').at(-1)
  const isFrom = (part: string) => repository.includes(part)
  return chartFacts.find(
    ({ name, of, notOf = [] }) => name === written && !notOf.some(isFrom) && (of?.some(isFrom) ?? true),
  )
}

/** A version that is written; of a range, or of none, the newest that the facts know. */
function versionAt({ apps }: ChartFacts, at: Cursor): { version: string; at: Cursor } {
  const written = (at.string ?? '*').trim()
  const known = Object.keys(apps)
  return { at, version: valid(written) ?? maxSatisfying(known, written) ?? known.at(-1) ?? '0.0.0' }
}
