import path from 'node:path/posix'
import type { SideOfChange } from '../sides/side'

/** The values files of the charts in this repository, their own and those of their releases, by the folders of the charts. */
export function valuesFilesOfCharts({ discovery }: SideOfChange): ReadonlyMap<string, ReadonlySet<string>> {
  const files = new Map<string, Set<string>>()
  for (const source of discovery.sources) {
    if (source.kind !== 'helm' || source.fetched || source.chart === '' || source.chart.endsWith('.tgz')) continue
    const own = files.get(source.chart) ?? new Set([path.join(source.chart, 'values.yaml')])
    for (const one of source.values) if ('path' in one) own.add(one.path)
    files.set(source.chart, own)
  }
  return files
}

/** Whether a change touches a chart, or one of the values files that it is rendered with; any of them where all is judged. */
export function isChartTouched(
  folder: string,
  files: ReadonlySet<string>,
  changed: ReadonlySet<string> | undefined,
): boolean {
  return !changed || [...changed].some((file) => files.has(file) || file.startsWith(`${folder}/`))
}
