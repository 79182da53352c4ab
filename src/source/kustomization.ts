import path from 'node:path/posix'
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import { splitDocuments } from '../manifest/documents'
import type { Region } from '../manifest/manifest'
import { mentions, mentionsOneOf } from '../manifest/mentions'
import type { Checkout } from './checkout'
import { pathsNamed } from './outside'

/** The names kustomize takes for its file, in its order. */
const names = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/** A string of a Kustomization, and where it stands. */
export interface Mention {
  readonly text: string
  readonly region: Region
}

/** An entry of `helmCharts:`. */
interface WrittenChart {
  readonly name: string
  /** Where it is pulled from, if it is not here. */
  readonly repo: string
  /** Where kustomize looks for it below the home of charts. */
  readonly unpackedIn: string
  readonly region: Region
}

/** A folder that kustomize builds. */
export interface Kustomization {
  readonly folder: string
  /** Where it is written; for one that Flux makes, the object that has it made. */
  readonly file: string
  /** It stands in no file: Flux makes it of what it finds in the folder. */
  readonly made?: true
  /** Included by others, never deployed by itself. */
  readonly component: boolean
  /** `resources`, `bases` and `components`, as written. */
  readonly includes: readonly Mention[]
  /** Paths of the repository that any string in it leads to: files and folders. */
  readonly leadsTo: readonly string[]
  /** Charts it inflates, with the folder each has to be vendored in. */
  readonly charts: readonly (WrittenChart & { readonly folder: string })[]
  readonly namespace: string
  /** Strings that would have kustomize read what is not in this repository. */
  readonly outside: readonly Mention[]
  /** URLs of what ConfigMaps and Secrets are made of. */
  readonly data: readonly Mention[]
  /** Whether it names plugins, which read files of their own. */
  readonly plugins: boolean
}

/** Every Kustomization of a revision, by folder. */
export async function readKustomizations(checkout: Checkout): Promise<Map<string, Kustomization>> {
  const files = new Map<string, string>()
  for (const name of [...names].reverse()) {
    for (const file of checkout.tree.entries.keys()) {
      if (path.basename(file) === name && checkout.has(file) && !checkout.tree.ignores(file))
        files.set(folderOf(file), file)
    }
  }
  const texts = await checkout.texts([...files.values()])
  const found = new Map<string, Kustomization>()
  for (const [folder, file] of files) {
    const text = texts.get(file)
    if (text === undefined || isFlux(text)) continue
    found.set(folder, parse(folder, file, text, checkout))
  }
  return found
}

/** The Kustomization of a folder, where a glob of `ignore` takes it. */
export function ignorableKustomization(folder: string, checkout: Checkout): string | undefined {
  const files = names.map((name) => path.join(folder, name))
  return files.find((file) => checkout.has(file) && checkout.tree.isIgnorable(file))
}

/** Whether a file is one that kustomize builds. */
export function isKustomization(file: string): boolean {
  return names.includes(path.basename(file))
}

/** Flux has a kind of that name too, and people keep it in files of that name. What kustomize builds is the first document. */
function isFlux(text: string): boolean {
  if (!mentions(text, fluxGroup)) return false
  const [first] = splitDocuments(text)
  const { contents } = parseDocument(first?.text ?? '', { logLevel: 'silent', version: '1.1' })
  return isMap(contents) && String(contents.get('apiVersion')).startsWith(fluxGroup)
}

const fluxGroup = 'kustomize.toolkit.fluxcd.io/'

function folderOf(file: string): string {
  return file.includes('/') ? path.dirname(file) : ''
}

/** What a Kustomization's text says, wherever it stands. */
interface Written {
  readonly component: boolean
  readonly namespace: string
  readonly includes: readonly Mention[]
  /** Every string in it that may be a path. */
  readonly strings: ReadonlySet<string>
  readonly chartHome: string
  readonly charts: readonly WrittenChart[]
  readonly plugins: boolean
  /** The strings that name what is taken in; whether each may be a repository, or is data that can be left out. */
  readonly named: readonly (Mention & { readonly isBase: boolean; readonly isData: boolean })[]
}

/** Texts that were parsed: both sides of a change share nearly all of theirs, and so do all trials of it. */
const parsed = new Map<string, Written>()

function parse(folder: string, file: string, text: string, checkout: Checkout): Kustomization {
  const written = parsed.get(text) ?? parseText(text)
  parsed.set(text, written)
  const { component, namespace, includes, strings, charts, chartHome, plugins, named } = written
  const leadsTo = [...strings].flatMap((string) => {
    const place = inside(folder, string)
    return place !== undefined && checkout.tree.at(place).length > 0 ? [place] : []
  })
  return {
    folder,
    file,
    component,
    namespace,
    includes,
    leadsTo: [...new Set(leadsTo)].sort(),
    charts: charts.map((chart) => ({ ...chart, folder: path.join(folder, chartHome, chart.unpackedIn) })),
    plugins,
    data: named.filter(({ isData }) => isData),
    outside: named.filter(({ text, isBase, isData }) => {
      if (isData) return false
      const place = inside(folder, isBase ? text : text.replace(/^[^=/]*=/, ''))
      return place === undefined && !(isBase && isRemote(text))
    }),
  }
}

function parseText(text: string): Written {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent', version: '1.1' })
  const regionOf = (node: Node): Region => {
    const [from, to] = node.range ?? [0, 0]
    const [start, end] = [lines.linePos(from), lines.linePos(to)]
    return { startLine: start.line, startColumn: start.col, endLine: end.line, endColumn: end.col }
  }
  const root = isMap(document.contents) ? document.contents : undefined
  const itemsOf = (key: string): Node[] => {
    const node = root?.get(key, true)
    const list = isAlias(node) ? node.resolve(document) : node
    return isSeq(list) ? (list.items.filter(isNode) as Node[]) : []
  }
  const strings = new Set<string>()
  visit(document, {
    Scalar(_, { value }) {
      if (typeof value !== 'string' || value.includes('\n') || value.length > 500) return
      // `files: [app.conf=config/app.conf]` names a file behind its key.
      strings.add(value).add(value.slice(value.indexOf('=') + 1))
    },
  })
  const globals = root?.get('helmGlobals')
  // What is left out has to be gone, however it is written: kustomize would fetch it.
  const kept = new Set(urlsIn(text.includes('://') ? withoutData(text) : text))
  return {
    component: String(root?.get('kind') ?? '') === 'Component',
    namespace: String(root?.get('namespace') ?? ''),
    includes: ['resources', 'bases', 'components'].flatMap(itemsOf).flatMap((item) => {
      const entry = isAlias(item) ? item.resolve(document) : item
      return isScalar(entry) && typeof entry.value === 'string' ? [{ text: entry.value, region: regionOf(item) }] : []
    }),
    strings,
    plugins: mentionsOneOf(text, ['generators', 'transformers', 'validators']),
    named: pathsNamed(document).map(({ scalar, isBase }) => ({
      text: scalar.value,
      isBase,
      isData: isUrl(scalar.value) && !kept.has(scalar.value),
      region: regionOf(scalar),
    })),
    chartHome: (isMap(globals) && wordUnder(globals, 'chartHome')) || 'charts',
    charts: itemsOf('helmCharts').flatMap((item) =>
      isMap(item)
        ? [
            {
              name: String(item.get('name') ?? ''),
              repo: wordUnder(item, 'repo'),
              unpackedIn: unpackedIn(item),
              region: regionOf(item),
            },
          ]
        : [],
    ),
  }
}

/** A word as it is written: YAML takes a version for a number, and the npm parser takes a lone dot for one. */
function wordUnder(map: YAMLMap, key: string): string {
  const node = map.get(key, true)
  return isScalar(node) ? (node.source ?? String(node.value ?? '')) : ''
}

/** Where kustomize looks for a chart below the home of charts: what it may pull lies beside its other versions. */
function unpackedIn(item: YAMLMap): string {
  const [name, version, repo] = ['name', 'version', 'repo'].map((key) => wordUnder(item, key))
  return path.join(version && repo ? `${name}-${version}` : '', name ?? '')
}

/** A path as a file in a folder writes it, from the repository's root; undefined when it leads out of it. */
export function inside(folder: string, written: string): string | undefined {
  if (written === '' || path.isAbsolute(written) || written.includes('://')) return undefined
  const place = path.normalize(path.join(folder, written)).replace(/\/$/, '')
  if (place === '..' || place.startsWith('../')) return undefined
  return place === '.' ? '' : place
}

/** Whether an entry of `resources:` names something outside the repository, in the forms kustomize takes. */
export function isRemote(written: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|git::|gh:|[^/]+@|(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org)[/:])|[?&]ref=/i.test(
    written,
  )
}

/** The Kustomizations that one takes in, itself first. */
export function closureOf(start: string, all: ReadonlyMap<string, Kustomization>): Kustomization[] {
  const found = new Map<string, Kustomization>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const kustomization = all.get(folder)
    if (!kustomization || found.has(folder)) continue
    found.set(folder, kustomization)
    open.push(...kustomization.leadsTo.filter((place) => all.has(place)).reverse())
  }
  return [...found.values()]
}

/**
 * The folders that no other Kustomization includes, components aside. What only a component includes that nothing takes in
 * is included by nobody.
 */
export function rootsOf(all: ReadonlyMap<string, Kustomization>): Set<string> {
  const alive = new Map(all)
  for (;;) {
    const included = new Set(
      [...alive.values()].flatMap(({ folder, includes }) =>
        includes.flatMap(({ text }) => inside(folder, text) ?? []).filter((place) => place !== folder),
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
}

/** The entries of a Kustomization that lead out of the repository. */
export function remoteEntries({ file, folder, includes }: Kustomization, checkout: Checkout): RemoteEntry[] {
  return includes
    .filter(({ text }) => {
      const place = inside(folder, text)
      return isRemote(text) && !(place !== undefined && checkout.tree.at(place).length > 0)
    })
    .map((mention) => ({ ...mention, path: file }))
}

/** The charts that `helmCharts:` of a Kustomization asks for and that are not in the repository. */
export function absentCharts({ charts }: Pick<Kustomization, 'charts'>, checkout: Checkout): Kustomization['charts'] {
  return charts.filter(({ folder }) => !checkout.has(path.join(folder, 'Chart.yaml')))
}

/**
 * A Kustomization's text without some of its entries.
 *
 * @param charts where it looks for the charts that are left out, below the home of charts
 */
export function withoutEntries(text: string, isGone: (entry: string) => boolean, charts: ReadonlySet<string>): string {
  const document = parseDocument(text, { logLevel: 'silent', version: '1.1' })
  const leaveOut = (key: string, names: (item: unknown) => boolean) => {
    const list = isMap(document.contents) ? document.get(key) : undefined
    if (isSeq(list)) list.items = list.items.filter((item) => !names(item))
  }
  for (const key of ['resources', 'bases', 'components', 'generators'])
    leaveOut(key, (item) => isScalar(item) && isGone(String(item.value)))
  leaveOut('helmCharts', (item) => isMap(item) && charts.has(unpackedIn(item)))
  return written(document, text)
}

/** A Kustomization's text without what its ConfigMaps and Secrets would fetch. */
export function withoutData(text: string): string {
  const document = parseDocument(text, { logLevel: 'silent', version: '1.1' })
  const data = new Set(
    pathsNamed(document).flatMap(({ scalar, isData }) => (isData && isUrl(scalar.value) ? scalar : [])),
  )
  visit(document, {
    Scalar: (key, node) => (typeof key === 'number' && data.has(node as Scalar<string>) ? visit.REMOVE : undefined),
  })
  return written(document, text)
}

function urlsIn(text: string): string[] {
  const document = parseDocument(text, { logLevel: 'silent', version: '1.1' })
  return pathsNamed(document).flatMap(({ scalar: { value } }) => (isUrl(value) ? value : []))
}

/** `dashboard.json=https://example.com/dashboard.json`, or without the key */
function isUrl(written: string): boolean {
  return /^(?:[^=/]*=)?https?:\/\//i.test(written)
}

/** A text that YAML cannot read stays as it is: kustomize says what is wrong with it. */
function written(document: Document, text: string): string {
  return document.errors.length > 0 ? text : document.toString()
}
