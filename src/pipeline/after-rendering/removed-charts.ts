import path from 'node:path/posix'
import { nameOfWanted } from '../../deployers/common/chart-elsewhere'
import type { SideOfChange } from '../../sides/side'

/** The charts that nothing known installs and whose folders this change removes, by the ids of their releases. */
export interface RemovedCharts {
  /** The folders of those that only an assumed release installed. */
  readonly assumed: ReadonlyMap<string, string>
  /** Those that known releases install from elsewhere, on both sides: their objects are unknown. */
  readonly elsewhere: ReadonlySet<string>
}

export function removedCharts(base: SideOfChange, head: SideOfChange): RemovedCharts {
  const removed = base.discovery.sources.flatMap((one) =>
    one.kind === 'helm' && one.origin === 'discovered' && !head.checkout.has(path.join(one.chart, 'Chart.yaml'))
      ? [{ id: one.id, name: one.release, folder: one.chart || '.' }]
      : [],
  )
  if (removed.length === 0) return { assumed: new Map(), elsewhere: new Set() }
  const [before, after] = [chartsElsewhere(base), chartsElsewhere(head)]
  const isElsewhere = ({ name }: { name: string }) => before.has(name) && after.has(name)
  return {
    assumed: new Map(removed.map(({ id, folder }) => [id, folder])),
    elsewhere: new Set(removed.filter(isElsewhere).map(({ id }) => id)),
  }
}

/** The names of the charts that known releases install from elsewhere. */
function chartsElsewhere({ discovery: { elsewhere, fileDeployments } }: SideOfChange): Set<string> {
  const asked = [...elsewhere.values()].flatMap((release) => release().wanted() ?? [])
  const names = [...fileDeployments.releases.map(({ chart }) => chart), ...asked.map(nameOfWanted)]
  return new Set(names.map((name) => path.basename(name)))
}
