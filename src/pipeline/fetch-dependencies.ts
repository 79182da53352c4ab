import path from 'node:path/posix'
import { placeOf } from '../fetch/connection/place'
import type { LeftOut } from '../sides/fetched-input'
import type { FetchedDependencies } from '../sides/fetched-inputs'
import type { SideOfChange } from '../sides/side'
import { type Chart, chartWithLocals, type Dependency, localFolderOf, lockedVersion, vendored } from '../sources/chart'
import type { DeclarationSite, HelmSource } from '../sources/source'
import type { Ask } from './opening/asking'
import type { Sides } from './opening/open-sides'

/**
 * Fetches the dependencies of the charts that the change touches, where the charts are of this repository and do not
 * have them in `charts/`, as `helm dependency build` does. Where one side lacks one, the chart is rendered without them
 * on both, so that nothing seems added or removed.
 */
export async function fetchDependencies(sides: Sides, ask: Ask | undefined): Promise<Sides> {
  const { base, head } = sides
  if (!base || !ask) return sides
  const touched = new Set([...touchedCharts(base, head), ...touchedCharts(head, base)])
  if (touched.size === 0) return sides
  const [before, after] = await Promise.all([base, head].map((side) => dependenciesOf(touched, side, ask)))
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
  return {
    ...sides,
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
      const reason = `it does not render at the base with the dependencies, which were fetched: ${failure.reason}`
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
}

/** @returns by the folders of the charts; without those that need none, and those that the side does not have */
async function dependenciesOf(
  folders: ReadonlySet<string>,
  side: SideOfChange,
  ask: Ask,
): Promise<ReadonlyMap<string, Outcome>> {
  const found = [...folders].map(async (folder) => {
    const all = await Promise.all((await missingIn(folder, side)).map((one) => dependencyOf(one, side, ask)))
    if (all.length === 0) return []
    const fault = all.find((one) => one.fetched === undefined)
    return [[folder, fault ?? { fetched: joined(all.flatMap(({ fetched }) => fetched ?? [])) }] as const]
  })
  return new Map((await Promise.all(found)).flat())
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
}

/** The remote dependencies of a chart, and of those that it includes, which the repository does not have. */
async function missingIn(folder: string, { checkout }: SideOfChange): Promise<Missing[]> {
  const charts = await chartWithLocals(checkout, folder)
  return charts.flatMap((chart) =>
    chart.dependencies.flatMap((dependency) => {
      const isHere = vendored(checkout, chart, dependency) ?? localFolderOf(chart, dependency)
      return isHere === undefined ? [{ chart, dependency }] : []
    }),
  )
}

/** Without a reason for a dependency that helm alone can fetch, such as one in two versions. */
async function dependencyOf({ chart, dependency }: Missing, side: SideOfChange, ask: Ask): Promise<Outcome> {
  const { name, repository, at } = dependency
  const isTwice = chart.dependencies.some((one) => one.name === name && one.version !== dependency.version)
  if (isTwice || /[/\\]|^\.{0,2}$/.test(name) || !placeOf(repository)) return {}
  const version = (await lockedVersion(chart, dependency, side.checkout)) ?? dependency.version
  const answer = await ask({ kind: 'chart', repository, chart: name, version })
  if (!answer) return {}
  if ('cause' in answer)
    return { fault: `its dependency ${name} ${version} of ${repository} was not fetched: ${answer.reason}` }
  const folder = path.join(chart.folder, 'charts', name)
  const files = new Map([...answer.files].map(([file, content]) => [path.join(folder, file), content] as const))
  return { fetched: { files, entries: new Map<string, DeclarationSite>([[folder, at]]) } }
}
