import { cp, mkdir, realpath, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Checkout } from '../../revision/checkout'
import { heldFolderOf } from '../../revision/held-files'
import {
  type Chart,
  chartWithLocals,
  type Dependency,
  localFolderOf,
  lockedVersion,
  vendored,
} from '../../sources/chart'
import type { ChartNetwork } from './chart-network'
import type { Failure } from './rendering'

/** The limit on a chart with all its dependencies: two charts that include each other double at every step. */
const maxBytes = 64 * 1024 * 1024
const maxFiles = 20_000

/**
 * The reason why the charts of this repository that a chart includes cannot be put into it.
 *
 * @param charts the chart and all that it includes, itself first
 */
export function dependencyFault(
  charts: readonly Chart[],
  checkout: Checkout,
  network: ChartNetwork,
): Failure | undefined {
  for (const chart of charts) {
    for (const dependency of chart.dependencies) {
      if (vendored(checkout, chart, dependency) || network.allows(dependency.repository)) continue
      const { name, version, repository, at: place } = dependency
      const invalid = (reason: string): Failure => ({ cause: 'dependency-invalid', about: name, reason, ...place })
      const local = localFolderOf(chart, dependency)
      if (local === undefined) {
        const from = repository ? ` of ${repository}` : ''
        const reason = `its dependency ${name} ${version}${from} is not in ${path.join(chart.folder, 'charts')}; ${adviceOn(chart, repository)}`
        return {
          cause: 'dependency-not-vendored',
          about: name,
          ...(repository ? { from: repository } : {}),
          reason,
          ...place,
        }
      }
      const other = charts.find(({ folder }) => folder === local)
      if (!other) return invalid(`its dependency ${name} names the folder ${local}, which holds no chart`)
      if (`${chart.folder}/`.startsWith(local === '' ? '' : `${local}/`))
        return invalid(`its dependency ${name} names ${local || 'the root'}, which contains the chart itself`)
      // The name becomes a folder's; another one would lead into other charts.
      if (/[/\\]|^\.{0,2}$/.test(other.name))
        return invalid(
          `its dependency ${name} has the name ${JSON.stringify(other.name)}, which is not a valid chart name`,
        )
    }
  }
  return undefined
}

/** The ways to have a dependency judged: a chart that was fetched cannot be edited here. */
function adviceOn({ folder }: Chart, repository: string): string {
  const allow = `allow it to be fetched with \`network: {charts: [${repository}]}\` in the config`
  if (heldFolderOf(folder) !== '') return allow
  const build = `run \`helm dependency build ${folder || '.'}\` and commit the result`
  return /^https:/.test(repository) ? `${build}, or ${allow}` : build
}

/** Whether everything that a chart includes is in its checkout. */
export async function isWholeChart(folder: string, checkout: Checkout): Promise<boolean> {
  const charts = await chartWithLocals(checkout, folder)
  return charts.every((chart) =>
    chart.dependencies.every((one) => vendored(checkout, chart, one) || localFolderOf(chart, one) !== undefined),
  )
}

/**
 * Puts the charts that may be fetched where helm looks for them, at the version that `Chart.lock` or the chart pins.
 *
 * @returns why that cannot be done
 */
export async function fetchDependencies(
  charts: readonly Chart[],
  checkout: Checkout,
  network: ChartNetwork,
): Promise<Failure | undefined> {
  for (const chart of charts) {
    for (const dependency of chart.dependencies) {
      const { name, repository, at } = dependency
      if (vendored(checkout, chart, dependency) || !network.allows(repository)) continue
      const version = await pinnedVersion(chart, dependency, checkout)
      if (!version) {
        const reason = `its dependency ${name} ${dependency.version} does not name one exact version; run \`helm dependency update ${chart.folder || '.'}\` and commit Chart.lock`
        return { cause: 'dependency-not-pinned', about: name, reason, ...at }
      }
      const file = `${name}-${version}.tgz`
      if (/[/\\]/.test(file)) {
        const reason = `its dependency ${name} is not a valid chart name`
        return { cause: 'dependency-invalid', about: name, reason, ...at }
      }
      const target = path.join(checkout.folder, chart.folder, 'charts', file)
      try {
        const archive = await network.fetch({ repository, chart: name, version })
        await mkdir(path.dirname(target), { recursive: true })
        await writeFile(target, archive)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        const reason = `its dependency ${name} cannot be fetched: ${why}`
        return { cause: 'dependency-not-fetched', about: name, reason, ...at }
      }
    }
  }
  return undefined
}

async function pinnedVersion(chart: Chart, dependency: Dependency, checkout: Checkout): Promise<string | undefined> {
  const { version } = dependency
  const locked = await lockedVersion(chart, dependency, checkout)
  return locked ?? (/^v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version) ? version : undefined)
}

/** By the place of each copy below `charts/`, as helm names it: its original folder in the repository. */
export function copiesOf(charts: readonly Chart[], checkout: Checkout): Map<string, string> {
  const copies = new Map<string, string>()
  for (const { dependency, chart, other } of pairsIn(charts, checkout))
    copies.set(path.join(chart.folder, 'charts', dependency.as), other.folder)
  return copies
}

/** A chart of this repository that another one includes. */
interface DependencyPair {
  readonly chart: Chart
  readonly dependency: Dependency
  readonly other: Chart
}

function pairsIn(charts: readonly Chart[], checkout: Checkout): DependencyPair[] {
  return charts.flatMap((chart) =>
    chart.dependencies.flatMap((dependency) => {
      const other = charts.find(({ folder }) => folder === localFolderOf(chart, dependency))
      return other && !vendored(checkout, chart, dependency) ? [{ chart, dependency, other }] : []
    }),
  )
}

/**
 * Copies the charts of this repository that a chart includes to the places where helm looks for them, as `helm
 * dependency build` does; each chart's once, as other sources may be reading it by then.
 *
 * @returns the reason why that is impossible
 */
export async function putDependencies(charts: readonly Chart[], checkout: Checkout): Promise<Failure | undefined> {
  const pairs = pairsIn(charts, checkout)
  const contents = await checkout.read(charts.flatMap(({ folder }) => checkout.below(folder)))
  const tooLarge = sizeFault(charts, pairs, (folder) =>
    checkout.below(folder).reduce((size, file) => {
      const content = contents.get(file)
      return size + 4096 + (content && !('missing' in content) ? content.length : 0)
    }, 0),
  )
  if (tooLarge) return tooLarge
  const put = async (chart: Chart): Promise<Failure | undefined> => {
    if (checkout.complete.has(chart.folder)) return undefined
    checkout.complete.add(chart.folder)
    for (const { dependency, other } of pairs.filter((pair) => pair.chart === chart)) {
      const failure = (await put(other)) ?? (await copy(chart, dependency, other, checkout))
      if (!failure) continue
      checkout.complete.delete(chart.folder)
      return failure
    }
    return undefined
  }
  const [main] = charts
  return main && put(main)
}

/** The reason why a chart with its dependencies is too large, checked before anything is copied. */
function sizeFault(charts: readonly Chart[], pairs: readonly DependencyPair[], own: (folder: string) => number) {
  const sizes = new Map<Chart, number>()
  const visit = (chart: Chart): Failure | undefined => {
    if (sizes.has(chart)) return undefined
    sizes.set(chart, own(chart.folder))
    for (const { dependency, other } of pairs.filter((pair) => pair.chart === chart)) {
      const failure = visit(other)
      if (failure) return failure
      const size = (sizes.get(chart) ?? 0) + (sizes.get(other) ?? 0)
      const reason = `with its dependency ${dependency.name} it is larger than ${maxBytes / 1024 / 1024} MiB`
      if (size > maxBytes) return { cause: 'dependency-too-large', about: dependency.name, reason, ...dependency.at }
      sizes.set(chart, size)
    }
    return undefined
  }
  const [main] = charts
  return main && visit(main)
}

async function copy(
  chart: Chart,
  dependency: Dependency,
  other: Chart,
  checkout: Checkout,
): Promise<Failure | undefined> {
  const from = path.join(checkout.folder, other.folder)
  const target = path.join(checkout.folder, chart.folder, 'charts', other.name)
  // A link to the chart, which helm follows.
  if ((await placeOf(target)) === (await placeOf(from))) return undefined
  const { name: about, at } = dependency
  let left = maxFiles
  // Link targets are copied, as helm packages them; links may form a cycle.
  const options = { recursive: true, dereference: true, filter: () => --left > 0 }
  try {
    await mkdir(path.dirname(target), { recursive: true })
    await cp(from, target, options)
    if (left > 0) return undefined
    const reason = `its dependency ${about} has more than ${maxFiles} files`
    return { cause: 'dependency-too-large', about, reason, ...at }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = `its dependency ${about} cannot be written to its charts/ folder (${code})`
    return { cause: 'dependency-not-copied', about, reason, ...at }
  }
}

/** The path of a file or a folder without links; undefined where there is none. */
async function placeOf(file: string): Promise<string | undefined> {
  return realpath(file).catch(() => undefined)
}
