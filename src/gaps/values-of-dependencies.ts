import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { type IgnoredValue, ignoredIn, remedyFor } from '../kubernetes/charts/ignored-values'
import type { ReadBlocks, ValuesFile } from '../manifest/load'
import { findPair, pairsOf } from '../manifest/map-pairs'
import { isAlias, isList, isMap, isScalar, type Node } from '../manifest/nodes'
import { filesInChart } from '../render/answers/packed-chart'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { type Dependency, localFolderOf, readChart, vendored } from '../sources/chart'
import { blocksReadBy } from '../sources/read-blocks'
import { readValues } from '../values/values-file'
import { isChartTouched, valuesFilesOfCharts } from './values-files-of-charts'

type Values = Omit<ValuesFile, 'path' | 'touched'>

/** A value that a chart gives to a dependency. */
interface Ignored extends IgnoredValue<Node> {
  readonly dependency: Dependency
  readonly file: string
  readonly values: Values
}

/**
 * Values of Ingresses, certificates and routes that charts of this repository give to dependencies in their `charts/`, and
 * that no template of these reads: helm ignores them.
 */
export async function valuesOfDependencies(
  base: SideOfChange | undefined,
  head: SideOfChange,
  changed: ReadonlySet<string> | undefined,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [folder, files] of valuesFilesOfCharts(head)) {
    if (!isChartTouched(folder, files, changed)) continue
    const read = await readBlocks(folder, head)
    // What a chart reads that the base does not have is taken to be what it reads at the head: the value is no news then.
    const readBefore = base && new Map([...read, ...(await readBlocks(folder, base))])
    const before = base && readBefore ? await ignoredBy(readBefore, files, base) : undefined
    const known = before && new Set(before.map(keyOf))
    for (const one of await ignoredBy(read, files, head))
      found.push(findingOf(one, folder, !known || known.has(keyOf(one)) ? 'existing' : 'introduced'))
  }
  return found
}

/** The blocks that the dependencies of a chart read, by their names in it; without those that may read any value. */
type BlocksByName = ReadonlyMap<string, { readonly dependency: Dependency; readonly blocks: ReadBlocks }>

async function readBlocks(folder: string, { checkout }: SideOfChange): Promise<BlocksByName> {
  const chart = await readChart(checkout, folder)
  const found = chart.dependencies.map(async (dependency) => {
    const place = localFolderOf(chart, dependency) ?? vendored(checkout, chart, dependency)
    const blocks = place === undefined ? undefined : await blocksOf(place, checkout)
    return blocks ? [[dependency.as, { dependency, blocks }] as const] : []
  })
  return new Map((await Promise.all(found)).flat())
}

async function ignoredBy(
  read: BlocksByName,
  files: ReadonlySet<string>,
  { checkout }: SideOfChange,
): Promise<Ignored[]> {
  const contents = await checkout.read([...files].filter((file) => checkout.has(file)))
  const given = [...contents].flatMap(([file, content]) => {
    const values = readValues(content)
    // A file that cannot be read is reported by its release. A value may be a template that reads others.
    return 'reason' in values || values.fileText.includes('.Values') ? [] : [{ file, values }]
  })
  return given.flatMap(({ file, values }) =>
    [...read].flatMap(([name, { dependency, blocks }]) =>
      ignoredIn(blocks, (keys) => entriesAt(values, [name, ...keys])).map((one) => ({
        ...one,
        dependency,
        file,
        values,
      })),
    ),
  )
}

async function blocksOf(place: string, checkout: Checkout): Promise<ReadBlocks | undefined> {
  if (!place.endsWith('.tgz')) return blocksReadBy(place, bytesIn(await checkout.read(checkout.below(place))))()
  const archive = bytesIn(await checkout.read([place])).get(place)
  const files = archive ? filesInChart(archive) : []
  return blocksReadBy('', new Map(files.map(({ path: file, content }) => [file, content])))()
}

function bytesIn(contents: Awaited<ReturnType<Checkout['read']>>): Map<string, Uint8Array> {
  return new Map([...contents].flatMap(([file, content]) => ('missing' in content ? [] : [[file, content]])))
}

/** The pairs of a block of values, each at its key. */
function entriesAt({ node, resolve }: Values, keys: readonly string[]): [string, Node, unknown][] {
  const follow = (one: Node | undefined) => (isAlias(one) ? resolve(one) : one)
  const block = keys.reduce((at: Node | undefined, key) => {
    const map = follow(at)
    return isMap(map) ? findPair(map, key, resolve)?.value : undefined
  }, node)
  const map = follow(block)
  if (!isMap(map)) return []
  return [...pairsOf(map, resolve)].map(([key, pair]) => [key, pair.key, dataOf(pair.value, resolve)])
}

/** A value as data; blocks further below do not matter. */
function dataOf(written: Node, resolve: Values['resolve'], depth = 3): unknown {
  const node = isAlias(written) ? resolve(written) : written
  if (isScalar(node)) return node.value
  if (isList(node)) return node.items
  if (!isMap(node) || depth === 0) return undefined
  return Object.fromEntries(
    [...pairsOf(node, resolve)].map(([key, pair]) => [key, dataOf(pair.value, resolve, depth - 1)]),
  )
}

function keyOf({ file, dependency, path: value }: Ignored): string {
  return JSON.stringify([file, dependency.as, value])
}

function findingOf(one: Ignored, folder: string, status: 'existing' | 'introduced'): Finding {
  const { dependency, file, values, at, path: value, meant, beside } = one
  const { as, name, version } = dependency
  const whole = (its: string) => `${as}.${its}`
  const remedy = remedyFor({ meant: meant.map(whole), beside })
  return gateFinding('source/value-unread', 'unread', 'warning', {
    side: 'head',
    path: file,
    region: values.regionOf(at),
    fileText: values.lines,
    keys: [folder, whole(value)],
    status,
    text: `No template of the chart ${name} ${version}, a dependency of ${folder}, reads the value ${whole(value)}, so helm ignores it. ${remedy}`,
  })
}
