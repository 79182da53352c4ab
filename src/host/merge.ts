import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { mergedReport, type NamedShard } from '../engine/merge'
import { GuardError } from '../errors'
import type { Report, ReportShard } from '../finding/report'
import { digestOf } from '../report/shard-json'
import { versionIn } from './package'

/** A larger file is no report. */
const mostBytes = 256 * 1024 * 1024

/**
 * Makes one report of the JSON reports of several runs, each of other clusters.
 *
 * @param files the reports, or folders of them
 * @throws GuardError where a file is no such report, or they are not all of one change
 */
export function mergeFiles(files: readonly string[], root: string): Report {
  const [first, ...others] = files.flatMap(filesAt)
  if (first === undefined)
    throw new GuardError('usage', 'There is no report to merge, so nothing is known. Name the reports of all clusters.')
  return mergedReport([readShard(first, root), ...others.map((file) => readShard(file, root))])
}

/** A file, or the JSON files below a folder. */
function filesAt(place: string): string[] {
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [place]
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}

function readShard(file: string, root: string): NamedShard {
  const { shard, unfinished } = parsed(file)
  if (unfinished)
    throw new GuardError(
      'source',
      `The run of the report ${file} reached its time limit (${String(unfinished.minutes)} min), so its clusters were not judged. Raise the timeout of that run.`,
    )
  if (!shard || typeof shard !== 'object')
    throw new GuardError(
      'usage',
      `${file} is not a report of some clusters, so there is nothing to merge. Make it with \`check --cluster NAME --format json\`.`,
    )
  const { digest, ...content } = shard
  const own = versionIn(root)
  if (content.terms?.tool !== own)
    throw new GuardError(
      'usage',
      `The report ${file} was made by ingress-guard ${String(content.terms?.tool)}, and this is ${own}. Use the same version in all jobs.`,
    )
  if (digest !== digestOf(content))
    throw new GuardError(
      'usage',
      `The report ${file} is not as ingress-guard wrote it, so it is not used. Merge the file itself, unchanged.`,
    )
  return { file, shard: content }
}

type Parsed = Partial<Pick<Report, 'unfinished'>> & { readonly shard?: ReportShard & { readonly digest?: string } }

function parsed(file: string): Parsed {
  const refuse = (why: string, cause?: unknown) =>
    new GuardError('usage', `The report ${file} cannot be used: ${why}.`, undefined, { cause })
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) throw refuse('there is no such file')
  if (size > mostBytes) throw refuse('it is larger than 256 MiB, which no report is')
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw refuse('it is not JSON, or cannot be read', cause)
  }
  throw refuse('it is not a JSON object')
}
