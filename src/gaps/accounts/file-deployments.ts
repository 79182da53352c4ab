import { type FileDeployments, type ReleaseElsewhere, releaseKey } from '../../deployers/common/file-deployments'
import { isDefaultHelmfile, isHelmfile } from '../../deployers/fleet-helmfile/helmfile'
import { movedHelmfiles } from '../../deployers/fleet-helmfile/moved-helmfiles'
import { unfetched } from '../../deployers/fleet-helmfile/releases-elsewhere'
import type { Skipped } from '../../finding/report'
import { isKnownChart } from '../../kubernetes/charts/chart-release'
import { helmfileRemedy } from '../../ledger/causes'
import { looksLikeValues, notKubernetesByName } from '../../ledger/named-files'
import type { SideOfChange } from '../../sides/side'
import type { AccountedSide } from './accounted-side'
import { assumedFor } from './not-followed'
import type { Recognised, Recogniser } from './recognised-files'

/** The number of names, or of entries for one file, that are listed. */
const most = 5

/**
 * Deployments of Fleet and helmfile that this change touches and the gate does not judge; for a deleted file, those of
 * the base.
 */
export function notJudgedOfFiles(
  base: SideOfChange | undefined,
  head: SideOfChange,
  changed: ReadonlySet<string> | undefined,
): Skipped[] {
  const found = new SkippedEntries()
  const isHere = (file: string) => head.checkout.tree.entries.has(file)
  for (const side of [head, ...(base ? [base] : [])]) {
    const counts = (file: string) => (!changed || changed.has(file)) && (side === head || !isHere(file))
    const other = side === head ? base : head
    for (const [path, reason, cause] of reasonsOf(unjudgedIn(side, other), otherReleases(side, other)))
      if (counts(path)) found.add(path, reason, cause)
    for (const [link, folder] of side.checkout.tree.resolved) {
      if (changed?.has(link) && counts(link) && isBundle(folder, side))
        found.add(link, `a link to the Fleet bundle ${folder}: which clusters get it is not judged`)
    }
  }
  return found.listed()
}

/** Files of Fleet and helmfile that declare releases which are not rendered, and the values of these. */
export const filesOfReleases: Recogniser = async (side, files, other) => {
  const wanted = new Set(files)
  const reasons = new Map<string, Recognised>()
  const own = unjudgedIn(side, other)
  // The values of a known chart are judged.
  const unknown = own.releases.filter(({ chart, repository }) => !isKnownChart(chart, repository))
  const known = new Set(other.discovery.fileDeployments.unread.filter(({ failing }) => failing).map(keyOf))
  const unread = own.unread.filter((one) => !(one.failing && known.has(keyOf(one))))
  const unjudged = { ...own, unread, releases: unknown }
  const { resolved } = side.checkout.tree
  for (const [path, reason, cause = notRendered] of reasonsOf(unjudged, otherReleases(side, other)))
    for (const place of [path, resolved.get(path)])
      if (place !== undefined && wanted.has(place) && !reasons.has(place))
        reasons.set(place, { cause, reason, ...remedyOf(place, cause) })
  return reasons
}

/** The remedy for a helmfile, and for a template of its values. */
function remedyOf(file: string, cause: string): { readonly remedy?: string } {
  if (cause !== notRendered) return {}
  if (isHelmfile(file)) return { remedy: helmfileRemedy.state }
  return file.endsWith('.gotmpl') ? { remedy: helmfileRemedy.values } : {}
}

function keyOf({ path, reason }: Pick<FileDeployments['unread'][number], 'path' | 'reason'>): string {
  return JSON.stringify([path, reason])
}

/** Accounts for the values of releases with an assumed Ingress or route, which is judged. */
export function withAssumed(
  recognised: ReadonlyMap<string, Recognised>,
  sides: readonly AccountedSide[],
): Map<string, Recognised> {
  const found = new Map(
    sides.flatMap((one) =>
      one.side.discovery.fileDeployments.releases.flatMap(({ object, files }) => {
        const its = assumedFor(object.ref, one)
        return its.assumed ? files.map((file) => [file, its] as const) : []
      }),
    ),
  )
  return new Map([...recognised].map(([file, its]) => [file, { ...its, ...found.get(file) }]))
}

/**
 * Values in the folder of a helmfile, or below it, that no release in plain YAML takes: a template may name them in a
 * way that only helmfile knows.
 */
export const valuesBesideHelmfiles: Recogniser = async ({ discovery, checkout }, files) => {
  const { fileDeployments, ownership } = discovery
  const unfilled = new Map<string, string>()
  for (const { path: helmfile, unreadable } of fileDeployments.unread)
    if (!unreadable && isHelmfile(helmfile)) unfilled.set(folderOf(helmfile), helmfile)
  const found = new Map<string, Recognised>()
  for (const file of unfilled.size > 0 ? files : []) {
    const own = folderOf(file)
    if (ownership.has(file) || checkout.tree.ignores(file) || fileDeployments.files.has(file)) continue
    if (!looksLikeValues(file) && !(unfilled.has(own) && /\.ya?ml(?:\.gotmpl)?$/.test(file))) continue
    const helmfile = foldersUpFrom(own).flatMap((folder) => unfilled.get(folder) ?? [])[0]
    if (helmfile === undefined || notKubernetesByName(file)) continue
    const reason = `it is next to ${helmfile}, which has parts that only helmfile fills in and may use it as values`
    found.set(file, { cause: notRendered, reason, ...remedyOf(file, notRendered) })
  }
  return found
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf('/')))
}

/** A folder and those above it, the nearest first. */
function foldersUpFrom(folder: string): string[] {
  const parts = folder === '' ? [] : folder.split('/')
  return [...parts.keys(), parts.length].map((end) => parts.slice(0, end).join('/')).reverse()
}

class SkippedEntries {
  private readonly entries = new Map<string, Map<string, Skipped>>()

  add(path: string, reason: string, cause = notRendered): void {
    const its = this.entries.get(path) ?? new Map<string, Skipped>()
    this.entries.set(path, its.set(reason, { path, reason, cause }))
  }

  listed(): Skipped[] {
    return [...this.entries].flatMap(([path, its]) => {
      const rest = { path, reason: `and ${its.size - most} more reasons like these`, cause: notRendered }
      return [...[...its.values()].slice(0, most), ...(its.size > most ? [rest] : [])]
    })
  }
}

/** Ids of `src/ledger/causes.ts`. */
const notRendered = 'release-not-rendered'
const chartElsewhere = 'chart-elsewhere'

/** Those of one side; where a file has releases that were fetched, without those of it that the change does not touch. */
function unjudgedIn({ discovery }: SideOfChange, other: SideOfChange | undefined): Unjudged {
  const { fileDeployments, sources } = discovery
  const onBoth = [...sources, ...(other?.discovery.sources ?? [])]
  const fetchedIn = new Set(onBoth.flatMap(({ fetched, declaredAt }) => (fetched ? declaredAt.path : [])))
  const inputsOf = (its: SideOfChange['discovery'], id: string) => JSON.stringify(its.elsewhere.get(id)?.().inputs)
  const isSame = ({ id, path }: ReleaseElsewhere) =>
    other !== undefined && fetchedIn.has(path) && inputsOf(discovery, id) === inputsOf(other.discovery, id)
  return { ...fileDeployments, releases: unfetched(fileDeployments, sources).filter((one) => !isSame(one)) }
}

type Unjudged = Pick<FileDeployments, 'unread' | 'taken' | 'patches' | 'releases' | 'templates' | 'written'>

/**
 * The releases of the other side as they are written, by file and name. A helmfile that the change renames in its folder is
 * the same one, as paths in it start there; not one that gets or loses the name that helmfile reads by default. Source: helmfile,
 * pkg/app/app.go, `findDesiredStateFiles`
 */
function otherReleases({ discovery }: SideOfChange, other: SideOfChange | undefined) {
  const [own, its] = [discovery.fileDeployments, other?.discovery.fileDeployments]
  const renamed = new Map(
    its
      ? [...movedHelmfiles(own, its)].filter(
          ([from, to]) => folderOf(from) === folderOf(to) && isDefaultHelmfile(from) === isDefaultHelmfile(to),
        )
      : [],
  )
  return (path: string, release: string) => its?.written.get(releaseKey(renamed.get(path) ?? path, release))
}

/**
 * The files that are not judged, with the reasons; for a file with several releases, the ones that this change touches.
 */
function* reasonsOf(
  { unread, taken, patches, releases, templates, written }: Unjudged,
  otherWritten: (path: string, release: string) => string | undefined,
): Iterable<readonly [path: string, reason: string, cause?: string]> {
  const isSame = (path: string, release: string) => {
    const own = written.get(releaseKey(path, release))
    return own !== undefined && otherWritten(path, release) === own
  }
  for (const { path, reason, release, unreadable } of unread)
    if (!unreadable && (release === undefined || !isSame(path, release))) yield [path, reason]
  for (const { path, reason } of taken) yield [path, reason]
  yield* patches
  yield* declaring(releases.filter(({ path, name }) => !templates.has(path) && !isSame(path, name)))
  for (const release of releases) {
    // The values of a known chart are judged.
    if (isKnownChart(release.chart, release.repository)) continue
    for (const file of release.files)
      yield [file, `values of ${titleOf(release)}, which is not in this repository`, chartElsewhere]
  }
}

/** One entry for each file that declares releases of charts from elsewhere. */
function declaring(releases: readonly ReleaseElsewhere[]): [path: string, reason: string, cause: string][] {
  const byFile = new Map<string, Set<string>>()
  for (const release of releases) {
    const { path, repository, chart } = release
    const title = `${titleOf(release)}${isKnownChart(chart, repository) ? ' (its values are judged)' : ''}`
    const its = byFile.get(path)
    if (its) its.add(title)
    else byFile.set(path, new Set([title]))
  }
  return [...byFile].map(([path, titles]) => {
    const shown = [...titles].slice(0, most).join(', ')
    const more = titles.size > most ? ` and ${titles.size - most} more` : ''
    return [path, `not in this repository: ${shown}${more}`, chartElsewhere]
  })
}

function titleOf({ name, chart, repository }: ReleaseElsewhere): string {
  const from = repository === '' || repository === chart ? '' : ` from ${repository}`
  return `the chart ${chart}${from} of the release ${name}`
}

function isBundle(folder: string, { discovery }: SideOfChange): boolean {
  const prefix = folder === '' ? '' : `${folder}/`
  return ['fleet.yaml', 'fleet.yml'].some((name) => discovery.fileDeployments.files.has(`${prefix}${name}`))
}
