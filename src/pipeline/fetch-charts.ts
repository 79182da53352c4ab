import path from 'node:path/posix'
import { type ChartElsewhere, nameOfWanted } from '../deployers/common/chart-elsewhere'
import type { FetchFault } from '../fetch/connection/fetching'
import type { Finding } from '../finding/report'
import { accountOf, type MissedChart, missingVersion, notAsked } from '../gaps/charts-not-fetched'
import type { ReleaseAccount, SideOfChange } from '../sides/side'
import { blocksReadBy } from '../sources/read-blocks'
import type { Source } from '../sources/source'
import type { Ask } from './opening/asking'
import { releasesNamedByRoutes } from './opening/named-releases'
import type { Sides } from './opening/open-sides'
import { type ReleasePair, releasesThatDiffer } from './opening/releases-that-differ'
import { writtenPlace } from './opening/written-place'

/** The result of fetching the chart of a release, on one side. */
type ChartOutcome =
  | {
      readonly kind: 'had'
      readonly release: ChartElsewhere
      readonly sources: readonly Source[]
      /** Of a part that is not as in the cluster. */
      readonly account?: ReleaseAccount
    }
  | ({ readonly kind: 'missed' } & MissedChart)
  /** A part of it is known in the cluster alone, or was not asked for. */
  | {
      readonly kind: 'unknown'
      readonly release: ChartElsewhere
      readonly finding?: Finding
      readonly account?: ReleaseAccount
    }

interface ChartOutcomes {
  readonly before: ChartOutcome | undefined
  readonly after: ChartOutcome | undefined
}

/**
 * Fetches the charts of releases that the change touches, and of those whose Services its routes name, and makes them
 * sources of both sides. If the chart of one side cannot be fetched, neither side is rendered: its objects would seem
 * added or removed.
 */
export async function fetchCharts(sides: Sides, ask: Ask | undefined): Promise<Sides> {
  const { base, head } = sides
  if (!base || !ask) return sides
  const differing = releasesThatDiffer(base.discovery.elsewhere, head.discovery.elsewhere)
  const named = await releasesNamedByRoutes(sides)
  if (differing.length + named.length === 0) return sides
  const obtainAll = (releases: readonly ReleasePair[]): Promise<ChartOutcomes[]> =>
    Promise.all(
      releases.map(async ({ before, after }) => {
        const [was, is] = await Promise.all([before && obtain(before, base, ask), after && obtain(after, head, ask)])
        return { before: was, after: is }
      }),
    )
  const [pairs, untouched] = await Promise.all([obtainAll(differing), obtainAll(named)])
  const isLost = pairs.some(({ after }) => after && after.kind !== 'had')
  const had = pairs.filter(({ before, after }) =>
    // A release that is gone at the head may be one there whose chart could not be fetched.
    after ? [before, after].every((one) => !one || one.kind === 'had') : before?.kind === 'had' && !isLost,
  )
  const missed = pairs.filter((pair) => !had.includes(pair))
  // Others stay among the releases whose charts are not in the repository.
  const beside = untouched.filter(({ before, after }) => before?.kind === 'had' && after?.kind === 'had')
  return {
    ...sides,
    base: await rendering(base, 'before', [...had, ...beside], missed),
    head: await rendering(head, 'after', [...had, ...beside], missed),
    notFetched: missed.flatMap(findingsOf),
  }
}

async function obtain(release: ChartElsewhere, side: SideOfChange, ask: Ask): Promise<ChartOutcome> {
  const { checkout } = side
  const wanted = release.wanted()
  if (!wanted) return withoutValues(release)
  const { request } = wanted
  const answer = await ask(request)
  if (!answer) return { kind: 'unknown', release, finding: notAsked(release) }
  const version = await writtenPlace(release.version, checkout)
  const missed = async (fault: FetchFault): Promise<ChartOutcome> => ({
    kind: 'missed',
    release,
    wanted,
    fault,
    version,
    place: await writtenPlace(release.place, checkout),
  })
  if ('cause' in answer) return missed(answer)
  const packed = wanted.packed?.(answer.files)
  const files = packed ? new Map([...answer.files].filter(([file]) => packed.has(file))) : answer.files
  const isWhole = files.size === answer.files.size
  const digest = isWhole ? answer.digest : JSON.stringify([answer.digest, ...files.keys()])
  const folder = path.join(checkout.hold(digest, files), wanted.folder)
  if (!release.mayBeNoChart && !checkout.has(path.join(folder, 'Chart.yaml')))
    return missed({ cause: 'content-invalid', reason: `there is no Chart.yaml in ${wanted.folder || 'it'}` })
  const { repository } = request
  const { ref: by } = release.manifest
  const blocks = blocksReadBy(wanted.folder, files)
  const from = { repository, chart: nameOfWanted(wanted), version: answer.version, at: version, by, blocks }
  if (release.mayBeNoChart && checkout.below(folder).length === 0)
    return missed({
      cause: 'version-missing',
      reason: `${repository} has no folder ${wanted.folder} at ${answer.version}`,
    })
  const found = release.sources(folder, checkout)
  if (!found) return { kind: 'unknown', release }
  const notRendered = (reason: string): ChartOutcome => {
    const its = `${nameOfWanted(wanted)} of ${repository} was fetched, and is not rendered: ${reason}`
    return { kind: 'unknown', release, account: { cause: 'source-elsewhere', reason: its } }
  }
  if ('reason' in found) return notRendered(found.reason)
  for (const source of found) {
    const lack = source.kind === 'kustomize' ? await side.lackOfFetched(source.root) : undefined
    if (lack !== undefined) return notRendered(`its Kustomization needs ${lack}, which was not fetched with it`)
  }
  const sources = found.map((source) => ({ ...source, fetched: from }))
  const replaced = release.valuesReplaced?.()
  const account = replaced === undefined ? {} : { account: { cause: 'values-in-cluster', reason: replaced } as const }
  return { kind: 'had', release, sources, ...account }
}

/** The release of a chart that is not asked for. */
function withoutValues(release: ChartElsewhere): ChartOutcome {
  const lacking = release.valuesLacking?.()
  if (lacking === undefined) return { kind: 'unknown', release }
  const remedy =
    'To have its objects judged, write these values into the HelmRelease or into a ConfigMap of this repository; single ones of a Secret may be named with `targetPath`.'
  const account = { cause: 'chart-elsewhere', reason: `its chart is not rendered, because ${lacking}`, remedy } as const
  return { kind: 'unknown', release, account }
}

async function rendering(
  side: SideOfChange,
  which: keyof ChartOutcomes,
  had: readonly ChartOutcomes[],
  missed: readonly ChartOutcomes[],
): Promise<SideOfChange> {
  const sources: Source[] = []
  const accounts = new Map<string, ReleaseAccount>()
  for (const { [which]: one } of had) {
    if (one?.kind !== 'had') continue
    sources.push(...one.sources)
    accounts.set(one.release.id, one.account ?? 'rendered')
  }
  for (const { before, after, [which]: own } of missed) {
    const account =
      after?.kind === 'missed'
        ? accountOf(after, 'head')
        : before?.kind === 'missed'
          ? accountOf(before, 'base')
          : own?.kind === 'unknown'
            ? own.account
            : undefined
    if (own && account) accounts.set(own.release.id, account)
  }
  return sources.length > 0 || accounts.size > 0 ? side.withReleases(sources, accounts) : side
}

function findingsOf({ before, after }: ChartOutcomes): Finding[] {
  const unknown = [before, after].flatMap((one) => (one?.kind === 'unknown' && one.finding ? [one.finding] : []))
  if (after?.kind !== 'missed' || after.fault.cause !== 'version-missing') return unknown
  const was = before?.kind === 'missed' && before.fault.cause === 'version-missing' ? before.wanted : undefined
  const isSameChart =
    was?.request.repository === after.wanted.request.repository && nameOfWanted(was) === nameOfWanted(after.wanted)
  const missedBefore = JSON.stringify(was) === JSON.stringify(after.wanted) ? 'same' : isSameChart ? 'other' : undefined
  return [...unknown, missingVersion(after, missedBefore)]
}
