import { createHash } from 'node:crypto'
import type { ReportShard } from '../finding/report'
import type { ReportJson } from './report-schema'

/** What a report of some clusters covers, with a digest that shows whether it is whole. */
export function shardJson(shard: ReportShard): NonNullable<ReportJson['shard']> {
  // As it is read again: without keys that have no value.
  const content: ReportShard = JSON.parse(JSON.stringify(shard))
  const { all, judged } = content
  return { ...content, all: all.map((names) => [...names]), judged: [...judged], digest: digestOf(content) }
}

/** The digest of what was read from JSON. */
export function digestOf(content: ReportShard): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
