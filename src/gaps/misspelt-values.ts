import path from 'node:path/posix'
import { isMistyped, isReordered } from '../closest'
import { gateFinding } from '../finding/gate-finding'
import { notKnown } from '../finding/not-known'
import type { Finding } from '../finding/report'
import { pairsOf } from '../manifest/map-pairs'
import { isMap, type Node } from '../manifest/nodes'
import { regionAt } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { readChart } from '../sources/chart'
import { readValuesIn } from '../template/read-values'
import type { WrittenValue } from '../template/written-values'
import { type ValuesContent, valueAt, valuesAt } from '../values/values-file'
import { templatesWithFreshValues } from './fresh-values'

/** A map of values that a template reads from, and that the values of its chart have under another name. */
interface Misspelt {
  /** The path of the map, as the template has it. */
  readonly keys: readonly string[]
  /** The path that the values have. */
  readonly meant: readonly string[]
  /** Where it is read, in the template. */
  readonly from: number
}

/**
 * Values that a change reads below a key which the values of the chart have in another spelling: helm fails with a nil
 * pointer, which a chart that needs values from elsewhere does not show here.
 *
 * @param known the failures that are reported already
 */
export async function misspeltValues(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { file, text, chart, fresh } of await templatesWithFreshValues(base, head, changed)) {
    const misspelt = await misspeltIn({ text, fresh, chart }, head.checkout)
    found.push(...misspelt.map((one) => findingOf(one, file, text, chart)))
  }
  return notKnown(found, known)
}

interface Reading {
  readonly text: string
  readonly fresh: readonly WrittenValue[]
  readonly chart: string
}

async function misspeltIn({ text, fresh, chart }: Reading, checkout: Checkout): Promise<Misspelt[]> {
  const values = await valuesAt(path.join(chart, 'values.yaml'), checkout)
  if (!values) return []
  const { dependencies } = await readChart(checkout, chart)
  const ofOthers = new Set(['global', ...dependencies.flatMap((one) => [one.name, one.as])])
  const read = readValuesIn(text).map(({ value }) => value.split('.'))
  const found = new Map<string, Misspelt>()
  for (const { value, from } of fresh) {
    const keys = value.split('.')
    const misspelt = ofOthers.has(keys[0] ?? '') ? undefined : misspeltOf(keys, values, read)
    const name = misspelt?.keys.join('.') ?? ''
    if (!misspelt || found.has(name) || (await isKnownElsewhere(misspelt.keys, chart, checkout))) continue
    found.set(name, { ...misspelt, from })
  }
  return [...found.values()]
}

/**
 * The first key of a path that is not there and has others below it, if one beside it is nearly the same, or has the same
 * words in another order.
 *
 * @param read all paths that the template reads
 */
function misspeltOf(
  keys: readonly string[],
  values: ValuesContent,
  read: readonly (readonly string[])[],
): Omit<Misspelt, 'from'> | undefined {
  const depth = keys.findIndex((_, at) => valueAt(keys.slice(0, at + 1), values) === undefined)
  const above = valueAt(keys.slice(0, depth), values)
  if (depth === -1 || depth === keys.length - 1 || !isMap(above)) return undefined
  const key = keys[depth] ?? ''
  const near = [...pairsOf(above, values.resolve)].filter(
    ([name, { value }]) => isMap(value) && (isMistyped(key, name) || isReordered(key, name)),
  )
  const [meant] = near
  if (meant && near.length === 1) return { keys: keys.slice(0, depth + 1), meant: [...keys.slice(0, depth), meant[0]] }
  const block = depth === 0 && near.length === 0 ? givenBlock(key, values, read) : undefined
  const inside = block && misspeltOf(keys, { ...values, node: block.node }, [])
  return inside && { ...inside, meant: [block.name, ...inside.meant] }
}

/**
 * The block at the root that a named template gets as its values, as `dict "Values" .Values.global` gives it: the only one
 * with a key that the template reads at the root, and with something that the template reads below this key.
 */
function givenBlock(
  key: string,
  { node, resolve }: ValuesContent,
  read: readonly (readonly string[])[],
): { readonly name: string; readonly node: Node } | undefined {
  const names = new Set(read.flatMap(([first, second]) => (first === key && second !== undefined ? [second] : [])))
  const blocks = isMap(node) ? [...pairsOf(node, resolve)] : []
  const having = blocks.flatMap(([name, { value }]) => {
    const inner = isMap(value) ? pairsOf(value, resolve).get(key)?.value : undefined
    const isIt = isMap(inner) && [...pairsOf(inner, resolve).keys()].some((one) => names.has(one))
    return value && isIt ? [{ name, node: value }] : []
  })
  return having.length === 1 ? having[0] : undefined
}

/** Whether a file other than a template has the key, or a template asks for it: releases may set it. */
async function isKnownElsewhere(keys: readonly string[], chart: string, checkout: Checkout): Promise<boolean> {
  const key = keys.at(-1) ?? ''
  const templates = path.join(chart, 'templates')
  const files = [...checkout.tree.entries.keys()].filter((file) => /\.(?:ya?ml|json|tpl|gotmpl)$/.test(file))
  for (const [file, text] of await checkout.mentioning(files, [key])) {
    if (!file.startsWith(`${templates}/`)) return true
    const isAsked = readValuesIn(text).some(({ value }) => value === keys.join('.'))
    if (isAsked || text.includes(`"${key}"`)) return true
  }
  return false
}

function findingOf({ keys, meant, from }: Misspelt, file: string, text: string, chart: string): Finding {
  const place = path.join(chart, 'values.yaml')
  return gateFinding('source/unrendered', 'value-misspelt', 'warning', {
    side: 'head',
    path: file,
    region: regionAt(text, from),
    fileText: text,
    keys: [file, keys.join('.')],
    status: 'introduced',
    text: `This line reads a value in ${keys.join('.')}, which is not in ${place} and no release here sets, so helm fails with a nil pointer and installs nothing of the chart. ${place} has ${meant.join('.')}: write ${meant.at(-1)} if that is meant.`,
  })
}
