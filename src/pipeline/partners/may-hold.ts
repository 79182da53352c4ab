import { inflatedChart } from '../../kubernetes/charts/chart-release'
import { withoutHash } from '../../kubernetes/object/generated-name'
import { splitDocuments } from '../../manifest/documents'
import { Manifest } from '../../manifest/manifest'
import { mayPutWordsTogether } from '../../manifest/set-templates'
import { skimKind } from '../../manifest/skim'
import type { SideOfChange } from '../../sides/side'
import { generatorsIn, inflatedCharts } from '../../sources/inflated-chart'
import { closureOf, inside, type Kustomization } from '../../sources/kustomization'
import type { KustomizeSource, Source } from '../../sources/source'
import { substituted } from '../../sources/substitution'
import type { Wanted } from './wanted-partners'
import type { WordSearch } from './word-search'

/** Whether a source may render to an object of one of the kinds with one of the strings in it. */
export type MayHold = (wanted: Wanted) => boolean

/** Tells from the files of a source what it may render to; what they do not show, it may. */
export async function mayHoldOf(source: Source, side: SideOfChange, search: WordSearch): Promise<MayHold> {
  const taken = source.kind === 'kustomize' ? takenBy(source, side.discovery.kustomizations) : []
  if (source.kind === 'kustomize' && taken.length > 0) {
    const left = await leftOut(source, side)
    if (left.isAll && taken.every((one) => showsItsObjects(one, left)))
      return mayHoldByObjects(source, taken, left, side, search)
  }
  const files = await side.files(source)
  // The content of a packaged chart is known only after rendering.
  if (files.some((file) => file.endsWith('.tgz'))) return ({ strings }) => strings.length > 0
  const written = [...(await side.checkout.texts(files)).values()]
  const texts = source.kind === 'kustomize' ? written.map((text) => substituted(text, source.substitutions)) : written
  return (wanted) => mayHoldByWords(source, texts, wanted, search)
}

function takenBy({ root, components = [] }: KustomizeSource, all: ReadonlyMap<string, Kustomization>): Kustomization[] {
  return [root, ...components].flatMap((start) => closureOf(start, all))
}

/** Whether each object of a Kustomization is of the kind of a document in its files, or of a generator. */
function showsItsObjects(
  { faults, words, inlinePlugins, pluginPlaces, folder }: Kustomization,
  left: LeftOut,
): boolean {
  const isRead = faults.length === 0 && !inlinePlugins
  const generatesNone = pluginPlaces.every(({ text }) => left.generators.has(inside(folder, text) ?? ''))
  return isRead && generatesNone && !words.has('replacements') && !words.has('helmchartinflationgenerator')
}

/** The charts that are not in the repository. Renderings are without them: each is a release that its values describe. */
interface LeftOut {
  /** Whether these are all charts. */
  readonly isAll: boolean
  /** Their entries, and the files of their values. */
  readonly files: readonly string[]
  /** Those of them in which there is nothing else. */
  readonly generators: ReadonlySet<string>
}

async function leftOut(source: KustomizeSource, { checkout, discovery }: SideOfChange): Promise<LeftOut> {
  const charts = await inflatedCharts(source, discovery.kustomizations, checkout)
  const absent = charts.filter(({ vendored }) => !vendored)
  const values = absent.flatMap(({ object, from }) => {
    const entry = new Manifest(object, 'head', { kind: 'file', path: '' }, []).root
    const named = [entry.at('valuesFile'), ...entry.at('additionalValuesFiles').items()]
    return named.flatMap(({ string = '' }) => inside(from, string) ?? [])
  })
  const texts = await checkout.texts([...new Set(absent.map(({ path }) => path))])
  const isOfCharts = ([file, text]: readonly [string, string]) => {
    const found = generatorsIn(text).length
    return found === splitDocuments(text).length && found === absent.filter(({ path }) => path === file).length
  }
  return {
    isAll: absent.length === charts.length,
    files: [...texts.keys(), ...values],
    generators: new Set([...texts].filter(isOfCharts).map(([file]) => file)),
  }
}

/** The kind of a release that a Kustomization writes. */
const releaseKind = inflatedChart.split('.')[0]

/** The kinds of the objects that the fields of a Kustomization generate. */
const generated = new Map([
  ['configmapgenerator', 'ConfigMap'],
  ['secretgenerator', 'Secret'],
])

/**
 * The kind of an object is that of its document; its strings are in that document, or in patches and fields laid over
 * it.
 */
async function mayHoldByObjects(
  source: KustomizeSource,
  taken: readonly Kustomization[],
  left: LeftOut,
  { checkout }: SideOfChange,
  search: WordSearch,
): Promise<MayHold> {
  const of = async (files: readonly string[]) => {
    const texts = await checkout.texts([...new Set(files)].filter((file) => checkout.has(file)))
    return [...texts.values()].map((text) => substituted(text, source.substitutions))
  }
  const named = await of(taken.flatMap(({ leadsTo }) => leadsTo))
  const releases = await of(left.files)
  const objects = [
    ...named.flatMap((text) => splitDocuments(text)).map(({ text }) => ({ text, kind: skimKind(text) })),
    // Its values may be assumed to make objects of other kinds.
    ...releases.flatMap((text) => [
      { text, kind: releaseKind },
      { text, kind: undefined },
    ]),
  ]
  const kindsMade = taken.flatMap(({ words }) => [...generated].flatMap(([key, kind]) => (words.has(key) ? kind : [])))
  const laidOver = [
    JSON.stringify(source.overlay ?? {}),
    ...(await of(taken.flatMap(({ file, made, patches }) => (made ? patches : [file, ...patches])))),
    // Any file may be data of a generated object.
    ...(kindsMade.length > 0 ? named : []),
  ]
  const has = (...keys: readonly string[]) => taken.some(({ words }) => keys.some((key) => words.has(key)))
  const isOpen = has('vars') || named.some(mayPutWordsTogether)
  const putsTagsOn = has('images', 'imagetags') || source.overlay?.images !== undefined
  const isPartOfName = partOfName(source, taken)
  const mayChangeKinds = laidOver.some((text) => text.includes('allowKindChange'))
  const isMade = (string: string) => isOpen || isPartOfName(string) || (putsTagsOn && /[:@]/.test(string))
  return ({ kinds, strings }) => {
    if (strings.length === 0) return false
    const isOfKind = ({ kind, text }: (typeof objects)[number]) =>
      kind === undefined ? search.mentionsOneOf(text, kinds) : kinds.includes(kind)
    const any = kinds.length === 0 || mayChangeKinds
    const candidates = any ? objects : objects.filter(isOfKind)
    if (candidates.length === 0 && !(any ? kindsMade.length > 0 : kindsMade.some((kind) => kinds.includes(kind))))
      return false
    // The name of a generated object without its hash is written somewhere.
    const stems = kindsMade.length > 0 ? strings.map(withoutHash) : []
    const all = [...new Set([...strings, ...stems])]
    if (all.some(isMade)) return true
    return [...candidates.map(({ text }) => text), ...laidOver].some((text) => search.mentionsOneOf(text, all))
  }
}

/** Whether a string may be a name with its prefix and suffix, or a part of that. */
function partOfName({ overlay }: KustomizeSource, taken: readonly Kustomization[]): (string: string) => boolean {
  const of = (key: string, laid: unknown) =>
    [...taken.map(({ words }) => words.get(key) ?? ''), typeof laid === 'string' ? laid : ''].filter(
      (one) => one !== '',
    )
  const before = of('nameprefix', overlay?.namePrefix)
  const after = of('namesuffix', overlay?.nameSuffix)
  return (string) =>
    before.some((one) => string.includes(one) || endsOf(one).some((end) => string.startsWith(end))) ||
    after.some((one) => string.includes(one) || startsOf(one).some((start) => string.endsWith(start)))
}

function startsOf(text: string): string[] {
  return Array.from(text, (_, index) => text.slice(0, index + 1))
}

function endsOf(text: string): string[] {
  return Array.from(text, (_, index) => text.slice(index))
}

/** Tells from words alone, wherever they are in the files. */
function mayHoldByWords(
  source: Source,
  texts: readonly string[],
  { kinds, strings }: Wanted,
  search: WordSearch,
): boolean {
  if (strings.length === 0) return false
  if (texts.length === 0) return true
  if (kinds.includes('HelmChart') && texts.some((text) => inflatesCharts(text, search))) return true
  if (kinds.length > 0 && !texts.some((text) => search.mentionsOneOf(text, kinds) || fillsInKind(text))) return false
  return putsWordsTogether(source, texts, search) || texts.some((text) => search.mentionsOneOf(text, strings))
}

/** Whether a kind in a template, or a part of one, is filled in. */
function fillsInKind(text: string): boolean {
  return /\bkind["']?[ \t]*:[^\n{:]*\{\{/.test(text)
}

/** Whether a Kustomization inflates charts: remote charts install objects that are in no file. */
function inflatesCharts(text: string, search: WordSearch): boolean {
  return search.mentionsOneOf(text, ['helmCharts', 'HelmChartInflationGenerator'])
}

const keysThatMakeWords = ['namePrefix', 'nameSuffix', 'secretGenerator', 'replacements', 'vars', 'helmCharts']

/** Templates, sets of resources, and Kustomizations that change names, render strings that are in no file. */
function putsWordsTogether(source: Source, texts: readonly string[], search: WordSearch): boolean {
  if (source.kind === 'helm' || source.overlay?.namePrefix || source.overlay?.nameSuffix) return true
  return texts.some((text) => mayPutWordsTogether(text) || search.mentionsOneOf(text, keysThatMakeWords))
}
