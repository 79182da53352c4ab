import { textAt } from '../../gitops/text'
import { chartFactsNamed } from '../../kubernetes/charts/chart-release'
import { knownValuesOf } from '../../kubernetes/charts/known-values'
import type { LoadedObject } from '../../manifest/load'
import { identityOf, Manifest, nameOf, type ObjectRef } from '../../manifest/manifest'
import { heldFolderOf } from '../../revision/held-files'
import { sharedFolders } from '../../shared-folders'
import type { InflatedChart } from '../../sources/inflated-chart'
import { inside, type RemoteEntry } from '../../sources/kustomization'
import { faultInWords, lineFor, networkLine } from '../entries-not-fetched'
import type { AccountedSide } from './accounted-side'
import { holderFiles, valuesFilesOf } from './files-with-values'
import { fetchedBy, installerOf, onlyKnownValues, type UnseenDeployer, unseenOf } from './unseen-deployers'

/** The reason why a file is not judged. */
export interface NotFollowed extends Pick<UnseenDeployer, 'placeAt' | 'about' | 'remedy' | 'known'> {
  readonly cause: string
  readonly reason: string
  readonly assumed?: readonly string[]
}

/**
 * The changed files that belong to a deployment that was not rendered, and the reasons.
 *
 * @param withChartSources whether a source of remote charts counts by itself: it changes the charts of its releases
 */
export function notFollowed(
  base: AccountedSide,
  head: AccountedSide,
  changed: ReadonlySet<string>,
  repository: readonly string[],
  { withChartSources = true }: { readonly withChartSources?: boolean } = {},
): Map<string, NotFollowed> {
  const found = new Map<string, NotFollowed>()
  const add = (path: string, its: NotFollowed) => {
    if (changed.has(path) && !found.has(path)) found.set(path, its)
  }
  const unseenIn = new Map([head, base].map((one) => [one, unseenOf(one, withChartSources)]))
  for (const [one, other] of [[head, base] as const, [base, head] as const]) {
    const unseen = unseenIn.get(one) ?? []
    const there = new Set(
      [...(unseenIn.get(other) ?? []), ...other.side.discovery.notInspected].map(({ manifest }) => stateOf(manifest)),
    )
    const takers = new Map<string, { readonly nearness: number; readonly its: NotFollowed }>()
    for (const { manifest, cause, reason, placeAt, files = [], about, remedy, known } of unseen) {
      const more = {
        ...(placeAt ? { placeAt } : {}),
        ...(about ? { about } : {}),
        ...(remedy ? { remedy } : {}),
        ...(known ? { known } : {}),
        ...assumedFor(manifest.ref, one),
      }
      const its = { cause, reason: `${nameOf(manifest.ref)}: ${reason}`, ...more }
      for (const file of placeAt ? [placeAt.path] : files) add(file, its)
      if (!there.has(stateOf(manifest))) add(manifest.origin.path, its)
      for (const matches of valuesFilesOf(manifest, repository)) {
        for (const path of changed) if (matches(path)) add(path, asValues(its))
      }
      for (const path of holderFiles(manifest, one, other)) {
        const nearness = sharedFolders(path, manifest.origin.path)
        if (nearness > (takers.get(path)?.nearness ?? -1)) takers.set(path, { nearness, its })
      }
    }
    // Releases of several namespaces often take values of one name; a file without a namespace belongs to the nearest.
    for (const [path, { its }] of takers) add(path, asValues(its))
    for (const [path, its] of renderedReleases(one, other, unseen)) add(path, its)
    for (const [path, its] of inflatedCharts(one, other)) add(path, its)
    for (const [path, its] of remoteVersions(one, other)) add(path, its)
  }
  return found
}

function asValues({ reason, ...its }: NotFollowed): NotFollowed {
  return { ...its, reason: reason.startsWith('the chart ') ? `it has values, and ${reason}` : `values of ${reason}` }
}

/** The kinds of objects of a release that are judged by its values. */
export function assumedFor(
  ref: Pick<ObjectRef, 'kind' | 'name'>,
  { assumed }: AccountedSide,
): { readonly assumed?: readonly string[] } {
  const kinds = assumed.get(nameIn(ref))
  return kinds ? { assumed: kinds } : {}
}

/** Equal for objects that deploy the same, in any file. */
function stateOf({ ref, root }: Manifest): string {
  return JSON.stringify([identityOf(ref), root.at('spec').value ?? null])
}

/** Releases that a Kustomization patches or completes: their deployment differs, though their own file does not. */
function* renderedReleases(
  one: AccountedSide,
  other: AccountedSide,
  unseen: readonly UnseenDeployer[],
): Iterable<[string, NotFollowed]> {
  const named = new Map(unseen.map((it) => [nameIn(it.manifest.ref), it]))
  const installed = fetchedBy(one.side.discovery.sources).installers
  const keyOf = ({ ref, content }: LoadedObject) => JSON.stringify([identityOf(ref), content])
  const there = new Set(other.rendered.flatMap(({ objects }) => objects.map(({ object }) => keyOf(object))))
  for (const rendered of one.rendered) {
    for (const { object } of rendered.objects) {
      const its = named.get(nameIn(object.ref))
      if (!its || there.has(keyOf(object))) continue
      const reason = `${nameOf(object.ref)}: ${its.reason}`
      const judged = its.known ? { known: its.known } : {}
      const account = { cause: its.cause, reason, ...judged, ...assumedFor(object.ref, one) }
      for (const [path, takings] of one.takings) {
        if (!takings.some((taking) => taking.rendered === rendered)) continue
        // Another cluster may have a release of this name, which is not fetched.
        if (installed.has(installerOf(object.ref, path))) continue
        if (one.objects.get(path)?.some(({ ref }) => nameIn(ref) === nameIn(object.ref))) yield [path, account]
      }
    }
  }
}

/** The name of an object in any place. */
export function nameIn({ kind, name }: Pick<ObjectRef, 'kind' | 'name'>): string {
  return JSON.stringify([kind, name])
}

/** Remote entries that differ from those of the other side: no source of this repository shows their objects. */
function* remoteVersions(one: AccountedSide, other: AccountedSide): Iterable<[string, NotFollowed]> {
  const entryOf = ({ path, text }: RemoteEntry) => JSON.stringify([path, text])
  const there = new Set(other.rendered.flatMap(({ remote }) => remote.map(entryOf)))
  for (const entry of one.rendered.flatMap(({ remote }) => remote)) {
    if (there.has(entryOf(entry))) continue
    const reason = `it uses ${entry.text}, which is not in this repository${faultInWords(entry.fault)}`
    const line = entry.fault?.cause === 'place-new' ? networkLine(entry) : undefined
    const remedy =
      line &&
      `To have it judged, first merge ${line} into the config of this gate; or copy it into this repository and name the copy.`
    yield [entry.path, { cause: 'remote-version', reason, ...(remedy ? { remedy } : {}) }]
  }
}

/** A place that only the head names. */
function newPlace({ repo, fault, path, region, from, object }: InflatedChart) {
  if (fault?.cause !== 'place-new') return {}
  const written = new Manifest(object, 'head', { kind: 'file', path }, []).root.at('repo')
  return {
    cause: fault.cause,
    placeAt: { path, region: written.exists && heldFolderOf(from) === '' ? written.region : region },
    about: repo,
    remedy: `To have it judged, first merge ${lineFor('charts', repo)} into the config of this gate.`,
  }
}

/**
 * Charts that a Kustomization inflates and that are not vendored: the file that asks for them, and their values files.
 */
function* inflatedCharts(one: AccountedSide, other: AccountedSide): Iterable<[string, NotFollowed]> {
  const entryOf = ({ name, path }: InflatedChart) => JSON.stringify([path, name])
  const there = new Map(
    other.rendered.flatMap(({ charts }) => charts.map((chart) => [entryOf(chart), chart.object.content])),
  )
  for (const chart of one.rendered.flatMap(({ charts }) => charts)) {
    const { name, repo, vendored, path, from, object, fault } = chart
    if (vendored) continue
    const facts = chartFactsNamed(name, repo)
    const known = facts ? { known: knownValuesOf(facts) } : {}
    const inPart = facts ? `, ${onlyKnownValues}` : ''
    const reason = `the chart ${name} of ${repo} is not in this repository${faultInWords(fault)}${inPart}`
    const its = { cause: 'chart-elsewhere', reason, ...known, ...assumedFor(object.ref, one), ...newPlace(chart) }
    if (there.get(entryOf(chart)) !== object.content) yield [path, its]
    const { root } = new Manifest(object, 'head', { kind: 'file', path }, [])
    for (const file of [root.at('valuesFile'), ...root.at('additionalValuesFiles').items()]) {
      const place = inside(from, textAt(file))
      if (place !== undefined) yield [place, asValues(its)]
    }
  }
}
