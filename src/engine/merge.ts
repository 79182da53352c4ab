import { isDeepStrictEqual } from 'node:util'
import { GuardError } from '../errors'
import { sortBumps } from '../finding/bump'
import type { Inspected, ReadObjects, Report, ReportParts, ReportShard } from '../finding/report'
import type { LedgerEntry } from '../ledger/entry'
import { assembled } from './parts'

/** A report of some clusters, and the file that it was read from. */
export interface NamedShard {
  readonly file: string
  readonly shard: ReportShard
}

/**
 * One report of several that each judged other clusters of one change: the report of one run on all of them.
 *
 * @throws GuardError `usage`, where they are of different runs, or a cluster is in none or in several of them
 */
export function mergedReport(reports: readonly [NamedShard, ...NamedShard[]]): Report {
  const [{ shard: first }] = reports
  for (const { file, shard } of reports.slice(1)) refuseOther(reports[0], { file, shard })
  refuseGaps(reports)
  const names = ({ judged }: ReportShard) => JSON.stringify(judged)
  const shards = reports.map(({ shard }) => shard).sort((a, b) => (names(a) < names(b) ? -1 : 1))
  return assembled(partsOf(shards), first.terms)
}

/** Refuses reports that were not made of the same two revisions on the same terms. */
function refuseOther(one: NamedShard, other: NamedShard): void {
  const isSame = (of: (shard: ReportShard) => unknown) => isDeepStrictEqual(of(one.shard), of(other.shard))
  const differing = [
    [isSame(({ terms }) => terms.tool), 'were made by different versions of ingress-guard'],
    [isSame(({ revisions, parts }) => [revisions, parts.mode]), 'judge different revisions'],
    [isSame(({ terms }) => terms.policies), 'judge by different policies'],
    [isSame(({ terms }) => terms.today), 'judge by different dates; give all runs the same date'],
    [isSame(({ terms }) => terms), 'judge by different configs or options'],
    [isSame(({ all }) => all), 'know different clusters, so what was fetched for one of them was not for the other'],
    [isSame(({ changedFiles }) => changedFiles), 'know different numbers of changed files'],
  ] as const
  for (const [same, words] of differing) {
    if (same) continue
    throw new GuardError(
      'usage',
      `The reports ${one.file} and ${other.file} ${words}. Merge the reports of one workflow run only; run all jobs again.`,
    )
  }
}

/** Refuses a set of reports in which a cluster is judged by none, or by several. */
function refuseGaps(reports: readonly [NamedShard, ...NamedShard[]]): void {
  const judgedIn = new Map<string, string>()
  for (const { file, shard } of reports) {
    for (const name of shard.judged) {
      const other = judgedIn.get(name)
      if (other !== undefined)
        throw new GuardError(
          'usage',
          `The cluster ${JSON.stringify(name)} is in two reports, ${other} and ${file}. Merge one report of each cluster.`,
        )
      judgedIn.set(name, file)
    }
  }
  const missing = reports[0].shard.all.flatMap(([name = '']) => (judgedIn.has(name) ? [] : [JSON.stringify(name)]))
  if (missing.length > 0)
    throw new GuardError(
      'usage',
      `No report judges ${missing.join(', ')}, so nothing is known of ${missing.length === 1 ? 'that cluster' : 'those clusters'}. Merge the reports of all clusters that \`ingress-guard clusters\` lists for this change.`,
    )
}

function partsOf(shards: readonly ReportShard[]): ReportParts {
  const parts = shards.map((shard) => shard.parts)
  const { mode, inspected } = parts[0] as ReportParts
  const all = parts.map((one) => one.inspected)
  const sum = (of: (changes: Report['inspected']['changes']) => number) =>
    all.reduce((total, { changes }) => total + of(changes), 0)
  const bumps = sortBumps(all.flatMap((one) => one.bumps ?? []))
  const withTools = all.filter(({ tools }) => tools.length > 0)
  const isConfined = withTools.length > 0 && withTools.every(({ confinement }) => confinement !== undefined)
  return {
    mode,
    inspected: {
      base:
        inspected.base &&
        inspectedBy(
          inspected.base,
          shards.map(({ read }) => read.base),
        ),
      head: inspectedBy(
        inspected.head,
        shards.map(({ read }) => read.head),
      ),
      changes: {
        added: sum(({ added }) => added),
        changed: sum(({ changed }) => changed),
        removed: sum(({ removed }) => removed),
      },
      tools: distinct(all.flatMap(({ tools }) => tools)).sort(({ name: a }, { name: b }) => (a < b ? -1 : 1)),
      ...(isConfined ? { confinement: 'no-network' as const } : {}),
      skipped: all.flatMap(({ skipped }) => skipped),
      ...(inspected.files ? { files: ledgerOf(shards) } : {}),
      ...(bumps.length > 0 ? { bumps } : {}),
    },
    findings: distinct(parts.flatMap(({ findings }) => findings)),
    given: distinct(parts.flatMap(({ given }) => given)),
    claims: distinct(parts.flatMap(({ claims }) => claims)).sort(({ cluster: a }, { cluster: b }) => (a < b ? -1 : 1)),
  }
}

/** Several runs may have read one file, and each other objects of it. */
function inspectedBy({ revision, files }: Inspected, read: readonly (readonly ReadObjects[])[]): Inspected {
  const sources = new Map<string, { isRendered: boolean; objects: Map<string, number> }>()
  for (const { of, isRendered, objects } of read.flat()) {
    const key = JSON.stringify([isRendered, of])
    const known = sources.get(key) ?? { isRendered, objects: new Map() }
    sources.set(key, known)
    const own = new Map<string, number>()
    for (const object of objects) own.set(object, (own.get(object) ?? 0) + 1)
    for (const [object, times] of own) known.objects.set(object, Math.max(times, known.objects.get(object) ?? 0))
  }
  const all = [...sources.values()]
  return {
    revision,
    files,
    sources: all.length,
    rendered: all.filter(({ isRendered }) => isRendered).length,
    manifests: all.flatMap(({ objects }) => [...objects.values()]).reduce((sum, times) => sum + times, 0),
  }
}

/**
 * Every changed file once.
 *
 * @throws GuardError `internal`, for a file that no report accounts for
 */
function ledgerOf(shards: readonly ReportShard[]): LedgerEntry[] {
  const accounts = new Map<string, LedgerEntry[]>()
  for (const entry of shards.flatMap(({ parts }) => parts.inspected.files ?? [])) {
    const known = accounts.get(entry.path)
    if (known) known.push(entry)
    else accounts.set(entry.path, [entry])
  }
  const expected = shards[0]?.changedFiles
  if (accounts.size !== expected)
    throw new GuardError(
      'internal',
      `The reports account for ${accounts.size} changed files of ${expected}, so whether the others were judged is unknown. This is a bug of ingress-guard: please report it.`,
    )
  return [...accounts]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, entries]) => accountOf(entries as [LedgerEntry, ...LedgerEntry[]]))
}

/** One account of several: a file that is not judged in one cluster is not judged. */
function accountOf(entries: readonly [LedgerEntry, ...LedgerEntry[]]): LedgerEntry {
  const [best] = [...entries].sort((a, b) => rankOf(a) - rankOf(b)) as [LedgerEntry]
  if (best.state !== 'judged' && best.state !== 'input') return best
  const alike = entries.filter(({ state }) => state === 'judged' || state === 'input')
  // The objects that are written in a file are in their order; those of several renderings are sorted.
  const lists = distinct(alike.flatMap((one) => (one.objects ? [one.objects] : [])))
  const objects = lists.length > 1 ? distinct(lists.flat()).sort() : lists.flat()
  const sources = distinct(alike.flatMap((one) => one.sources ?? [])).sort()
  return {
    ...best,
    ...(objects.length > 0 ? { objects } : {}),
    ...(sources.length > 0 ? { sources } : {}),
  }
}

/** In the order in which one run asks. */
function rankOf({ state, cause }: LedgerEntry): number {
  // A chart without a known release may be used by another one.
  const isGuess = cause === 'no-release'
  if (state === 'described') return 0
  if (state === 'not-judged') return isGuess ? 4 : 1
  if (state === 'judged') return 2
  return state === 'input' ? 3 : 5
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}
