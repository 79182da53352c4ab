import { isReordered } from '../closest'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { regionAt } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { readChart } from '../sources/chart'
import { isRead, readsIn, type TemplateReads } from '../sources/template-reads'
import { dataIn, type Fields, fieldsOf } from '../sources/untyped'
import { actionsOf } from '../template/template-actions'
import { writtenValuesIn } from '../template/written-values'
import { valuesFilesOfCharts } from './values-files-of-charts'

/**
 * Values that a changed template reads by a name that differs from that in the values files in its capital letters, dashes and
 * underscores alone: `.Values.certmanager.names` where they have `certManager`. And those that it writes where the values
 * files have the key deeper in the block, or with its words in another order, and no template reads that one.
 */
export async function misreadValues(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [chart, files] of valuesFilesOfCharts(head)) {
    const templates = [...changed].filter((file) => isOf(chart, file) && head.checkout.has(file))
    if (templates.length === 0) continue
    const values = await Promise.all([...files].map((file) => fieldsIn(file, head.checkout)))
    const texts = await head.checkout.texts(templates)
    // A name that was read before may be an old one that is taken in place of the new one.
    let old: ReadonlySet<string> | undefined
    const reads = await readsOfChart(chart, head.checkout)
    for (const [file, text] of texts) {
      const strays = reads && straysIn(text, values, reads)
      for (const { keys, from, beside } of readingsIn(text)) {
        const likeness = likenessIn(values, keys) ?? strays?.likenessOf(keys, from)
        if (!likeness) continue
        const [wrong, right] = likeness
        if (beside.some((one) => `${one}.`.startsWith(`${right}.`))) continue
        old ??= await partsReadIn(chart, base.checkout)
        if (old.has(wrong)) continue
        found.push(
          gateFinding('source/value-unread', 'misread', 'warning', {
            side: 'head',
            path: file,
            region: regionAt(text, from),
            fileText: text,
            keys: [chart, wrong],
            status: 'introduced',
            text: `This template reads .Values.${keys.join('.')}, but no values file of the chart ${chart || '.'} has ${wrong}: they have ${right}. So the value is empty, or helm fails. Write .Values.${[right, ...keys.slice(right.split('.').length)].join('.')}.`,
          }),
        )
      }
    }
  }
  return found
}

/** The paths of values that the templates of a chart read, and all paths above them. */
async function partsReadIn(chart: string, checkout: Checkout): Promise<ReadonlySet<string>> {
  const texts = await checkout.texts(checkout.below(chart).filter((file) => isOf(chart, file)))
  const reads = [...texts.values()].flatMap((text) => readingsIn(text).map(({ keys }) => keys))
  return new Set(reads.flatMap((keys) => keys.map((_, at) => keys.slice(0, at + 1).join('.'))))
}

function isOf(chart: string, file: string): boolean {
  const below = chart === '' ? file : file.startsWith(`${chart}/`) ? file.slice(chart.length + 1) : ''
  return below.startsWith('templates/') && /\.(?:tpl|ya?ml)$/.test(file)
}

async function fieldsIn(file: string, checkout: Checkout): Promise<Fields> {
  return fieldsOf(dataIn((await checkout.text(file)) ?? ''))
}

interface Read {
  readonly keys: readonly string[]
  readonly from: number
  /** All values that its action reads: it may take one in place of another. */
  readonly beside: readonly string[]
}

function readingsIn(template: string): Read[] {
  return actionsOf(template).flatMap(({ words }) => {
    const reads = words.flatMap(({ text, from }) => {
      const [, written] = /^\$?\.Values\.([\w.]+)$/.exec(text) ?? []
      return written ? [{ written, from }] : []
    })
    const beside = reads.map(({ written }) => written)
    return reads.map(({ written, from }) => ({ keys: written.split('.'), from, beside }))
  })
}

/** A path that no values have, and the one that they have in its place. */
type Likeness = readonly [wrong: string, right: string]

/** The first part of a path that no values have, with the one part that they have in its place. */
function likenessIn(values: readonly Fields[], keys: readonly string[]): Likeness | undefined {
  let level = values
  for (const [at, key] of keys.entries()) {
    const names = new Set(level.flatMap((one) => Object.keys(one)))
    if (!names.has(key)) {
      const alike = [...names].filter((name) => plain(name) === plain(key))
      const above = keys.slice(0, at)
      return alike.length === 1 ? [[...above, key].join('.'), [...above, ...alike].join('.')] : undefined
    }
    level = level.map((one) => fieldsOf(one[key]))
  }
  return undefined
}

/** The values that the templates of a chart read, and the names below which dependencies have theirs. */
interface ChartReads extends TemplateReads {
  readonly ofOthers: ReadonlySet<string>
  /** The blocks that are only written whole, as `toYaml .Values.ingress` does: no template reads a value in them so. */
  readonly written: ReadonlySet<string>
}

async function readsOfChart(folder: string, checkout: Checkout): Promise<ChartReads | undefined> {
  const templates = checkout.below(folder).filter((file) => file.split('/').includes('templates'))
  const texts = await checkout.texts(templates)
  const reads = readsIn(texts.values())
  const { dependencies } = await readChart(checkout, folder)
  const ofOthers = new Set(['global', ...dependencies.flatMap(({ name, as }) => [name, as])])
  return reads && { ...reads, ofOthers, written: blocksWrittenIn(texts.values()) }
}

function blocksWrittenIn(texts: Iterable<string>): ReadonlySet<string> {
  const [written, other] = [new Set<string>(), new Set<string>()]
  for (const { words } of [...texts].flatMap((text) => actionsOf(text)))
    for (const [at, { text }] of words.entries()) {
      const before = words[at - 1]?.text ?? ''
      const [, value] = /^\$?\.Values\.([\w.]+)$/.exec(text) ?? []
      if (value !== undefined && before !== 'if') (['toYaml', 'toJson'].includes(before) ? written : other).add(value)
    }
  return new Set([...written].filter((value) => !other.has(value)))
}

/** Finds the values that a template writes from a block in which the values files have them elsewhere. */
function straysIn(text: string, values: readonly Fields[], reads: ChartReads) {
  const written = new Set(writtenValuesIn(text).map(({ from }) => from))
  return {
    likenessOf: (keys: readonly string[], from: number): Likeness | undefined => {
      const above = keys.slice(0, -1)
      const key = keys.at(-1) ?? ''
      if (above.length === 0 || !written.has(from) || reads.ofOthers.has(keys[0] ?? '')) return undefined
      const blocks = values.map((one) => above.reduce<Fields>((level, name) => fieldsOf(level[name]), one))
      if (blocks.some((one) => Object.hasOwn(one, key))) return undefined
      const places = new Set(blocks.flatMap((one) => placesIn(one, key)))
      const [place] = places
      const right = [...above, ...(place?.split('.') ?? [])]
      const isFurtherOut = (path: readonly string[]) => path.length < above.length && reads.written.has(path.join('.'))
      const whole = reads.whole.filter((path) => !isFurtherOut(path))
      const isOther = place === undefined || places.size > 1 || isRead(right, { ...reads, whole })
      return isOther ? undefined : [keys.join('.'), right.join('.')]
    },
  }
}

/** The places of a key deeper in a block, and those of keys in it that have its words in another order. */
function placesIn(block: Fields, key: string): string[] {
  const deeper = (level: Fields): string[] =>
    Object.entries(level).flatMap(([name, value]) => {
      const inner = fieldsOf(value)
      const own = Object.hasOwn(inner, key) ? [`${name}.${key}`] : []
      return [...own, ...deeper(inner).map((place) => `${name}.${place}`)]
    })
  return [...Object.keys(block).filter((name) => isReordered(key, name)), ...deeper(block)]
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '')
}
