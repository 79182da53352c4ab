import path from 'node:path/posix'
import { isMistyped, isReordered } from '../closest'
import { gateFinding } from '../finding/gate-finding'
import { notKnown } from '../finding/not-known'
import type { Finding } from '../finding/report'
import { pairsOf } from '../manifest/map-pairs'
import { isMap } from '../manifest/nodes'
import { regionAt } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { readChart } from '../sources/chart'
import { isRead, type OwnReads, ownReadsIn } from '../sources/template-reads'
import { type ValuesContent, valueAt, valuesAt } from '../values/values-file'
import { templatesWithFreshValues } from './fresh-values'

/**
 * Values that a change reads by a name which the values of the chart do not have, where they have nearly the same one, and
 * no template reads that: `daemonset.useHostPorts` beside `daemonset.useHostPort`. The first is always empty, the second has
 * no effect, and helm says nothing.
 *
 * @param known the failures that are reported already
 */
export async function mistypedValues(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { file, text, chart, fresh } of await templatesWithFreshValues(base, head, changed)) {
    const place = path.join(chart, 'values.yaml')
    const values = await valuesAt(place, head.checkout)
    const reads = values && (await readsOf(chart, head.checkout))
    if (!values || !reads) continue
    for (const [value, from] of new Map(fresh.map((one) => [one.value, one.from]))) {
      const meant = meantBy(value.split('.'), values, reads)
      if (!meant || (await isNamedElsewhere(value, file, head.checkout))) continue
      found.push(
        gateFinding('source/unrendered', 'value-mistyped', 'warning', {
          side: 'head',
          path: file,
          region: regionAt(text, from),
          fileText: text,
          keys: [file, value],
          status: 'introduced',
          text: `This line reads the value ${value}, which nothing here sets, so it is always empty, while no template reads ${meant} of ${place}, so that has no effect. Write ${meant} here, or rename it in ${place}.`,
        }),
      )
    }
  }
  return notKnown(found, known)
}

/** What the templates of a chart read; undefined where a chart beside it may read its values, or they are passed whole. */
async function readsOf(chart: string, checkout: Checkout): Promise<OwnReads | undefined> {
  const templates = checkout.below(path.join(chart, 'templates'))
  const { dependencies } = await readChart(checkout, chart)
  return dependencies.length > 0 ? undefined : ownReadsIn((await checkout.texts(templates)).values())
}

/** The only value beside a missing one that has nearly its name, if no template reads it. */
function meantBy(keys: readonly string[], values: ValuesContent, reads: OwnReads): string | undefined {
  const above = keys.slice(0, -1)
  const key = keys.at(-1) ?? ''
  const block = valueAt(above, values)
  if (above.length === 0 || !isMap(block) || valueAt(keys, values) !== undefined) return undefined
  const near = [...pairsOf(block, values.resolve).keys()].filter((one) => isMistyped(key, one) || isReordered(key, one))
  const [meant] = near
  return meant === undefined || near.length > 1 || isRead([...above, meant], reads)
    ? undefined
    : [...above, meant].join('.')
}

/** Whether another file names a value: releases may set it, and a page may explain it. */
async function isNamedElsewhere(value: string, file: string, checkout: Checkout): Promise<boolean> {
  const key = value.slice(value.lastIndexOf('.') + 1)
  const others = [...checkout.tree.entries.keys()].filter((one) => one !== file && isText(one))
  return (await checkout.mentioning(others, [key])).size > 0
}

function isText(file: string): boolean {
  return ['.yaml', '.yml', '.json', '.tpl', '.gotmpl', '.md'].includes(path.extname(file))
}
