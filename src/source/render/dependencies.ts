import { cp, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type Chart, localFolderOf, vendored } from '../chart'
import type { Checkout } from '../checkout'
import type { Failure } from './rendering'

/** What a chart may come to with all it takes in: charts that take in each other twice double at every step. */
const mostBytes = 256 * 1024 * 1024
const mostFiles = 20_000

/**
 * Why the charts of this repository that a chart takes in cannot be put into it.
 *
 * @param charts the chart and all that it takes in, itself first
 */
export function dependencyFault(charts: readonly Chart[], checkout: Checkout): Failure | undefined {
  for (const chart of charts) {
    for (const dependency of chart.dependencies) {
      if (vendored(checkout, chart, dependency)) continue
      const { name, version, repository, at: place } = dependency
      const at = (reason: string): Failure => ({ reason, ...place })
      const local = localFolderOf(chart, dependency)
      if (local === undefined) {
        const from = repository ? ` of ${repository}` : ''
        return at(
          `its dependency ${name} ${version}${from} is not in ${path.join(chart.folder, 'charts')}; run \`helm dependency build ${chart.folder || '.'}\` and commit what it brings`,
        )
      }
      const other = charts.find(({ folder }) => folder === local)
      if (!other) return at(`its dependency ${name} is to be in ${local}, where no chart is`)
      if (`${chart.folder}/`.startsWith(local === '' ? '' : `${local}/`))
        return at(`its dependency ${name} is in ${local || 'the root'}, which it is itself a part of`)
      // The name becomes a folder's; another one would lead into other charts.
      if (/[/\\]|^\.{0,2}$/.test(other.name))
        return at(`its dependency ${name} calls itself ${JSON.stringify(other.name)}, which is no name of a chart`)
    }
  }
  return undefined
}

/** By the place of each copy below `charts/`, as helm names it: the folder of the repository that it is a copy of. */
export function copiesOf(charts: readonly Chart[], checkout: Checkout): Map<string, string> {
  const copies = new Map<string, string>()
  for (const { dependency, chart, other } of pairsIn(charts, checkout))
    copies.set(path.join(chart.folder, 'charts', dependency.as), other.folder)
  return copies
}

function pairsIn(charts: readonly Chart[], checkout: Checkout) {
  return charts.flatMap((chart) =>
    chart.dependencies.flatMap((dependency) => {
      const other = charts.find(({ folder }) => folder === localFolderOf(chart, dependency))
      return other && !vendored(checkout, chart, dependency) ? [{ chart, dependency, other }] : []
    }),
  )
}

/**
 * Puts the charts of this repository that a chart takes in where helm looks for them, as `helm dependency build` does; each
 * chart's once, as other sources may be reading it by then.
 *
 * @returns why that cannot be done
 */
export async function putDependencies(charts: readonly Chart[], checkout: Checkout): Promise<Failure | undefined> {
  const pairs = pairsIn(charts, checkout)
  const own = await checkout.read(charts.flatMap(({ folder }) => checkout.below(folder)))
  const put = async (chart: Chart): Promise<Failure | undefined> => {
    const failure = await putInto(chart)
    if (failure) checkout.sizes.delete(chart.folder)
    return failure
  }
  const putInto = async (chart: Chart): Promise<Failure | undefined> => {
    if (checkout.sizes.has(chart.folder)) return undefined
    let size = 0
    for (const file of checkout.below(chart.folder)) {
      const content = own.get(file)
      size += 4096 + (content && !('missing' in content) ? content.length : 0)
    }
    checkout.sizes.set(chart.folder, size)
    for (const { dependency, other } of pairs.filter((pair) => pair.chart === chart)) {
      const failure = await put(other)
      if (failure) return failure
      size += checkout.sizes.get(other.folder) ?? 0
      if (size > mostBytes) {
        const most = mostBytes / 1024 / 1024
        return { reason: `with its dependency ${dependency.name} it comes to more than ${most} MiB`, ...dependency.at }
      }
      checkout.sizes.set(chart.folder, size)
      const target = path.join(checkout.folder, chart.folder, 'charts', other.name)
      await mkdir(path.dirname(target), { recursive: true })
      let left = mostFiles
      // What links lead to is copied, as helm packs it; they may lead round in circles.
      const options = { recursive: true, dereference: true, filter: () => --left > 0 }
      const fault = await cp(path.join(checkout.folder, other.folder), target, options).then(
        () => (left > 0 ? undefined : `of more than ${mostFiles} files`),
        (cause) => (cause as NodeJS.ErrnoException).code,
      )
      if (fault) return { reason: `its dependency ${dependency.name} cannot be copied (${fault})`, ...dependency.at }
    }
    return undefined
  }
  const [main] = charts
  return main && put(main)
}
