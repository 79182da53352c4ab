import type { Static } from 'typebox'
import * as Type from 'typebox'
import { text, texts } from '../facts-format/facts-file'

/** What distinguishes a chart from others, in a row of facts. */
export const chartName = {
  name: text,
  /** Parts of a repository's name or URL: any of them distinguishes this chart from others of the same name. */
  of: Type.Optional(texts),
  /** Parts of a repository's name or URL that show another chart of this name. */
  notOf: Type.Optional(texts),
}
const ChartName = Type.Object(chartName)

/** The row of a chart, by how objects name it and where from: a chart of an OCI registry is named with its path. */
export function chartNamed<Row extends Static<typeof ChartName>>(
  rows: readonly Row[],
  chart: string,
  repository: string,
): Row | undefined {
  const written = chart.split('/').at(-1)
  const isFrom = (part: string) => repository.includes(part)
  return rows.find(({ name, of, notOf = [] }) => name === written && !notOf.some(isFrom) && (of?.some(isFrom) ?? true))
}
