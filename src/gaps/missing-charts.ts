import type { Skipped } from '../finding/report'
import { notVendored } from '../render/tools/kustomize'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { absentCharts } from '../sources/kustomization'
import { isMoved } from './moved'

/** The charts that Kustomizations inflate and that are not in this repository. */
export function missingCharts(side: SideOfChange, rendered: readonly RenderedSide[]): Skipped[] {
  const { discovery, checkout } = side
  const asked = [
    ...[...discovery.kustomizations.values()].flatMap((one) =>
      absentCharts(one, checkout).flatMap((chart) =>
        side.fetched.includes(chart.folder) ? [] : [{ ...chart, path: one.file }],
      ),
    ),
    ...rendered.flatMap(({ charts }) => charts.filter(({ vendored }) => !vendored)),
  ]
  return asked.flatMap(({ name, repo, path }) =>
    repo === ''
      ? []
      : [{ path, reason: `the chart ${name} of ${repo} is not in this repository`, cause: 'chart-elsewhere' }],
  )
}

/** Fails head renderings that lost a chart the base still vendored. */
export function failLostCharts(before: readonly RenderedSide[], after: readonly RenderedSide[]): RenderedSide[] {
  const seen = before.filter(({ failure }) => !failure)
  return after.map((side) => {
    const vendoredBefore = seen.flatMap(({ source, charts }) => {
      const same = source.id === (side.source.baseSourceId ?? side.source.id) || isMoved(source, side.source)
      return charts.filter(({ vendored }) => vendored).map(({ name, path }) => ({ name, path, same }))
    })
    const lost = side.charts.find(
      ({ name, path, vendored }) =>
        !vendored && vendoredBefore.some((one) => one.name === name && (one.same || one.path === path)),
    )
    return lost ? { ...side, objects: [], charts: [], failure: notVendored(lost) } : side
  })
}
