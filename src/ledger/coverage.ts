import { causeText } from './causes'
import type { Account, FileState } from './entry'
import type { Platform } from './platform'

/** A file of a revision that is judged whole. */
export interface CoveredFile extends Account {
  readonly path: string
}

/** The seen part of a release: its objects, its values alone, or nothing. */
export type Sight = 'rendered' | 'by-values' | 'not-seen'

/** A Helm release or a Kustomization that is deployed, or an object that deploys something else. */
export interface CoveredRelease {
  /** The file that declares it. */
  readonly path: string
  readonly name: string
  readonly sight: Sight
  /** The files that declare it, if there are more. */
  readonly files?: readonly string[]
  /** The id of the cause, where it is not seen whole. */
  readonly cause?: string
  readonly reason?: string
  /** The repository of charts that it comes from. */
  readonly from?: string
}

/** The seen part of a revision. */
export interface Coverage {
  readonly files: readonly CoveredFile[]
  readonly releases: readonly CoveredRelease[]
  readonly platform: Platform
}

/** The number of files in each state. */
export type FileCounts = Readonly<Record<FileState, number>>
/** The number of releases, by how much of them is seen. */
export type ReleaseCounts = Readonly<Record<Sight, number>>

/** The seen part of one folder. */
export interface FolderCoverage {
  /** Ends with `/`; with `/*` for the files of the folder alone. */
  readonly folder: string
  readonly files: FileCounts
  readonly releases: ReleaseCounts
}

/** The files and releases that are not seen for one cause, and the remedy. */
export interface CauseCoverage {
  /** The ids of the causes that have these words. */
  readonly causes: readonly string[]
  /** The cause, as a noun. */
  readonly title: string
  readonly files: number
  /** Releases that are not seen. */
  readonly releases: number
  /** Releases that are rendered without a part. */
  readonly partly: number
  readonly places: readonly { readonly path: string; readonly reason: string }[]
  readonly effect: string
  readonly remedy: string
  /** The repositories of charts, with how many releases take a chart from there. */
  readonly from: readonly { readonly url: string; readonly releases: number }[]
}

/** A coverage, counted. */
export interface CoverageOverview {
  readonly files: FileCounts
  readonly releases: ReleaseCounts
  readonly folders: readonly FolderCoverage[]
  /** The causes: a missing tool first, then those that hide most. */
  readonly notSeen: readonly CauseCoverage[]
  /** The files that no known deployment contains. */
  readonly notDeployed: readonly CauseCoverage[]
}

/** The number of folders that are listed. */
export const mostFolders = 20
/** The row of the folders for which there is no room. */
const others = '…'
/** Folders with a smaller share of unseen files and releases share one row. */
const leastShare = 0.05

export function overviewOf(coverage: Coverage): CoverageOverview {
  const { files, releases } = coverage
  return {
    files: fileCounts(files),
    releases: releaseCounts(releases),
    folders: foldersOf(coverage),
    notSeen: causesOf(
      files.filter(({ state }) => state === 'not-judged'),
      releases.filter(({ sight, cause }) => sight === 'not-seen' || cause !== undefined),
    ),
    notDeployed: causesOf(
      files.filter(({ state }) => state === 'not-deployed'),
      [],
    ),
  }
}

/** The judged files, alone or in a rendering, and the files that may be: `[3, 4]`. */
export function seenFiles({ judged, input, ...others }: FileCounts): readonly [seen: number, all: number] {
  return [judged + input, judged + input + others['not-judged']]
}

export function seenReleases(counts: ReleaseCounts): readonly [seen: number, all: number] {
  const seen = counts.rendered + counts['by-values']
  return [seen, seen + counts['not-seen']]
}

function fileCounts(files: readonly CoveredFile[]): FileCounts {
  const counts = { judged: 0, input: 0, described: 0, 'not-kubernetes': 0, 'not-deployed': 0, 'not-judged': 0 }
  for (const { state } of files) counts[state]++
  return counts
}

function releaseCounts(releases: readonly CoveredRelease[]): ReleaseCounts {
  const counts = { rendered: 0, 'by-values': 0, 'not-seen': 0 }
  for (const { sight } of releases) counts[sight]++
  return counts
}

/** Places of one cause; of tools that the gate does not run, of one remedy. */
function causesOf(files: readonly CoveredFile[], releases: readonly CoveredRelease[]): CauseCoverage[] {
  const groups = new Map<string, { files: CoveredFile[]; releases: CoveredRelease[] }>()
  const groupFor = ({ cause = '', remedy = '' }: Pick<CoveredFile, 'cause' | 'remedy'>) => {
    const key = JSON.stringify([causeText(cause).many, cause === 'other-tool' ? remedy : ''])
    const group = groups.get(key) ?? { files: [], releases: [] }
    groups.set(key, group)
    return group
  }
  for (const file of files) groupFor(file).files.push(file)
  for (const release of releases) groupFor({ cause: release.cause ?? '' }).releases.push(release)
  return [...groups.values()]
    .map((group) => causeCoverage(group.files, group.releases))
    .sort((a, b) => leadOf(b) - leadOf(a) || weightOf(b) - weightOf(a) || (a.title < b.title ? -1 : 1))
}

function leadOf({ causes }: CauseCoverage): number {
  return Number(causes.some((cause) => causeText(cause).comesFirst))
}

function weightOf({ files, releases, partly }: CauseCoverage): number {
  return files + releases + partly / 1000
}

function causeCoverage(files: readonly CoveredFile[], releases: readonly CoveredRelease[]): CauseCoverage {
  const all: readonly Pick<CoveredFile, 'path' | 'cause' | 'reason'>[] = [
    ...releases.map(({ reason = '', ...release }) => ({ ...release, reason })),
    ...files,
  ]
  const causes = [...new Set(all.map(({ cause = '' }) => cause))]
  const { many, effect, remedy } = causeText(causes[0] ?? '')
  const tools = [...new Set(files.flatMap(({ tool }) => tool ?? []))]
  const remedies = new Set(files.map((file) => file.remedy))
  const [own] = remedies.size === 1 ? remedies : []
  const urls = new Map<string, number>()
  for (const { from } of releases) if (from) urls.set(from, (urls.get(from) ?? 0) + 1)
  return {
    causes,
    title: tools.length > 0 ? `files of ${tools.join(' and ')}, which the gate does not run` : many,
    files: files.length,
    releases: releases.filter(({ sight }) => sight === 'not-seen').length,
    partly: releases.filter(({ sight }) => sight !== 'not-seen').length,
    places: [...new Map(all.map(({ path, reason }) => [path, { path, reason }])).values()],
    effect,
    remedy: own ?? remedy,
    from: [...urls].map(([url, number]) => ({ url, releases: number })).sort((a, b) => b.releases - a.releases),
  }
}

/** The content of a folder, or of a part of one. */
interface FolderGroup {
  readonly folder: string
  readonly files: readonly CoveredFile[]
  readonly releases: readonly CoveredRelease[]
}

/** The folders of the repository, and those below where much is not seen, as far as there is room. */
function foldersOf({ files, releases }: Coverage): FolderCoverage[] {
  const counted = files.filter(({ state }) => state !== 'not-kubernetes' && state !== 'described')
  let groups: readonly FolderGroup[] = partsOf({ folder: '', files: counted, releases })
  const whole = new Set<FolderGroup>()
  const least = Math.max(2, groups.reduce((sum, group) => sum + unseenIn(group), 0) * leastShare)
  for (;;) {
    const [next] = groups.filter((group) => !whole.has(group)).sort((a, b) => unseenIn(b) - unseenIn(a))
    if (!next || unseenIn(next) < least) break
    const parts = partsOf(next)
    // If all parts have the same share, they show no more than the whole.
    const differ = new Set(parts.map(shareIn)).size > 1
    if (differ && groups.length - 1 + parts.length <= mostFolders)
      groups = groups.flatMap((group) => (group === next ? parts : [group]))
    else whole.add(next)
  }
  return merged(
    groups.filter((group) => group.releases.length > 0 || group.files.some(({ state }) => state !== 'not-deployed')),
  )
    .map((group) => ({
      folder: group.folder,
      files: fileCounts(group.files),
      releases: releaseCounts(group.releases),
    }))
    .sort((a, b) => Number(a.folder === others) - Number(b.folder === others) || (a.folder < b.folder ? -1 : 1))
}

/** The folders with most in them, and all others as one: a repository may have any number of folders at its root. */
function merged(groups: readonly FolderGroup[]): readonly FolderGroup[] {
  if (groups.length <= mostFolders) return groups
  const sizeOf = ({ files, releases }: FolderGroup) => files.length + releases.length
  const sorted = [...groups].sort((a, b) => unseenIn(b) - unseenIn(a) || sizeOf(b) - sizeOf(a))
  const [shown, rest] = [sorted.slice(0, mostFolders - 1), sorted.slice(mostFolders - 1)]
  const files = rest.flatMap((group) => group.files)
  return [...shown, { folder: others, files, releases: rest.flatMap((group) => group.releases) }]
}

/** The share of a group that is seen, in percent. */
function shareIn({ files, releases }: FolderGroup): number {
  const [[seen, all], [rendered, some]] = [seenFiles(fileCounts(files)), seenReleases(releaseCounts(releases))]
  return all + some === 0 ? 100 : Math.round(((seen + rendered) / (all + some)) * 100)
}

function unseenIn({ files, releases }: FolderGroup): number {
  const [open, hidden] = [
    files.filter(({ state }) => state === 'not-judged'),
    releases.filter(({ sight }) => sight === 'not-seen'),
  ]
  return open.length + hidden.length
}

/** The folders in a folder; a folder with a single subfolder and nothing else is skipped. */
function partsOf({ folder, files, releases }: FolderGroup): FolderGroup[] {
  if (folder.endsWith('*')) return []
  const parts = new Map<string, { files: CoveredFile[]; releases: CoveredRelease[] }>()
  const partFor = (path: string) => {
    const end = path.indexOf('/', folder.length)
    const name = end === -1 ? `${folder || './'}*` : path.slice(0, end + 1)
    const part = parts.get(name) ?? { files: [], releases: [] }
    parts.set(name, part)
    return part
  }
  for (const file of files) partFor(file.path).files.push(file)
  for (const release of releases) partFor(release.path).releases.push(release)
  const found = [...parts].map(([name, part]) => ({ folder: name, ...part }))
  const [only] = found
  return only && found.length === 1 && !only.folder.endsWith('*') ? partsOf(only) : found
}
