import path from 'node:path/posix'
import semver from 'semver'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { type Chart, type Dependency, readChart } from '../sources/chart'
import { dataIn, fieldsOf, textOf } from '../sources/untyped'

/**
 * Dependencies that a change writes into a chart and that `helm dependency build` cannot fetch, so the chart can be
 * neither packaged nor deployed. Source: helm v4.1.4, pkg/downloader/manager.go and internal/resolver/resolver.go
 */
export async function unfetchableDependencies(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Finding[]> {
  const files = [...changed].filter((file) => /(?:^|\/)(?:Chart|requirements)\.yaml$/.test(file))
  const folders = new Set(files.map((file) => file.slice(0, Math.max(0, file.lastIndexOf('/')))))
  const found: Finding[] = []
  for (const folder of folders) {
    const [before, after] = await Promise.all([base, head].map(({ checkout }) => faultsIn(folder, checkout)))
    const known = new Set(before?.map(({ text }) => text))
    for (const { dependency, text } of after ?? []) {
      if (known.has(text)) continue
      const { path: file, region } = dependency.at
      const fileText = await head.checkout.text(file)
      found.push(
        gateFinding('source/unrendered', 'unfetchable', 'error', {
          side: 'head',
          path: file,
          region,
          status: 'introduced',
          keys: [folder, dependency.name],
          text,
          ...(fileText === undefined ? {} : { fileText }),
        }),
      )
    }
  }
  return found
}

interface Fault {
  readonly dependency: Dependency
  readonly text: string
}

async function faultsIn(folder: string, checkout: Checkout): Promise<Fault[]> {
  if (!checkout.has(path.join(folder, 'Chart.yaml'))) return []
  const chart = await readChart(checkout, folder)
  const faults: Fault[] = []
  for (const dependency of chart.dependencies) {
    if (isVendored(chart, dependency, checkout)) continue
    const why = await faultOf(chart, dependency, checkout)
    const text = `The chart ${folder || '.'} has the dependency ${dependency.name}, which \`helm dependency build\` cannot fetch: ${why}`
    if (why !== undefined) faults.push({ dependency, text })
  }
  return faults
}

async function faultOf(
  { folder }: Chart,
  { name, repository, version }: Dependency,
  checkout: Checkout,
): Promise<string | undefined> {
  // Variables are filled in by other tools.
  if (repository === '' || /[{}$<>]/.test(repository + version)) return undefined
  if (repository.startsWith('file://')) {
    const place = path.join(folder, repository.slice('file://'.length))
    const text = await checkout.text(path.join(place, 'Chart.yaml'))
    const here = text === undefined ? '' : textOf(fieldsOf(dataIn(text)).version)
    if (here === '' || semver.valid(here) === null || semver.validRange(version) === null) return undefined
    if (semver.satisfies(here, version, { includePrerelease: true })) return undefined
    return `the chart in ${place} has the version ${here}, and ${version} is asked for. Write ${here}.`
  }
  if (/^https:\/\/github\.com\/[^/]+\/[^/]+\/?$/.test(repository))
    return `${repository} is the page of a project on GitHub, where there is no index of charts. Name the repository of its charts, such as https://OWNER.github.io/${name}.`
  if (/^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[:/]\S*)?$/i.test(repository))
    return `the repository ${repository} has no scheme. Write https://${repository}, or oci:// for a registry.`
  return undefined
}

/** Whether a chart has a dependency in its `charts/` folder already. */
function isVendored({ folder }: Chart, { name }: Dependency, checkout: Checkout): boolean {
  const charts = path.join(folder, 'charts')
  return checkout.below(charts).some((file) => {
    const inCharts = file.slice(charts.length + 1)
    return inCharts.startsWith(`${name}/`) || (inCharts.startsWith(`${name}-`) && inCharts.endsWith('.tgz'))
  })
}
