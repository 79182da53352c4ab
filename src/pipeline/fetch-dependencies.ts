import path from 'node:path/posix'
import { placeOf } from '../fetch/connection/place'
import type { Skipped } from '../finding/report'
import type { Checkout } from '../revision/checkout'
import type { LeftOut } from '../sides/fetched-input'
import type { FetchedDependencies } from '../sides/fetched-inputs'
import type { SideOfChange } from '../sides/side'
import { type Chart, chartWithLocals, type Dependency, localFolderOf, lockedVersion, vendored } from '../sources/chart'
import { filesOfChart, type Publishing, publishedChart } from '../sources/published-chart'
import type { DeclarationSite, HelmSource } from '../sources/source'
import type { Ask } from './opening/asking'
import type { Sides } from './opening/open-sides'

/**
 * Fetches the dependencies of the charts that the change touches, where the charts are of this repository and do not
 * have them in `charts/`, as `helm dependency build` does. A chart that this repository publishes itself takes the place of
 * one that cannot be fetched. Where one side lacks one, the chart is rendered without them on both, so that nothing seems
 * added or removed.
 */
export async function fetchDependencies(
  sides: Sides,
  ask: Ask | undefined,
  repository: readonly string[],
): Promise<Sides> {
  const { base, head } = sides
  if (!base) return sides
  const touched = new Set([...touchedCharts(base, head), ...touchedCharts(head, base)])
  if (touched.size === 0) return sides
  const [before, after] = await Promise.all(
    [base, head].map((side) => dependenciesOf(touched, { ask, repository, base: base.checkout, side: side.checkout })),
  )
  if (!before || !after) return sides
  const faultOf = (chart: string) => [after, before].flatMap((side) => side.get(chart)?.fault ?? [])[0]
  const isWhole = (chart: string) => [before, after].every((side) => !side.has(chart) || side.get(chart)?.fetched)
  const whole = new Set([...touched].filter(isWhole))
  const built = await base.withDependencies(...laidOut(before, whole))
  const unfit = await failingIn(built, whole)
  const lacking = (side: SideOfChange) =>
    new Map(
      releasesOf(touched, side).flatMap(({ id, chart }) => {
        const fault = whole.has(chart) ? undefined : faultOf(chart)
        return fault === undefined ? [] : [[id, { reason: fault, isFetched: false }] as const]
      }),
    )
  const completed = await head.withDependencies(...laidOut(after, whole))
  const here = [...after, ...before].flatMap(([folder, one]) => (whole.has(folder) ? (one.here ?? []) : []))
  return {
    ...sides,
    publishedHere: [...new Map(here.map((one) => [one.reason, one])).values()],
    base: await built.withoutDependencies(new Map([...lacking(base), ...unfit])),
    head: await completed.withoutDependencies(new Map([...lacking(head), ...unfit])),
  }
}

function releasesOf(charts: ReadonlySet<string>, { discovery }: SideOfChange): HelmSource[] {
  return discovery.sources.filter(
    (one): one is HelmSource => one.kind === 'helm' && !one.fetched && charts.has(one.chart),
  )
}

/**
 * The releases of charts that fail with their dependencies at the base, with the reasons: one may ask for something of
 * the cluster.
 */
async function failingIn(base: SideOfChange, charts: ReadonlySet<string>): Promise<ReadonlyMap<string, LeftOut>> {
  const rendered = await Promise.all(releasesOf(charts, base).map((one) => base.render(one)))
  return new Map(
    rendered.flatMap(({ source, failure }) => {
      if (!failure || failure.missing) return []
      const reason = `it does not render at the base with its dependencies: ${failure.reason}`
      return [[source.id, { reason, isFetched: true }] as const]
    }),
  )
}

/** The folders of the charts whose releases are other ones on the other side. */
function touchedCharts(one: SideOfChange, other: SideOfChange): string[] {
  return one.discovery.sources.flatMap((source) => {
    if (source.kind !== 'helm' || source.fetched) return []
    return one.keys.get(source.id) === other.keys.get(source.id) ? [] : [source.chart]
  })
}

/** The fetched dependencies of a chart, or the reason why one of them was not. */
interface Outcome {
  readonly fetched?: FetchedDependencies
  readonly fault?: string
  /** The charts of this repository that take the place of what was not fetched. */
  readonly here?: readonly Skipped[]
}

/** Where dependencies are from: places to ask, and the charts that this repository publishes. */
interface From extends Publishing {
  readonly ask: Ask | undefined
}

/** @returns by the folders of the charts; without those that need none, and those that the side does not have */
async function dependenciesOf(folders: ReadonlySet<string>, from: From): Promise<ReadonlyMap<string, Outcome>> {
  const found = [...folders].map(async (folder) => {
    const all = await Promise.all((await missingIn(folder, from.side)).map((one) => dependencyOf(one, from)))
    return all.length === 0 ? [] : [[folder, together(all)] as const]
  })
  return new Map((await Promise.all(found)).flat())
}

/** The outcome for several dependencies: one that was not fetched decides. */
function together(all: readonly Outcome[]): Outcome {
  const fault = all.find(({ fetched }) => fetched === undefined)
  if (fault) return fault
  return { fetched: joined(all.flatMap(({ fetched }) => fetched ?? [])), here: all.flatMap(({ here }) => here ?? []) }
}

function joined(all: readonly FetchedDependencies[]): FetchedDependencies {
  return {
    files: new Map(all.flatMap(({ files }) => [...files])),
    entries: new Map(all.flatMap(({ entries }) => [...entries])),
  }
}

function laidOut(
  found: ReadonlyMap<string, Outcome>,
  whole: ReadonlySet<string>,
): [ReadonlySet<string>, FetchedDependencies] {
  const those = [...found].filter(([folder]) => whole.has(folder))
  return [new Set(those.map(([folder]) => folder)), joined(those.flatMap(([, { fetched }]) => fetched ?? []))]
}

interface Missing {
  readonly chart: Chart
  readonly dependency: Dependency
  /** The folder of the chart where it is rendered: one that another chart includes is in its folder. */
  readonly folder: string
}

/** The remote dependencies of a chart, and of those that it includes, which the repository does not have. */
async function missingIn(folder: string, checkout: Checkout): Promise<Missing[]> {
  const charts = await chartWithLocals(checkout, folder)
  return charts.flatMap((chart) => {
    const isHere = (one: Dependency) => vendored(checkout, chart, one) ?? localFolderOf(chart, one)
    const missing = chart.dependencies.filter((one) => isHere(one) === undefined)
    return missing.map((dependency) => ({ chart, dependency, folder: chart.folder }))
  })
}

/** Without a reason for a dependency that helm alone can fetch, such as one in two versions. */
async function dependencyOf(missing: Missing, from: From): Promise<Outcome> {
  const { chart, dependency } = missing
  const { name, repository, at } = dependency
  const isTwice = chart.dependencies.some((one) => one.name === name && one.version !== dependency.version)
  if (isTwice || /[/\\]|^\.{0,2}$/.test(name) || !placeOf(repository)) return {}
  const version = (await lockedVersion(chart, dependency, from.side)) ?? dependency.version
  const answer = await from.ask?.({ kind: 'chart', repository, chart: name, version })
  if (from.ask && !answer) return {}
  if (!answer || 'cause' in answer) {
    const what = `its dependency ${name} ${version} of ${repository}`
    const fault = answer ? `${what} was not fetched: ${answer.reason}` : `${what} was not fetched`
    return (await publishedHere(missing, version, fault, from)) ?? (answer ? { fault } : {})
  }
  const files = below(folderOf(missing), answer.files)
  return { fetched: { files, entries: new Map<string, DeclarationSite>([[folderOf(missing), at]]) } }
}

/** The folder in which helm looks for a dependency. */
function folderOf({ folder, dependency }: Missing): string {
  return path.join(folder, 'charts', dependency.name)
}

function below(folder: string, files: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  return new Map([...files].map(([file, content]) => [path.join(folder, file), content] as const))
}

/** The chart of this repository that is published as a dependency, with those that it includes in its turn. */
async function publishedHere(
  missing: Missing,
  version: string,
  fault: string,
  from: From,
): Promise<Outcome | undefined> {
  const { dependency, folder } = missing
  const found = await publishedChart(missing.chart.folder, dependency, version, from)
  // A chart that includes itself has no end.
  if (!found || `/${folder}/`.includes(`/charts/${dependency.name}/`)) return undefined
  const own = folderOf(missing)
  const inner = (await missingIn(found.folder, found.checkout)).filter(({ folder: its }) => its === found.folder)
  const included = together(
    await Promise.all(inner.map((one) => dependencyOf({ ...one, folder: own }, { ...from, side: found.checkout }))),
  )
  if (!included.fetched) return included
  const { at } = dependency
  const reason = `${missing.chart.folder || '.'} is rendered with ${found.folder} of this repository in place of the published chart, which may differ: ${fault}`
  const fetched = { files: below(own, await filesOfChart(found)), entries: new Map([[own, at]]) }
  return {
    fetched: joined([fetched, included.fetched]),
    here: [{ path: at.path, reason }, ...(included.here ?? [])],
  }
}
