import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { type IgnoredValue, ignoredIn } from '../kubernetes/charts/ignored-values'
import { alternatives, enumerated } from '../listing'
import type { ReadBlocks, ValuesFile } from '../manifest/load'
import { findPair, pairsOf } from '../manifest/map-pairs'
import { isAlias, isList, isMap, isScalar, type Node } from '../manifest/nodes'
import { filesInChart } from '../render/answers/packed-chart'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { type Dependency, localFolderOf, readChart, vendored } from '../sources/chart'
import { blocksReadBy } from '../sources/read-blocks'
import type { HelmSource } from '../sources/source'
import { readValues } from '../values/values-file'

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
  for (const [folder, files] of filesByChart(head)) {
    const isTouched = !changed || [...changed].some((file) => files.has(file) || file.startsWith(`${folder}/`))
    if (!isTouched) continue
    const before = base ? await ignoredBy(folder, files, base) : []
    const known = new Set(before.map(keyOf))
    for (const one of await ignoredBy(folder, files, head))
      found.push(findingOf(one, folder, !base || known.has(keyOf(one)) ? 'existing' : 'introduced'))
  }
  return found
}

/** The values files of the charts in this repository, by the folders of the charts. */
function filesByChart({ discovery }: SideOfChange): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>()
  const charts = discovery.sources.filter((one): one is HelmSource => one.kind === 'helm' && !one.fetched)
  for (const { chart, values } of charts.filter((one) => one.chart !== '' && !one.chart.endsWith('.tgz'))) {
    const own = files.get(chart) ?? new Set([path.join(chart, 'values.yaml')])
    for (const one of values) if ('path' in one) own.add(one.path)
    files.set(chart, own)
  }
  return files
}

async function ignoredBy(folder: string, files: ReadonlySet<string>, { checkout }: SideOfChange): Promise<Ignored[]> {
  if (!checkout.has(path.join(folder, 'Chart.yaml'))) return []
  const chart = await readChart(checkout, folder)
  const contents = await checkout.read([...files].filter((file) => checkout.has(file)))
  const given = [...contents].flatMap(([file, content]) => {
    const values = readValues(content)
    // A value may be a template that reads others.
    return 'reason' in values || values.fileText.includes('.Values') ? [] : [{ file, values }]
  })
  const ignored: Ignored[] = []
  for (const dependency of chart.dependencies) {
    const place = localFolderOf(chart, dependency) ?? vendored(checkout, chart, dependency)
    const blocks = place === undefined ? undefined : await blocksOf(place, checkout)
    if (!blocks) continue
    for (const { file, values } of given) {
      const found = ignoredIn(blocks, (keys) => entriesAt(values, [dependency.as, ...keys]))
      ignored.push(...found.map((one) => ({ ...one, dependency, file, values })))
    }
  }
  return ignored
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
  const remedy =
    meant.length > 0
      ? `The chart reads ${alternatives(meant.slice(0, 3).map(whole))}; write it there.`
      : beside.length > 0
        ? `In the same block the chart reads ${enumerated(beside, 8)}; write one of these, or remove the value.`
        : 'Remove it, or write it where the chart has it in its values.yaml.'
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
