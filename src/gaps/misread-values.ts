import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { regionAt } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { dataIn, type Fields, fieldsOf } from '../sources/untyped'
import { actionsOf } from '../template/template-actions'
import { valuesFilesOfCharts } from './values-files-of-charts'

/**
 * Values that a changed template reads by a name that differs from that in the values files in its capital letters, dashes and
 * underscores alone: `.Values.certmanager.names` where they have `certManager`.
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
    for (const [file, text] of texts) {
      for (const { keys, from, beside } of readsIn(text)) {
        const [wrong, right] = likenessIn(values, keys) ?? []
        if (wrong === undefined || right === undefined || beside.some((one) => `${one}.`.startsWith(`${right}.`)))
          continue
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
  const reads = [...texts.values()].flatMap((text) => readsIn(text).map(({ keys }) => keys))
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

function readsIn(template: string): Read[] {
  return actionsOf(template).flatMap(({ words }) => {
    const reads = words.flatMap(({ text, from }) => {
      const [, written] = /^\$?\.Values\.([\w.]+)$/.exec(text) ?? []
      return written ? [{ written, from }] : []
    })
    const beside = reads.map(({ written }) => written)
    return reads.map(({ written, from }) => ({ keys: written.split('.'), from, beside }))
  })
}

/** The first part of a path that no values have, and the one part that they have in its place. */
function likenessIn(
  values: readonly Fields[],
  keys: readonly string[],
): readonly [wrong: string, right: string] | undefined {
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

function plain(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '')
}
