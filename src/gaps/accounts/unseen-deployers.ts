import type { NotInspected, NotInspectedCause } from '../../deployers/common/gitops-sources'
import { readFluxSource } from '../../gitops/flux-source'
import { readK3sChart } from '../../gitops/helm-chart'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { chartFactsNamed } from '../../kubernetes/charts/chart-release'
import { knownValuesOf } from '../../kubernetes/charts/known-values'
import { chartReleasesOf } from '../../kubernetes/charts/releases'
import { groupKindOf, identityOf, Manifest, type ObjectRef } from '../../manifest/manifest'
import type { Source } from '../../sources/source'
import type { AccountedSide } from './accounted-side'

/** An object whose deployment is not judged, or only in part. */
export interface UnseenDeployer extends NotInspected {
  /** The values of its chart, which is one of an ingress controller, that are judged all the same. */
  readonly known?: ReadonlySet<string>
}

/** Causes that leave something out of a rendering that is judged for the rest. */
const partial: ReadonlySet<NotInspectedCause> = new Set([
  'values-replaced',
  'values-in-cluster',
  'values-encrypted',
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
    const known = judgedByValues.has(one.cause) ? knownIn(one) : undefined
    if (!known) return [one]
    return isChartSource(one.manifest.ref) ? [] : [{ ...one, reason: `${one.reason}, ${onlyKnownValues}`, known }]
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

/** The values of a known chart that are judged. */
function knownIn({ manifest, url = '' }: NotInspected): ReadonlySet<string> | undefined {
  const named = chartFactsNamed(url, url)
  const facts = named ? [named] : chartReleasesOf(manifest, undefined).map((release) => release.facts)
  return facts.length > 0 ? new Set(facts.flatMap((one) => [...knownValuesOf(one)])) : undefined
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
