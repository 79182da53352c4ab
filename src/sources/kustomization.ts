import path from 'node:path/posix'
import type { FetchFault } from '../fetch/connection/fetching'
import { mentions } from '../manifest/mentions'
import type { Checkout } from '../revision/checkout'
import { kustomizationNames } from '../revision/kustomization-file'
import { faultOfPlace, isData } from './kustomization-paths'
import { kustomizationShape } from './kustomize-fields'
import {
  type Fault,
  isInline,
  type KustomizeReading,
  type LeftOut,
  type Mention,
  type NamedPlace,
  readKustomizeText,
  type WrittenChart,
} from './kustomize-reader'
import { inside, isRemote, isUrl, linksOn, realPlace } from './places'

export type { Mention } from './kustomize-reader'
export { inside, isRemote, placeInArtifact } from './places'

/** A folder that kustomize builds. */
export interface Kustomization {
  readonly folder: string
  /** The file of the Kustomization; for one that Flux generates, the object of Flux. */
  readonly file: string
  /** It has no file: Flux generates it from the contents of the folder. */
  readonly made?: true
  /** Included by others, never deployed alone. */
  readonly component: boolean
  /** `resources`, `bases` and `components`, as written. */
  readonly includes: readonly Mention[]
  /** The files of its patches, from the repository's root. */
  readonly patches: readonly string[]
  /** Paths of the repository that any string in it, or in a file of its plugins, leads to: files and folders. */
  readonly leadsTo: readonly string[]
  /** Those of them that only its plugins name. */
  readonly ofPlugins: readonly string[]
  /** Charts it inflates, with the folder each has to be vendored in. */
  readonly charts: readonly (WrittenChart & { readonly folder: string; readonly unpackedIn: string })[]
  readonly namespace: string
  /**
   * The reasons why kustomize must not get it: it names places outside this repository, or has a form that is not read.
   */
  readonly faults: readonly Fault[]
  /** The URLs that its ConfigMaps and Secrets would fetch. */
  readonly data: readonly Mention[]
  /** The files that it names by URLs: patches, configurations, and the same data. */
  readonly files: readonly Mention[]
  /** The files and folders that it takes plugins from. */
  readonly pluginPlaces: readonly Mention[]
  /** Whether it has plugins, which read files of their own. */
  readonly plugins: boolean
  /** Whether a plugin is written in it. */
  readonly inlinePlugins: boolean
  /** The words of its fields, by their keys in Go's folded form; a field with no word has an empty one. */
  readonly words: ReadonlyMap<string, string>
  /** Whether it only includes others, without changes. */
  readonly onlyTakesIn: boolean
  /** Whether it changes no path in what it includes. */
  readonly keepsPaths: boolean
}

/** The Kustomization of a folder, where a glob of `ignore` takes it. */
export function ignorableKustomization(folder: string, checkout: Checkout): string | undefined {
  const files = kustomizationNames.map((name) => path.join(folder, name))
  return files.find((file) => checkout.has(file) && checkout.tree.isIgnorable(file))
}

/**
 * Flux has a kind with the same name, and some repositories keep it in files of that name; kustomize does not build it.
 */
export function isForeign(text: string): boolean {
  if (!mentions(text, 'kustomize.toolkit.fluxcd.io/')) return false
  const apiVersion = readingOf(text).words.get('apiversion') ?? ''
  return apiVersion !== '' && !apiVersion.startsWith('kustomize.config.k8s.io/')
}

/** Texts that were read: both sides of a change share nearly all of theirs, and so do all trials of it. */
const known = new Map<string, KustomizeReading>()

function readingOf(text: string): KustomizeReading {
  const reading = known.get(text) ?? readKustomizeText(text, kustomizationShape)
  known.set(text, reading)
  return reading
}

const takingIn: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'resources', 'bases'])

/** The fields that change names and namespaces, which no plugin reads files by. */
const naming: ReadonlySet<string> = new Set(['namespace', 'namePrefix', 'nameSuffix'])

/** A Kustomization of a text. */
export function readKustomization(folder: string, file: string, text: string, checkout: Checkout): Kustomization {
  const reading = readingOf(text)
  const { tree } = checkout
  const own = placesNamed(reading.strings, folder, checkout)
  const ofPlugins = placesNamed(reading.inlineStrings, folder, checkout).filter((place) => !own.includes(place))
  const isHere = (place: string | undefined) => place !== undefined && tree.at(realPlace(tree, place)).length > 0
  const chartHome = reading.places.find(({ leaf, field }) => leaf === 'folder' && field === 'helmGlobals')?.text
  const includes = reading.places.filter(isInclude)
  const files = reading.places.filter(isFileElsewhere)
  const instead = (one: NamedPlace) => checkout.inPlaceOf.get(isInclude(one) ? one.text : fileKey(file, one.text))
  const fetched = [...includes, ...files].flatMap((one) => instead(one) ?? [])
  const plugins = reading.places.filter(({ leaf }) => leaf === 'plugin')
  return {
    folder,
    file,
    component: reading.words.get('kind') === 'Component',
    namespace: reading.words.get('namespace') ?? '',
    words: reading.words,
    includes,
    patches: reading.places.filter(isPatch).flatMap(({ text: written }) => inside(folder, written) ?? []),
    leadsTo: [...new Set([...own, ...ofPlugins, ...fetched])].filter((place) => tree.at(place).length > 0).sort(),
    ofPlugins: ofPlugins.filter((place) => checkout.has(place)),
    charts: reading.charts.map((chart) => ({
      ...chart,
      unpackedIn: unpackedIn(chart),
      folder: path.join(folder, chartHome ?? 'charts', unpackedIn(chart)),
    })),
    plugins: plugins.length > 0,
    inlinePlugins: plugins.some(({ text: written }) => isInline(written)),
    pluginPlaces: plugins.filter(({ text: written }) => !isInline(written)),
    onlyTakesIn: reading.keys.every((key) => takingIn.has(key)),
    keepsPaths: reading.keys.every((key) => takingIn.has(key) || naming.has(key)),
    data: files.filter((one) => isLeftOutData(one) && instead(one) === undefined),
    files,
    faults: [
      ...reading.faults,
      ...reading.places.flatMap((place) => {
        const isHad = isLeftOutData(place) || (isFileElsewhere(place) && instead(place) !== undefined)
        const reason = isHad ? undefined : faultOfPlace(place, folder, isHere)
        return reason === undefined
          ? []
          : [{ cause: 'place-refused' as const, about: place.text, reason, region: place.region }]
      }),
    ],
  }
}

/** The paths of the repository that strings may lead to from a folder, with those behind symbolic links. */
export function placesNamed(strings: Iterable<string>, folder: string, { tree }: Checkout): string[] {
  // `files: [app.conf=config/app.conf]` names a file behind its key.
  const all = new Set([...strings].flatMap((string) => [string, string.slice(string.indexOf('=') + 1)]))
  return [...all].flatMap((string) => {
    const place = inside(folder, string)
    return place === undefined ? [] : [...linksOn(tree, place), place, realPlace(tree, place)]
  })
}

function isInclude({ leaf }: NamedPlace): boolean {
  return leaf === 'resource' || leaf === 'component'
}

const patchFields = ['patches', 'patchesStrategicMerge', 'patchesJson6902']

function isPatch({ text, field, leaf }: KustomizeReading['places'][number]): boolean {
  return patchFields.includes(field) && (leaf === 'patch' || leaf === 'file') && !isInline(text)
}

/** A file of a ConfigMap or Secret that would be fetched; output of plugins is not left out. */
function isLeftOutData({ text, leaf, field, isItem }: KustomizeReading['places'][number]): boolean {
  return isItem && (leaf === 'data' || leaf === 'env') && field.endsWith('Generator') && isData(text)
}

const leavesOfFiles: ReadonlySet<string> = new Set(['file', 'patch', 'data', 'env', 'values'])

/** A file that kustomize would fetch by its URL. */
function isFileElsewhere({ text, leaf }: NamedPlace): boolean {
  return leavesOfFiles.has(leaf) && !isInline(text) && isUrl(urlOfFile(text))
}

/** The URL of a file: `app.conf=https://example.com/app.conf` has it behind a key. */
export function urlOfFile(text: string): string {
  return isData(text) && !isUrl(text) ? text.slice(text.indexOf('=') + 1) : text
}

/** Identifies a file that a Kustomization names by its URL: kustomize reads files of its own folder only. */
export function fileKey(file: string, text: string): string {
  return `${file}\n${text}`
}

/** The folder in which kustomize looks for a chart: pulled charts are in a folder for each version. */
function unpackedIn({ name, version, repo }: WrittenChart): string {
  return path.join(version && repo ? `${name}-${version}` : '', name)
}

/** The Kustomizations that one includes, itself first. */
export function closureOf(start: string, all: Pick<ReadonlyMap<string, Kustomization>, 'get'>): Kustomization[] {
  const found = new Map<string, Kustomization>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const kustomization = all.get(folder)
    if (!kustomization || found.has(folder)) continue
    found.set(folder, kustomization)
    open.push(...kustomization.leadsTo.toReversed())
  }
  return [...found.values()]
}

/**
 * The folders that no other Kustomization includes, components aside. A folder that only an unused component includes
 * is not included.
 */
export function rootsOf(all: ReadonlyMap<string, Kustomization>): Set<string> {
  const alive = new Map(all)
  for (;;) {
    const included = new Set(
      [...alive.values()].flatMap(({ folder, includes, pluginPlaces }) =>
        [...includes, ...pluginPlaces]
          .flatMap(({ text }) => inside(folder, text) ?? [])
          .filter((place) => place !== folder),
      ),
    )
    const idle = [...alive.values()].filter(({ folder, component }) => component && !included.has(folder))
    if (idle.length === 0) return new Set([...alive.keys()].filter((folder) => !included.has(folder)))
    for (const { folder } of idle) alive.delete(folder)
  }
}

/** An entry that names something outside the repository. */
export interface RemoteEntry extends Mention {
  /** The Kustomization's file. */
  readonly path: string
  /** Whether it is that of a file which is no resource. */
  readonly isFile?: true
  /** The reason why a requested entry was not fetched. */
  readonly fault?: FetchFault
}

/** The entries of a Kustomization that lead out of the repository, but those with a local copy. */
export function remoteEntries({ file, folder, includes }: Kustomization, checkout: Checkout): RemoteEntry[] {
  return includes
    .filter(({ text }) => {
      const place = inside(folder, text)
      if (!isRemote(text) || checkout.inPlaceOf.has(text)) return false
      return place === undefined || checkout.tree.at(place).length === 0
    })
    .map((mention) => ({ ...mention, path: file }))
}

/** The files of a Kustomization that are not in the repository. */
export function remoteFiles({ file, files }: Kustomization, { inPlaceOf }: Checkout): RemoteEntry[] {
  return files
    .filter(({ text }) => !inPlaceOf.has(fileKey(file, text)))
    .map(({ text, region }) => ({ text, region, path: file, isFile: true }))
}

/** The charts that `helmCharts:` of a Kustomization asks for and that are not in the repository. */
export function absentCharts({ charts }: Pick<Kustomization, 'charts'>, checkout: Checkout): Kustomization['charts'] {
  return charts.filter(({ folder }) => !checkout.has(path.join(folder, 'Chart.yaml')))
}

/** The replacement that kustomize gets for a remote entry; undefined if it gets the entry, or nothing. */
export function givenFor(entry: string, folder: string, { inPlaceOf }: Checkout): string | undefined {
  const place = inPlaceOf.get(entry)
  return place === undefined ? undefined : path.relative(folder, place)
}

interface Replacements {
  readonly isGone: (entry: string) => boolean
  /** The replacement of an entry, or of a file by the key of that. */
  readonly instead: (entry: string) => string | undefined
  /** The folders, below the home of charts, of the charts that are left out. */
  readonly charts: ReadonlySet<string>
}

/**
 * The text of a Kustomization for kustomize: only inspected content, without entries that are not in the repository, or
 * with fetched files in place of them.
 */
export function asGiven(file: string, text: string, { isGone, instead, charts }: Replacements): string {
  const fileInstead = (place: NamedPlace) => {
    const given = isFileElsewhere(place) ? instead(fileKey(file, place.text)) : undefined
    return given && place.text.slice(0, -urlOfFile(place.text).length) + given
  }
  const leftOut: LeftOut = {
    instead: (place) => (isInclude(place) ? instead(place.text) : fileInstead(place)),
    place: (place) =>
      (isLeftOutData(place) && fileInstead(place) === undefined) ||
      (['resource', 'component', 'plugin'].includes(place.leaf) && isGone(place.text)),
    chart: (chart) => charts.has(unpackedIn(chart)),
  }
  return readKustomizeText(text, kustomizationShape, leftOut).written
}
