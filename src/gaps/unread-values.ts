import path from 'node:path/posix'
import { oneEditFrom, wordsOf } from '../closest'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { isOfIngress } from '../kubernetes/charts/ingress-keys'
import { pairsOf } from '../manifest/map-pairs'
import { isAlias, isList, isMap, isScalar, type Node } from '../manifest/nodes'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { type Chart, chartWithLocals, readChart } from '../sources/chart'
import { isRead, readsIn, type TemplateReads } from '../sources/template-reads'
import { type ValuesContent, valuesAt } from '../values/values-file'
import { makesRoute } from './route-templates'
import { isChartTouched, valuesFilesOfCharts } from './values-files-of-charts'

/** A value in a file, by the keys that lead to it. */
interface Written {
  readonly keys: readonly string[]
  /** The last key. */
  readonly node: Node
}

/**
 * Values of Ingresses, certificates and routes that no template of their chart reads, where the templates read another path
 * that is probably meant: helm ignores them.
 */
export async function unreadValues(
  base: SideOfChange | undefined,
  head: SideOfChange,
  changed: ReadonlySet<string> | undefined,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [chart, files] of valuesFilesOfCharts(head))
    if (isChartTouched(chart, files, changed)) found.push(...(await unreadOf(chart, [...files], base, head)))
  return found
}

async function unreadOf(
  folder: string,
  files: readonly string[],
  base: SideOfChange | undefined,
  head: SideOfChange,
): Promise<Finding[]> {
  const reads = await readsOf(folder, head.checkout)
  const before = base && (await readsOf(folder, base.checkout))
  // What the templates of the base read is unknown, so what is new is, too.
  if (!reads || (base?.checkout.has(path.join(folder, 'Chart.yaml')) && !before)) return []
  const chart = await readChart(head.checkout, folder)
  const contents = new Map<string, ValuesContent>()
  for (const file of files) {
    const values = await valuesAt(file, head.checkout)
    if (values) contents.set(file, values)
  }
  const given = [...contents.values()].flatMap((values) => [...leavesOf(values)]).map(({ keys }) => keys)
  const likenesses = likenessesIn(reads, given)
  const findings: Finding[] = []
  for (const [file, values] of contents) {
    const was = base && (await valuesAt(file, base.checkout))
    const known = new Set(was ? [...leavesOf(was)].map(({ keys }) => keys.join('.')) : [])
    for (const { keys, node } of leavesOf(values)) {
      if (isForDependency(keys, chart) || isRead(keys, reads)) continue
      const meant = likenesses.meantBy(keys)
      if (!isOfIngress(keys) && !(meant && reads.ofRoutes.has(meant.join('.')))) continue
      const region = values.regionOf(node)
      const line = values.fileText.split('\n')[region.startLine - 1] ?? ''
      // Its anchor may be used elsewhere.
      if (!meant || line.includes('&')) continue
      const isOld = !base || (known.has(keys.join('.')) && before && !isRead(keys, before))
      findings.push(
        gateFinding('source/value-unread', 'unread', 'warning', {
          side: 'head',
          path: file,
          region,
          fileText: values.lines,
          keys: [folder, keys.join('.')],
          status: isOld ? 'existing' : 'introduced',
          text: `No template of the chart ${folder} reads the value ${keys.join('.')}, so helm ignores it. The templates read ${meant.join('.')}, which nothing sets; write the value there, or have the templates read this one.`,
        }),
      )
    }
  }
  return findings
}

/** What the templates of a chart read, and those of its routes and certificates. */
interface ChartReads extends TemplateReads {
  /** `global.domain` */
  readonly ofRoutes: ReadonlySet<string>
}

async function readsOf(folder: string, checkout: Checkout): Promise<ChartReads | undefined> {
  if (!checkout.has(path.join(folder, 'Chart.yaml'))) return undefined
  const charts = await chartWithLocals(checkout, folder)
  const files = charts.flatMap((chart) => checkout.below(chart.folder))
  const isText = (file: string) => !/\.(?:tgz|png|svg|md|gotmpl|lock)$/.test(file)
  const texts = await checkout.texts([...new Set(files)].filter(isText))
  const own = texts.get(path.join(folder, 'Chart.yaml')) ?? ''
  const reads = own.includes('import-values') ? undefined : readsIn(texts.values())
  const read = [...texts.values()]
    .filter((text) => makesRoute(text))
    .flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)])
  return reads && { ...reads, ofRoutes: new Set(read.map(([, keys = '']) => keys)) }
}

/** The values that are no maps, and are not empty. */
function* leavesOf(
  { node, resolve }: Pick<ValuesContent, 'node' | 'resolve'>,
  above: readonly string[] = [],
): Iterable<Written> {
  const map = isAlias(node) ? resolve(node) : node
  if (!isMap(map)) return
  for (const [name, pair] of pairsOf(map, resolve)) {
    const keys = [...above, name]
    const value = isAlias(pair.value) ? resolve(pair.value) : pair.value
    if (isMap(value)) yield* leavesOf({ node: value, resolve }, keys)
    else if (isGiven(value)) yield { keys, node: pair.key }
  }
}

function isGiven(node: Node | undefined): boolean {
  if (isList(node)) return node.items.length > 0
  return isScalar(node) && node.value !== null && node.value !== ''
}

function isForDependency([first = '']: readonly string[], { dependencies }: Chart): boolean {
  const isShared = first === 'global' && dependencies.length > 0
  return isShared || dependencies.some(({ name, as }) => first === name || first === as)
}

/**
 * Finds the path that the templates read and nothing sets, and that has the same words as another one, one block more or less,
 * or another letter.
 */
function likenessesIn({ whole, tested }: TemplateReads, given: readonly (readonly string[])[]) {
  const set = new Set(given.flatMap((path) => path.map((_, index) => JSON.stringify(path.slice(0, index + 1)))))
  const open = [...whole, ...tested].filter((path) => !set.has(JSON.stringify(path)))
  const byWords = new Map(open.map((path) => [allWordsOf(path), path]))
  return {
    meantBy: (keys: readonly string[]) => byWords.get(allWordsOf(keys)) ?? open.find((path) => isLike(keys, path)),
  }
}

function isLike(written: readonly string[], read: readonly string[]): boolean {
  const [short, long] = written.length < read.length ? [written, read] : [read, written]
  if (short.length === long.length) return differsByOneLetter(written, read)
  return long.length === short.length + 1 && short.every((key, index) => long[index + 1] === key)
}

function differsByOneLetter(written: readonly string[], read: readonly string[]): boolean {
  const other = written.flatMap((key, index) => (key === read[index] ? [] : [[key, read[index] ?? ''] as const]))
  const [only] = other
  return other.length === 1 && only !== undefined && oneEditFrom(only[0], [only[1]]) !== undefined
}

/** `tls.createIssuer` has the words of `tls.issuer.create`. */
function allWordsOf(keys: readonly string[]): string {
  return [...new Set(keys.flatMap(wordsOf))].sort().join(' ')
}
