import * as Type from 'typebox'
import rows from '../../../facts/chart-values.yaml'
import { oneEditFrom } from '../../closest'
import type { Cursor } from '../../manifest/cursor'
import { Mapping } from '../../mapping'
import { factsFile, factsIn, proof, strict, text } from '../facts-format/facts-file'
import { isPlaceholder } from '../ingress/ingress'
import { chartName, chartNamed } from './chart-named'
import { LayeredValue } from './layered-value'
import type { RemoteRelease } from './remote-release'

/** `facts/chart-values.yaml` */
export const ChartValuesFile = factsFile({
  charts: Type.Array(
    Type.Object(
      {
        ...chartName,
        /** The keys that any release of the chart reads, by the path of their block; the top has the path ``. */
        keys: Mapping(text),
        ...proof,
      },
      strict,
    ),
  ),
})

const charts = factsIn(ChartValuesFile, rows).charts.map(({ keys, ...chart }) => ({
  ...chart,
  blocks: new Map(Object.entries(keys).map(([path, names]) => [path, names.split(' ')])),
}))

/** A value that no release of its chart reads where it is written, and where the chart reads it. */
export interface UnreadValue {
  readonly at: Cursor
  /** `controller.extraArgs` */
  readonly path: string
  readonly instead: string
  /** A key in a wrong block, one with a typing error, or the name that it has in other charts or with other capital letters. */
  readonly kind: 'misplaced' | 'misspelled' | 'renamed'
}

/** Whether the keys of a chart's values are known, by how objects name it and where from. */
export function areValuesKnown(chart: string, repository: string): boolean {
  return chartNamed(charts, chart, repository) !== undefined
}

/** The values of a release that its chart does not read, where the chart reads another key or place that is meant. */
export function unreadValues(release: RemoteRelease): UnreadValue[] {
  const chart = chartNamed(charts, release.chart, release.repository)
  if (!chart) return []
  const roots = release.layers.flatMap((layer) => ('hidden' in layer || layer.parameters ? [] : [layer.root]))
  const values = LayeredValue.of(roots)
  return roots.flatMap((root) => [...chart.blocks.keys()].flatMap((path) => unreadIn(root, path, chart.blocks, values)))
}

/** What any chart reads at the top for itself: below the name of a component it is meant for that one. */
const ofCharts: ReadonlySet<string> = new Set(['fullnameOverride', 'nameOverride', 'namespaceOverride'])

function unreadIn(
  root: Cursor,
  path: string,
  blocks: ReadonlyMap<string, readonly string[]>,
  values: LayeredValue,
): UnreadValue[] {
  const known = blocks.get(path) ?? []
  const unknown = [...root.at(...keysOf(path)).entries()].filter(([key, at]) => !known.includes(key) && isGiven(at))
  return unknown.flatMap(([key, at]) => {
    if (isPlaceholder(key) || ofCharts.has(key)) return []
    const near = oneEditFrom(key, known)
    const renamed = known.find((one) => one.toLowerCase() === key.toLowerCase()) ?? classIn(path, key, known)
    const block = nearest(
      path,
      [...blocks].filter(([, keys]) => keys.includes(key)).map(([one]) => one),
    )
    const other = near ?? renamed
    const instead = block === undefined ? other && join(path, other) : join(block, key)
    // A value that is at its place, too, is only left over.
    if (instead === undefined || keysOf(instead).reduce((outer, one) => outer.get(one), values).isSet) return []
    return [
      { at, path: join(path, key), instead, kind: block !== undefined ? 'misplaced' : near ? 'misspelled' : 'renamed' },
    ]
  })
}

/** The keys by which charts read the class of an Ingress. */
const classKeys: readonly string[] = ['className', 'ingressClass', 'ingressClassName']

/** The key of the class that the chart reads, where one of another chart is written. */
function classIn(path: string, key: string, known: readonly string[]): string | undefined {
  const [own, ...more] = classKeys.filter((one) => known.includes(one))
  const isOfIngress = path.split('.').at(-1) === 'ingress'
  return isOfIngress && classKeys.includes(key) && more.length === 0 ? own : undefined
}

/** The block directly below or above another one, if it is the only one. */
function nearest(path: string, blocks: readonly string[]): string | undefined {
  const depth = keysOf(path).length
  const found = blocks.filter(
    (one) => Math.abs(keysOf(one).length - depth) === 1 && (path === '' || one === '' || one.startsWith(`${path}.`)),
  )
  return found.length === 1 ? found[0] : undefined
}

/** The path `/` is what charts have without one. */
function isGiven({ value }: Cursor): boolean {
  if (value === undefined || value === null || value === '' || value === '/') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function keysOf(path: string): string[] {
  return path === '' ? [] : path.split('.')
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
