import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { regionAt } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { chartWithLocals } from '../sources/chart'
import { isRead, ownReadsIn, type TemplateReads } from '../sources/template-reads'
import { readValuesIn } from '../template/read-values'
import { valueAt, valuesAt } from '../values/values-file'
import { makesRoute } from './route-templates'
import { valuesFilesOfCharts } from './values-files-of-charts'

/**
 * Values that a template of an Ingress, a route or a certificate uses at the base, and that no template of its chart uses at
 * the head, or that one only tests there, while a values file still has them: they have no effect any more. A template that
 * is gone as a whole is a feature that is taken away on purpose.
 */
export async function abandonedValues(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [chart, files] of valuesFilesOfCharts(head)) {
    const lost = await lostReadsOf(chart, base, head, changed)
    for (const [value, { file, text, from }] of lost) {
      const owner = await ownerOf(value, files, head.checkout)
      if (owner === undefined) continue
      found.push(
        gateFinding('source/value-unread', 'abandoned', 'warning', {
          side: 'base',
          path: file,
          region: regionAt(text, from),
          fileText: text,
          keys: [chart, value],
          status: 'introduced',
          text: `This change removes the last line that uses the value ${value}, and ${owner} still has it, so what is set there has no effect any more. Use it again, or remove it from the values.`,
        }),
      )
    }
  }
  return found
}

/** The last place of a value in a template at the base: what is only tested comes before. */
interface LostRead {
  readonly file: string
  readonly text: string
  readonly from: number
}

/** The values that only the base reads, by their paths. */
async function lostReadsOf(
  chart: string,
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<ReadonlyMap<string, LostRead>> {
  const folder = path.join(chart, 'templates/')
  const edited = [...changed].filter((file) => file.startsWith(folder) && head.checkout.has(file))
  const texts = await base.checkout.texts(edited.filter((file) => base.checkout.has(file)))
  const routing = [...texts].filter(([, text]) => makesRoute(text))
  const reads = routing.length > 0 ? await readsOf(chart, head.checkout) : undefined
  if (!reads) return new Map()
  const lost = routing.flatMap(([file, text]) => {
    const before = ownReadsIn([text])
    const isLost = (keys: readonly string[]) => {
      const wasWritten = before !== undefined && isRead(keys, { ...before, tested: [] })
      return !isRead(keys, wasWritten ? { ...reads, tested: [] } : reads)
    }
    return readValuesIn(text)
      .filter(({ value }) => isLost(value.split('.')))
      .map(({ value, from }): [string, LostRead] => [value, { file, text, from }])
  })
  return new Map(lost)
}

async function readsOf(chart: string, checkout: Checkout): Promise<TemplateReads | undefined> {
  const charts = await chartWithLocals(checkout, chart)
  const files = charts.flatMap(({ folder }) => checkout.below(path.join(folder, 'templates')))
  const texts = await checkout.texts([...new Set(files)])
  return ownReadsIn(texts.values())
}

/** The first of some values files that has a value. */
async function ownerOf(value: string, files: Iterable<string>, checkout: Checkout): Promise<string | undefined> {
  for (const file of files) {
    const values = await valuesAt(file, checkout)
    if (values && valueAt(value.split('.'), values)) return file
  }
  return undefined
}
