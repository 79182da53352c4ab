import path from 'node:path/posix'
import { placeOf } from '../fetch/connection/place'
import type { FetchedDependencies, SideOfChange } from '../sides/side'
import { type Chart, chartWithLocals, type Dependency, localFolderOf, lockedVersion, vendored } from '../sources/chart'
import type { DeclarationSite } from '../sources/source'
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
  const whole = new Set([...touched].filter((chart) => isWhole(before.get(chart)) && isWhole(after.get(chart))))
  const built = await base.withDependencies(...laidOut(before, whole))
  const unfit = await failingIn(built, whole)
  return {
    ...sides,
    base: await built.withoutDependencies(unfit),
    head: await (await head.withDependencies(...laidOut(after, whole))).withoutDependencies(unfit),
  }
}

/** The releases of charts that fail with their dependencies at the base: one may ask for something of the cluster. */
async function failingIn(base: SideOfChange, charts: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const sources = base.discovery.sources.filter((one) => one.kind === 'helm' && !one.fetched && charts.has(one.chart))
  const rendered = await Promise.all(sources.map((one) => base.render(one)))
  return new Set(rendered.flatMap(({ source, failure }) => (failure && !failure.missing ? [source.id] : [])))
}

/** The folders of the charts whose releases are other ones on the other side. */
function touchedCharts(one: SideOfChange, other: SideOfChange): string[] {
  return one.discovery.sources.flatMap((source) => {
    if (source.kind !== 'helm' || source.fetched) return []
    return one.keys.get(source.id) === other.keys.get(source.id) ? [] : [source.chart]
  })
}

/** The fetched dependencies of a chart; undefined where one cannot be fetched. */
type Fetched = FetchedDependencies | undefined

/** @returns by the folders of the charts; without those that need none, and those that the side does not have */
async function dependenciesOf(
  folders: ReadonlySet<string>,
  side: SideOfChange,
  ask: Ask,
): Promise<ReadonlyMap<string, { readonly fetched: Fetched }>> {
  const found = [...folders].map(async (folder) => {
    const all = await Promise.all((await missingIn(folder, side)).map((one) => dependencyOf(one, side, ask)))
    if (all.length === 0) return []
    const isAll = all.every((one) => one !== undefined)
    return [[folder, { fetched: isAll ? joined(all) : undefined }] as const]
  })
  return new Map((await Promise.all(found)).flat())
}

function isWhole(one: { readonly fetched: Fetched } | undefined): boolean {
  return !one || one.fetched !== undefined
}

function joined(all: readonly FetchedDependencies[]): FetchedDependencies {
  return {
    files: new Map(all.flatMap(({ files }) => [...files])),
    entries: new Map(all.flatMap(({ entries }) => [...entries])),
  }
}

function laidOut(
  found: ReadonlyMap<string, { readonly fetched: Fetched }>,
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

/** @returns undefined where it cannot be fetched, or a chart includes it twice in different versions */
async function dependencyOf({ chart, dependency }: Missing, side: SideOfChange, ask: Ask): Promise<Fetched> {
  const { name, repository, at } = dependency
  const isTwice = chart.dependencies.some((one) => one.name === name && one.version !== dependency.version)
  if (isTwice || /[/\\]|^\.{0,2}$/.test(name) || !placeOf(repository)) return undefined
  const version = (await lockedVersion(chart, dependency, side.checkout)) ?? dependency.version
  const answer = await ask({ kind: 'chart', repository, chart: name, version })
  if (!answer || 'cause' in answer) return undefined
  const folder = path.join(chart.folder, 'charts', name)
  const files = new Map([...answer.files].map(([file, content]) => [path.join(folder, file), content] as const))
  return { files, entries: new Map<string, DeclarationSite>([[folder, at]]) }
}
