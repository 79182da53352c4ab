import { minimatch } from 'minimatch'
import { namesOfHolders } from '../deployers/flux-values'
import type { NotInspected, NotInspectedCause } from '../deployers/gitops-sources'
import { type ApplicationSource, readApplication, sourceNamed, valueFilesOf } from '../gitops/application'
import { readFluxSource } from '../gitops/flux-source'
import { readK3sChart } from '../gitops/helm-chart'
import { gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import { isKnownChart } from '../kubernetes/charts/chart-release'
import { chartReleasesOf } from '../kubernetes/charts/releases'
import type { LoadedObject } from '../manifest/load'
import { groupKindOf, identityOf, Manifest, nameOf, type ObjectRef } from '../manifest/manifest'
import { isBoundedGlob } from '../revision/glob'
import { isKustomizationFile } from '../revision/kustomization-file'
import { repositoryName } from '../revision/repository-name'
import type { InflatedChart } from '../sources/inflated-chart'
import { inside, type RemoteEntry } from '../sources/kustomization'
import type { Source } from '../sources/source'
import type { AccountedSide } from './accounted-side'
import { faultInWords, lineFor, networkLine } from './entries-not-fetched'

/** Why a file is not judged. */
export interface NotFollowed extends Pick<NotInspected, 'placeAt' | 'about' | 'remedy'> {
  readonly cause: string
  readonly reason: string
  readonly isAssumed?: true
}

/** Causes that leave something out of a rendering that is judged for the rest. */
const partial: ReadonlySet<NotInspectedCause> = new Set([
  'values-replaced',
  'patched',
  'plugin',
  'jsonnet',
  'file-names',
  'hook',
])

/** Whether a cause leaves something out of a rendering that is judged for the rest. */
export function isPartial(cause: NotInspectedCause): boolean {
  return partial.has(cause)
}

/**
 * The changed files by which a deployer makes something that was not rendered, and why it was not.
 *
 * @param withChartSources a source of charts from elsewhere counts by itself: what its releases get changes with it
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
  const both = [
    { one: head, other: base },
    { one: base, other: head },
  ]
  for (const { one, other } of both) {
    const unseen = unseenOf(one, withChartSources)
    const there = new Set(
      [...unseenOf(other, withChartSources), ...other.side.discovery.notInspected].map(({ manifest }) =>
        stateOf(manifest),
      ),
    )
    for (const { manifest, cause, reason, placeAt, files = [], about, remedy } of unseen) {
      const more = {
        ...(placeAt ? { placeAt } : {}),
        ...(about ? { about } : {}),
        ...(remedy ? { remedy } : {}),
        ...assumedFor(manifest.ref, one),
      }
      const its = { cause, reason: `${nameOf(manifest.ref)}: ${reason}`, ...more }
      for (const file of placeAt ? [placeAt.path] : files) add(file, its)
      if (!there.has(stateOf(manifest))) add(manifest.origin.path, its)
      for (const matches of valuesFilesOf(manifest, repository)) {
        for (const path of changed) if (matches(path)) add(path, asValues(its))
      }
      for (const path of holderFiles(manifest, one, other)) add(path, asValues(its))
    }
    for (const [path, its] of renderedReleases(one, other, unseen)) add(path, its)
    for (const [path, its] of inflatedCharts(one, other)) add(path, its)
    for (const [path, its] of remoteVersions(one, other)) add(path, its)
  }
  return found
}

function asValues({ reason, ...its }: NotFollowed): NotFollowed {
  return { ...its, reason: `values of ${reason}` }
}

/** Whether the Ingress of a release is judged by its values. */
export function assumedFor(
  ref: Pick<ObjectRef, 'kind' | 'name'>,
  { assumed }: AccountedSide,
): { readonly isAssumed?: true } {
  return assumed.has(nameIn(ref)) ? { isAssumed: true } : {}
}

/** The objects of one side that deploy something which is not rendered and not judged by its values either. */
function unseenOf({ side, objects }: AccountedSide, withChartSources: boolean): NotInspected[] {
  const fetched = fetchedBy(side.discovery.sources)
  const isFetched = ({ manifest: { ref, origin }, url = '' }: NotInspected) =>
    isChartSource(ref)
      ? fetched.places.has(url) || fetched.files.has(origin.path)
      : fetched.installers.has(installerOf(ref, origin.path))
  const written = [...objects].flatMap(([path, its]) =>
    its
      .filter(({ ref }) => withChartSources || !isChartSource(ref))
      .flatMap((object) => elsewhereBy(new Manifest(object, 'head', { kind: 'file', path }, []))),
  )
  return [
    ...side.discovery.notInspected.filter(({ cause }) => !partial.has(cause)),
    ...written.filter((one) => !isFetched(one)),
  ].filter((one) => !(judgedByValues.has(one.cause) && isKnown(one)))
}

/** The causes for which a release of a known chart is judged by its values instead. */
const judgedByValues: ReadonlySet<NotInspectedCause> = new Set<NotInspectedCause>([
  'chart-elsewhere',
  'place-unreachable',
  'place-denied',
  'place-refused',
  'content-invalid',
  'content-too-large',
])

/** Where the charts come from that were fetched, and the files that say so. */
function fetchedBy(sources: readonly Source[]) {
  const releases = sources.flatMap((source) => (source.kind === 'helm' && source.fetched ? [source] : []))
  const places = releases.flatMap(({ fetched }) => fetched?.repository ?? [])
  return {
    places: new Set(places),
    files: new Set(releases.flatMap(({ definitionFiles = [] }) => definitionFiles)),
    installers: new Set(
      releases.flatMap(({ fetched, declaredAt }) => (fetched ? installerOf(fetched.by, declaredAt.path) : [])),
    ),
  }
}

function installerOf(ref: ObjectRef, path: string): string {
  return JSON.stringify([identityOf(ref), path])
}

/** A known chart is judged by its values. */
function isKnown({ manifest, url = '' }: NotInspected): boolean {
  return isKnownChart(url, url) || chartReleasesOf(manifest, undefined).length > 0
}

/** Objects that bring something from elsewhere and that discovery does not follow: charts of K3s, sources of Flux. */
function elsewhereBy(manifest: Manifest): NotInspected[] {
  const { ref, root } = manifest
  if (groupKindOf(ref) === gitOpsKind.k3sChart) {
    const { chart, repo } = readK3sChart(root)
    const reason = `the chart ${[textAt(chart), textAt(repo)].filter(Boolean).join(' of ')} is not in this repository`
    return [{ manifest, cause: 'chart-elsewhere', reason }]
  }
  if (!isChartSource(ref)) return []
  const url = textAt(readFluxSource(root).url)
  const reason = `the charts of ${url || ref.name} are not in this repository`
  return [{ manifest, cause: 'chart-elsewhere', reason, ...(url ? { url } : {}) }]
}

function isChartSource({ group, kind }: ObjectRef): boolean {
  return group === 'source.toolkit.fluxcd.io' && bringCharts.includes(kind)
}

const bringCharts = ['OCIRepository', 'HelmRepository', 'HelmChart']

/** Equal for an object that deploys the same, wherever it is written. */
function stateOf({ ref, root }: Manifest): string {
  return JSON.stringify([identityOf(ref), root.at('spec').value ?? null])
}

/** Whether an Application of a chart from elsewhere takes a path of this repository as values. */
function valuesFilesOf({ root, ref }: Manifest, repository: readonly string[]): ((path: string) => boolean)[] {
  const spec = ref.kind === 'ApplicationSet' ? root.at('spec', 'template') : root
  const { sources } = readApplication(spec)
  return sources.flatMap((source) =>
    source.chart.exists ? valueFilesOf(source).flatMap((file) => matcherOf(file, sources, repository)) : [],
  )
}

function matcherOf(
  { ref, path }: ReturnType<typeof valueFilesOf>[number],
  sources: readonly ApplicationSource[],
  repository: readonly string[],
): ((path: string) => boolean)[] {
  const owner = ref === undefined ? undefined : sourceNamed(ref, sources)
  const url = owner && textAt(owner.repoURL)
  const isHere =
    url !== undefined && (repository.length === 0 || /[{$]/.test(url) || repository.includes(repositoryName(url)))
  // What an ApplicationSet fills in may be any part of the path.
  const place = inside('', starsForTemplates(path.replace(/^\/+/, '')))
  if (!isHere || place === undefined) return []
  if (!/[*?[]/.test(place)) return [(one) => one === place]
  return isBoundedGlob(place)
    ? [minimatch.filter(place.replace(/(?<=[^/])\*\*|\*\*(?=[^/])/g, '*'), { dot: true })]
    : []
}

function starsForTemplates(text: string): string {
  const pieces = text.split('}}')
  const rest = pieces.pop() ?? ''
  const filled = pieces.map((piece) => {
    const start = piece.indexOf('{{')
    return start === -1 ? `${piece}}}` : `${piece.slice(0, start)}**`
  })
  return [...filled, rest].join('')
}

/** The changed files with a ConfigMap or Secret that a release takes values of, written or generated. */
function* holderFiles(manifest: Manifest, one: AccountedSide, other: AccountedSide): Iterable<string> {
  const names = namesOfHolders(manifest)
  if (names.length === 0) return
  for (const [path, objects] of one.objects) {
    const there = new Map(other.objects.get(path)?.map((object) => [identityOf(object.ref), object.content]))
    const differs = ({ ref, content }: LoadedObject) => there.get(identityOf(ref)) !== content
    if (objects.some((object) => isHolder(object.ref, names) && differs(object))) yield path
  }
  for (const [path, takings] of one.takings) {
    const takes = takings.some(
      ({ rendered, holdsObjects }) =>
        !holdsObjects && rendered.objects.some(({ object: { ref } }) => isHolder(ref, names)),
    )
    if (takes && !one.objects.get(path)?.length && !isKustomizationFile(path)) yield path
  }
}

/** Kustomize appends a hash to the names of what it generates. */
function isHolder({ kind, name }: ObjectRef, names: readonly string[]): boolean {
  return (
    ['ConfigMap', 'Secret'].includes(kind) &&
    (names.includes(name) || names.includes(name.replace(/-[a-z0-9]{10}$/, '')))
  )
}

/** Releases that a Kustomization patches or completes: what they deploy differs, though their own file does not. */
function* renderedReleases(
  one: AccountedSide,
  other: AccountedSide,
  unseen: readonly NotInspected[],
): Iterable<[string, NotFollowed]> {
  const named = new Map(unseen.map((it) => [nameIn(it.manifest.ref), it]))
  const keyOf = ({ ref, content }: LoadedObject) => JSON.stringify([identityOf(ref), content])
  const there = new Set(other.rendered.flatMap(({ objects }) => objects.map(({ object }) => keyOf(object))))
  for (const rendered of one.rendered) {
    for (const { object } of rendered.objects) {
      const its = named.get(nameIn(object.ref))
      if (!its || there.has(keyOf(object))) continue
      const reason = `${nameOf(object.ref)}: ${its.reason}`
      const account = { cause: its.cause, reason, ...assumedFor(object.ref, one) }
      for (const [path, takings] of one.takings) {
        if (!takings.some((taking) => taking.rendered === rendered)) continue
        if (one.objects.get(path)?.some(({ ref }) => nameIn(ref) === nameIn(object.ref))) yield [path, account]
      }
    }
  }
}

/** The name of an object wherever it is deployed. */
export function nameIn({ kind, name }: Pick<ObjectRef, 'kind' | 'name'>): string {
  return JSON.stringify([kind, name])
}

/** Remote entries that are others than on the other side: no source of this repository shows what they bring. */
function* remoteVersions(one: AccountedSide, other: AccountedSide): Iterable<[string, NotFollowed]> {
  const entryOf = ({ path, text }: RemoteEntry) => JSON.stringify([path, text])
  const there = new Set(other.rendered.flatMap(({ remote }) => remote.map(entryOf)))
  for (const entry of one.rendered.flatMap(({ remote }) => remote)) {
    if (there.has(entryOf(entry))) continue
    const reason = `it uses ${entry.text}, which is not in this repository${faultInWords(entry.fault)}`
    const line = entry.fault?.cause === 'place-new' ? networkLine(entry.text) : undefined
    const remedy =
      line && `To have it judged, first merge ${line} into the config of this gate; or vendor it and name the copy.`
    yield [entry.path, { cause: 'remote-version', reason, ...(remedy ? { remedy } : {}) }]
  }
}

/** A place that only the head names. */
function newPlace({ repo, fault, path, region, object }: InflatedChart) {
  if (fault?.cause !== 'place-new') return {}
  const written = new Manifest(object, 'head', { kind: 'file', path }, []).root.at('repo')
  return {
    cause: fault.cause,
    placeAt: { path, region: written.exists ? written.region : region },
    about: repo,
    remedy: `To have it judged, first merge ${lineFor('charts', repo)} into the config of this gate.`,
  }
}

/** Charts that a Kustomization inflates and that are not vendored: the file that asks for them, and their values files. */
function* inflatedCharts(one: AccountedSide, other: AccountedSide): Iterable<[string, NotFollowed]> {
  const entryOf = ({ name, path }: InflatedChart) => JSON.stringify([path, name])
  const there = new Map(
    other.rendered.flatMap(({ charts }) => charts.map((chart) => [entryOf(chart), chart.object.content])),
  )
  for (const chart of one.rendered.flatMap(({ charts }) => charts)) {
    const { name, repo, vendored, path, from, object, fault } = chart
    if (vendored || isKnownChart(name, repo)) continue
    const reason = `the chart ${name} of ${repo} is not in this repository${faultInWords(fault)}`
    const its = { cause: 'chart-elsewhere', reason, ...assumedFor(object.ref, one), ...newPlace(chart) }
    if (there.get(entryOf(chart)) !== object.content) yield [path, its]
    const { root } = new Manifest(object, 'head', { kind: 'file', path }, [])
    for (const file of [root.at('valuesFile'), ...root.at('additionalValuesFiles').items()]) {
      const place = inside(from, textAt(file))
      if (place !== undefined) yield [place, asValues(its)]
    }
  }
}
