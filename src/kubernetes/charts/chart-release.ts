import { maxSatisfying, valid } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import { gitOpsKind } from '../../gitops/kinds'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, ownGroup } from '../../manifest/manifest'
import { mentions } from '../../manifest/mentions'
import { type ChartFacts, chartFacts } from './chart-facts'
import { chartNamed } from './chart-named'
import type { ReleaseValues } from './release-values'

/** An Application that an ApplicationSet generates, as the set and the repository determine it. */
export const generatedApplication: GroupKind = `Application.${ownGroup}`

/** A chart that a Kustomization inflates. */
export const inflatedChart: GroupKind = `HelmChart.${ownGroup}`

/** A release that a file of Fleet or helmfile declares. */
export const filedRelease: GroupKind = `Release.${ownGroup}`

/**
 * The kinds that install a chart: objects of Flux, Argo CD and k3s, the objects those generate, the charts of
 * Kustomizations, and the releases of Fleet and helmfile.
 */
export const releaseKinds: readonly GroupKind[] = [
  gitOpsKind.helmRelease,
  gitOpsKind.application,
  gitOpsKind.applicationSet,
  gitOpsKind.k3sChart,
  generatedApplication,
  inflatedChart,
  filedRelease,
]

/** Those, and the values of a user for a chart that a distribution of Kubernetes installs by itself. */
export const valuedKinds: readonly GroupKind[] = [...releaseKinds, gitOpsKind.k3sChartConfig]

/** Whether an object of `releaseKinds` may install a chart from elsewhere: most Applications deploy a folder. */
export function mayInstallRemote({ ref, object: { content, context } }: Manifest): boolean {
  const isOfArgo = ([gitOpsKind.application, gitOpsKind.applicationSet, generatedApplication] as string[]).includes(
    groupKindOf(ref),
  )
  return !isOfArgo || content.includes('chart') || (context?.chartsElsewhere?.size ?? 0) > 0
}

/** A release whose object has a name in its text, so that its chart may create what is called so. */
export function releaseMentioning(name: string, snapshot: Snapshot): Manifest | undefined {
  return releaseKinds.flatMap((kind) => snapshot.ofKind(kind)).find(({ object }) => mentions(object.content, name))
}

/** The kinds that hold parts of a release: its values, or which chart it installs. */
export const releasePartKinds: readonly GroupKind[] = ['ConfigMap', gitOpsKind.ociRepository, gitOpsKind.fluxHelmChart]

/** A release of a known remote chart: only its values are known. */
export interface ChartRelease {
  readonly facts: ChartFacts
  readonly manifest: Manifest
  readonly name: string
  /** Empty where the manifest gives none. */
  readonly namespace: string
  /** The cluster it is installed to, if that is another one than the cluster of its object; otherwise empty. */
  readonly cluster: string
  /** The version of the chart: of a range the newest one that is known. */
  readonly version: string
  /** The place of the chart's name or version. */
  readonly at: Cursor
  readonly values: ReleaseValues
  /** The sources it is read from, other than its own object. */
  readonly parts: readonly Cursor[]
}

/** The names that a release and its parts share. */
export function* namesOfReleaseParts(manifest: Manifest): Iterable<string> {
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
  } else if (releasePartKinds.includes(kind)) yield ref.name
}

/** Whether the facts know a chart, by its name and repository. */
export function isKnownChart(chart: string, repository: string): boolean {
  return chartFactsNamed(chart, repository) !== undefined
}

/** The chart of an OCI registry is named with its path. */
export function chartFactsOf(chart: Cursor, repository: Cursor): ChartFacts | undefined {
  return chartFactsNamed(chart.string ?? '', repository.string ?? '')
}

/** The facts of a chart, by how objects name it and where from. */
export function chartFactsNamed(chart: string, repository: string): ChartFacts | undefined {
  return chartNamed(chartFacts, chart, repository)
}

/** A version that is written; of a range, or of none, the newest that the facts know. */
export function versionAt({ apps }: ChartFacts, at: Cursor): { version: string; at: Cursor } {
  const written = (at.string ?? '*').trim()
  const known = Object.keys(apps)
  return { at, version: valid(written) ?? maxSatisfying(known, written) ?? known.at(-1) ?? '0.0.0' }
}
