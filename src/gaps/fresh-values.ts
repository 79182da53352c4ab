import type { SideOfChange } from '../sides/side'
import { readValuesIn } from '../template/read-values'
import type { WrittenValue } from '../template/written-values'
import { chartOf } from './template-faults'

/** A changed template of a chart, with the values that it did not read at the base. */
export interface TemplateWithFreshValues {
  readonly file: string
  readonly text: string
  readonly chart: string
  readonly fresh: readonly WrittenValue[]
}

/** The changed templates of charts that come to read values. */
export async function templatesWithFreshValues(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<TemplateWithFreshValues[]> {
  const charts = new Map([...changed].flatMap((file) => [[file, chartOf(file, head)] as const]))
  const files = [...charts].flatMap(([file, chart]) => (chart === undefined ? [] : [file]))
  const [before, after] = await Promise.all([base, head].map(({ checkout }) => checkout.texts(files)))
  return files.flatMap((file): TemplateWithFreshValues[] => {
    const text = after?.get(file) ?? ''
    const old = new Set(readValuesIn(before?.get(file) ?? '').map(({ value }) => value))
    const fresh = readValuesIn(text).filter(({ value }) => !old.has(value))
    return fresh.length > 0 ? [{ file, text, chart: charts.get(file) ?? '', fresh }] : []
  })
}
