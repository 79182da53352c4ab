import type { NotInspected, NotInspectedCause } from '../../deployers/common/gitops-sources'
import { readFluxSource } from '../../gitops/flux-source'
import { readK3sChart } from '../../gitops/helm-chart'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { isKnownChart } from '../../kubernetes/charts/chart-release'
import { chartReleasesOf } from '../../kubernetes/charts/releases'
import { groupKindOf, identityOf, Manifest, type ObjectRef } from '../../manifest/manifest'
import type { Source } from '../../sources/source'
import type { AccountedSide } from './accounted-side'

/** An object whose deployment is not judged, or only in part. */
export interface UnseenDeployer extends NotInspected {
  /** It installs an ingress controller: every change of it weighs. */
  readonly weighs?: true
}

/** Causes that leave something out of a rendering that is judged for the rest. */
const partial: ReadonlySet<NotInspectedCause> = new Set([
  'values-replaced',
  'values-in-cluster',
  'patched',
  'plugin',
  'jsonnet',
  'file-names',
  'hook',
])

/** Whether a cause leaves something out of a rendering that is judged for the rest. */
export function isPartial(cause: NotInspectedCause): boolean {
  return partial.has(cause)
}

/** The objects of one side that deploy something which is not rendered. */
export function unseenOf({ side, objects }: AccountedSide, withChartSources: boolean): UnseenDeployer[] {
  const fetched = fetchedBy(side.discovery.sources)
  const isFetched = ({ manifest: { ref, origin }, url = '' }: NotInspected) =>
    isChartSource(ref)
      ? fetched.places.has(url) || fetched.files.has(origin.path)
      : fetched.installers.has(installerOf(ref, origin.path))
  const written = [...objects].flatMap(([path, its]) =>
    its
      .filter(({ ref }) => withChartSources || !isChartSource(ref))
      .flatMap((object) => elsewhereBy(new Manifest(object, 'head', { kind: 'file', path }, []))),
  )
  return [
    ...side.discovery.notInspected.filter(({ cause }) => !partial.has(cause)),
    ...written.filter((one) => !isFetched(one)),
  ].flatMap((one) => {
    if (!judgedByValues.has(one.cause) || !isKnown(one)) return [one]
    if (isChartSource(one.manifest.ref)) return []
    return [{ ...one, reason: `${one.reason}, ${onlyKnownValues}`, weighs: true as const }]
  })
}

/** Follows the reason why a known chart is not rendered. */
export const onlyKnownValues = 'so only the values that the gate knows of this chart are judged'

/** The causes for which a release of a known chart is judged by its values instead. */
const judgedByValues: ReadonlySet<NotInspectedCause> = new Set<NotInspectedCause>([
  'chart-elsewhere',
  'place-unreachable',
  'place-denied',
  'place-refused',
  'content-invalid',
  'content-too-large',
])

/** The origins of fetched charts, the files that name them, and the objects that install them. */
export function fetchedBy(sources: readonly Source[]) {
  const releases = sources.flatMap((source) => (source.fetched ? [source] : []))
  const places = releases.flatMap(({ fetched }) => fetched?.repository ?? [])
  return {
    places: new Set(places),
    files: new Set(releases.flatMap(({ definitionFiles = [] }) => definitionFiles)),
    installers: new Set(
      releases.flatMap(({ fetched, declaredAt }) => (fetched ? installerOf(fetched.by, declaredAt.path) : [])),
    ),
  }
}

/** Identifies an object that installs a chart, with its file. */
export function installerOf(ref: ObjectRef, path: string): string {
  return JSON.stringify([identityOf(ref), path])
}

/** A known chart is judged by its values. */
function isKnown({ manifest, url = '' }: NotInspected): boolean {
  return isKnownChart(url, url) || chartReleasesOf(manifest, undefined).length > 0
}

/** Objects that bring something from elsewhere and that discovery does not follow: charts of K3s, sources of Flux. */
function elsewhereBy(manifest: Manifest): NotInspected[] {
  const { ref, root } = manifest
  if (groupKindOf(ref) === gitOpsKind.k3sChart) {
    const { chart, repo, chartContent } = readK3sChart(root)
    const name = [textAt(chart), textAt(repo)].filter(Boolean).join(' of ')
    const reason = chartContent.exists
      ? 'its chart is an archive in `chartContent`, which is not unpacked'
      : `the chart ${name} is not in this repository`
    return [{ manifest, cause: 'chart-elsewhere', reason }]
  }
  if (!isChartSource(ref)) return []
  const url = textAt(readFluxSource(root).url)
  const reason = `the charts of ${url || ref.name} are not in this repository`
  return [{ manifest, cause: 'chart-elsewhere', reason, ...(url ? { url } : {}) }]
}

function isChartSource({ group, kind }: ObjectRef): boolean {
  return group === 'source.toolkit.fluxcd.io' && bringCharts.includes(kind)
}

const bringCharts = ['OCIRepository', 'HelmRepository', 'HelmChart']
