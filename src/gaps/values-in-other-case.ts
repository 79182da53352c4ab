import path from 'node:path/posix'
import { append } from '../append'
import { gateFinding } from '../finding/gate-finding'
import { notKnown } from '../finding/not-known'
import type { Finding } from '../finding/report'
import { regionAt } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { readValuesIn } from '../template/read-values'
import { valueAt, valuesAt } from '../values/values-file'
import { templatesWithFreshValues } from './fresh-values'

/**
 * Values that a change reads in other letters than the rest of its chart, as `useDnsRecords` beside `useDnsrecords`: such
 * a value is always empty, and helm says nothing.
 *
 * @param known the failures that are reported already
 */
export async function valuesInOtherCase(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { file, text, chart, fresh } of await templatesWithFreshValues(base, head, changed)) {
    const others = await readElsewhere(file, chart, head.checkout)
    for (const [value, from] of new Map(fresh.map((one) => [one.value, one.from]))) {
      const meant = await otherSpelling(value, { file, text, chart, others, checkout: head.checkout })
      if (meant) found.push(findingOf(value, meant, { from, file, text }))
    }
  }
  return notKnown(found, known)
}

/** A value of the chart, and what reads or sets it. */
interface Meant {
  readonly value: string
  readonly by: string
}

/** The values that the other templates of a chart read, with the first of them, by their lower case. */
async function readElsewhere(file: string, chart: string, checkout: Checkout): Promise<Map<string, Meant[]>> {
  const read = new Map<string, Meant[]>()
  const templates = checkout.below(path.join(chart, 'templates')).filter((one) => one !== file)
  for (const [by, text] of await checkout.texts(templates))
    for (const { value } of readValuesIn(text)) append(read, value.toLowerCase(), { value, by })
  return read
}

interface Reading {
  readonly file: string
  readonly text: string
  readonly chart: string
  readonly others: ReadonlyMap<string, readonly Meant[]>
  readonly checkout: Checkout
}

/** The value that another template reads in other letters, if nothing reads or sets the one that is written. */
async function otherSpelling(value: string, reading: Reading): Promise<Meant | undefined> {
  const { file, text, chart, others, checkout } = reading
  const alike = others.get(value.toLowerCase()) ?? []
  const [meant] = alike
  if (!meant || alike.some((one) => one.value !== meant.value) || meant.value === value) return undefined
  // A template that reads both takes the old name, too.
  if (readValuesIn(text).some((one) => one.value === meant.value)) return undefined
  const [keys, its] = [value.split('.'), meant.value.split('.')]
  const differing = keys.filter((key, index) => key !== its[index])
  const defaults = await valuesAt(path.join(chart, 'values.yaml'), checkout)
  if (defaults && valueAt(keys, defaults)) return undefined
  const files = [...checkout.tree.entries.keys()].filter(
    (one) => one !== file && /\.(?:ya?ml|json|tpl|gotmpl|md)$/.test(one),
  )
  return (await checkout.mentioning(files, differing)).size > 0 ? undefined : meant
}

function findingOf(
  value: string,
  meant: Meant,
  { from, file, text }: { readonly from: number; readonly file: string; readonly text: string },
): Finding {
  return gateFinding('source/unrendered', 'value-cased', 'warning', {
    side: 'head',
    path: file,
    region: regionAt(text, from),
    fileText: text,
    keys: [file, value],
    status: 'introduced',
    text: `This line reads the value ${value}, and ${meant.by} reads ${meant.value}: the names of values are case-sensitive, and nothing here sets ${value}, so it is always empty. Write ${meant.value}, or set ${value}.`,
  })
}
