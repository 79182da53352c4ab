import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import { notKnown } from '../finding/not-known'
import type { Finding } from '../finding/report'
import { isScalar, type Node } from '../manifest/nodes'
import { regionAt } from '../render/tools/rendering'
import type { SideOfChange } from '../sides/side'
import { writtenValuesIn } from '../template/written-values'
import { type ValuesContent, valueAt, valuesAt } from '../values/values-file'

/**
 * Default values of a chart that this change removes while a template still writes them: helm leaves a gap in their place,
 * unless each release sets them.
 *
 * @param known the failures that are reported already
 */
export async function removedValues(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const file of changed)
    if (path.basename(file) === 'values.yaml' && [base, head].every((side) => isOfChart(file, side)))
      found.push(...(await removedFrom(file, base, head)))
  return notKnown(found, known)
}

function isOfChart(file: string, { checkout }: SideOfChange): boolean {
  return checkout.has(file) && checkout.has(path.join(path.dirname(file), 'Chart.yaml'))
}

async function removedFrom(file: string, base: SideOfChange, head: SideOfChange): Promise<Finding[]> {
  const chart = path.join(file, '..').replace(/^\.$/, '')
  const [before, after] = await Promise.all([valuesAt(file, base.checkout), valuesAt(file, head.checkout)])
  if (!before || !after) return []
  const isRemoved = (keys: readonly string[]) => isGiven(valueAt(keys, before)) && !valueAt(keys, after)
  const found = new Map<string, Finding>()
  const others = await valuesOfOthers(chart, file, head)
  const templates = head.checkout
    .below(path.join(chart, 'templates'))
    .filter((one) => /(?:^|\/)[^_][^/]*\.ya?ml$/.test(one))
  for (const [template, text] of await head.checkout.texts(templates)) {
    for (const { value, from } of writtenValuesIn(text)) {
      const keys = value.split('.')
      if (found.has(value) || !isRemoved(keys) || others.some((one) => gives(keys, one, chart))) continue
      found.set(
        value,
        gateFinding('source/unrendered', 'value-removed', 'warning', {
          side: 'head',
          path: template,
          region: regionAt(text, from),
          fileText: text,
          keys: [file, value],
          status: 'introduced',
          text: `This change removes the value ${value} from ${file}, and this line still writes it, so helm leaves a gap here for each release that does not set it. Keep the value, have the line read the value that replaces it, or remove the line.`,
        }),
      )
    }
  }
  return [...found.values()]
}

/** The values of this chart's releases, and those of the charts around it. */
async function valuesOfOthers(chart: string, own: string, side: SideOfChange): Promise<ValuesContent[]> {
  const files = side.discovery.sources.flatMap((source) => {
    if (source.kind !== 'helm' || source.fetched) return []
    const isAround = source.chart === '' || source.chart === chart || chart.startsWith(`${source.chart}/`)
    const defaults = path.join(source.chart, 'values.yaml')
    return isAround ? [defaults, ...source.values.flatMap((one) => ('path' in one ? [one.path] : []))] : []
  })
  const read = await Promise.all(
    [...new Set(files)].filter((file) => file !== own).map((file) => valuesAt(file, side.checkout)),
  )
  return read.flatMap((values) => values ?? [])
}

/** Whether values give a chart a value, as its own or as that of a dependency. */
function gives(keys: readonly string[], values: ValuesContent, chart: string): boolean {
  return [keys, [path.basename(chart), ...keys]].some((one) => valueAt(one, values) !== undefined)
}

function isGiven(node: Node | undefined): boolean {
  return isScalar(node) && node.value !== null && node.value !== ''
}
