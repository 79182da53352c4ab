import path from 'node:path/posix'
import type { FetchFault } from '../fetch/connection/fetching'
import { inflatedChart } from '../kubernetes/charts/chart-release'
import { readYaml } from '../manifest/document-reader'
import { LineIndex, Lines } from '../manifest/lines'
import { type LoadedObject, loadFile } from '../manifest/load'
import { Manifest, ownGroup } from '../manifest/manifest'
import { findPair, pairsOf } from '../manifest/map-pairs'
import { mentions, spelledOut } from '../manifest/mentions'
import { isList, isMap, type Node } from '../manifest/nodes'
import type { Region } from '../region'
import type { Checkout } from '../revision/checkout'
import { goField } from './go-field'
import { foldedKey } from './go-keys'
import { inside, type Kustomization } from './kustomization'
import type { KustomizeSource } from './source'
import { fieldsOf, textOf } from './untyped'

/** A chart that a Kustomization inflates, as `helmCharts:` or a generator writes it. */
export interface InflatedChart {
  readonly name: string
  /** The repository it is pulled from; empty if it has to be local. */
  readonly repo: string
  readonly version: string
  /** The folder it has to be vendored in. */
  readonly folder: string
  readonly vendored: boolean
  /** The reason why a requested chart was not fetched. */
  readonly fault?: FetchFault
  /** The file that asks for it, and where. */
  readonly path: string
  readonly region: Region
  /** The folder of the Kustomization, from which it names files. */
  readonly from: string
  /** The chart's entry, as a release. */
  readonly object: LoadedObject
}

/** The charts that a source inflates, each once. */
export async function inflatedCharts(
  source: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): Promise<InflatedChart[]> {
  const found: InflatedChart[] = []
  for (const { kustomization, namespace, over } of layersOf(source, all, checkout)) {
    const asked = await entriesOf(kustomization, checkout)
    if (asked.length === 0) continue
    const patches = await patchesOf(over, source.overlay, checkout)
    for (const { file, entry, chartHome } of asked) {
      const wordOf = (field: string) => textOf(goField(rootOf(entry), field).value)
      const [name, repo, version] = [wordOf('name'), wordOf('repo'), wordOf('version')]
      const pulled = repo !== '' && version !== '' ? `${name}-${version}` : ''
      const folder = path.join(kustomization.folder, chartHome, pulled, name)
      found.push({
        name,
        repo,
        version,
        folder,
        vendored: checkout.has(path.join(folder, 'Chart.yaml')),
        path: file,
        region: entry.region,
        from: kustomization.folder,
        object: asRelease(entry, namespace || wordOf('namespace') || 'default', patches),
      })
    }
  }
  return found
}

/** Helm's default namespace applies where none is set; the arguments of patched objects are unknown. */
function asRelease(entry: LoadedObject, namespace: string, patches: readonly string[]): LoadedObject {
  const root = rootOf(entry)
  const [kind = ''] = inflatedChart.split('.')
  const patched = patches.some((text) => /\b(?:args|command|env)\b|\$patch/.test(text))
  const patchesIngress = patches.some((text) => /\bIngress\b/.test(text))
  return {
    ...entry,
    ref: { group: ownGroup, kind, namespace, name: textOf(goField(root, 'releaseName').value) || chartNameOf(entry) },
    content: JSON.stringify([fieldsOf(root.value), patched, patchesIngress]),
    duplicateKeys: [],
    context: { files: new Map(), ...(patched ? { patched } : {}), ...(patchesIngress ? { patchesIngress } : {}) },
  }
}

interface NestedKustomization {
  readonly kustomization: Kustomization
  /** The namespace of all of its objects: the outermost Kustomization wins. */
  readonly namespace: string
  /** The Kustomization and those that include it. */
  readonly over: readonly Kustomization[]
}

function layersOf(
  { root, components = [], overlay }: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  { inPlaceOf }: Checkout,
): NestedKustomization[] {
  const found = new Map<string, NestedKustomization>()
  const visit = (folder: string, outer: string, by: readonly Kustomization[]): void => {
    const kustomization = all.get(folder)
    if (!kustomization || found.has(folder)) return
    const namespace = outer || kustomization.namespace
    const over = [...by, kustomization]
    found.set(folder, { kustomization, namespace, over })
    for (const { text } of kustomization.includes) {
      const place = inPlaceOf.get(text) ?? inside(folder, text)
      if (place !== undefined) visit(place, namespace, over)
    }
  }
  for (const start of [root, ...components]) visit(start, textOf(overlay?.namespace), [])
  return [...found.values()]
}

interface ChartEntry {
  readonly file: string
  readonly entry: LoadedObject
  readonly chartHome: string
}

async function entriesOf(kustomization: Kustomization, checkout: Checkout): Promise<ChartEntry[]> {
  const { file, charts, plugins, leadsTo } = kustomization
  const files = plugins ? leadsTo.filter((place) => checkout.has(place)) : []
  const texts = charts.length > 0 || files.length > 0 ? await checkout.texts([file, ...files]) : new Map()
  const own = charts.length > 0 ? entriesIn(texts.get(file) ?? '') : []
  return [
    ...own.map((one) => ({ ...one, file })),
    ...files.flatMap((place) =>
      generatorsIn(texts.get(place) ?? '').map((entry) => {
        const chartHome = textOf(goField(rootOf(entry), 'chartHome').value) || 'charts'
        return { file: place, entry, chartHome }
      }),
    ),
  ]
}

/** The entries of `helmCharts:`. */
function entriesIn(text: string): Omit<ChartEntry, 'file'>[] {
  const yaml = readYaml(text)
  if (!('contents' in yaml) || !isMap(yaml.contents)) return []
  const places = new LineIndex(yaml.text)
  const lines = new Lines(text)
  const regionOf = ({ from, to }: Node) => places.region(from, to)
  const { contents, resolve } = yaml
  const object = (node: Node): LoadedObject => ({
    ref: { group: '', kind: '', namespace: '', name: '' },
    apiVersion: '',
    node,
    content: '',
    fileText: text,
    lines,
    region: regionOf(node),
    duplicateKeys: [],
    regionOf,
    resolve,
  })
  const field = [...pairsOf(contents, resolve).keys()].find((key) => foldedKey(key) === 'helmcharts')
  const list = findPair(contents, field ?? '', resolve)?.value
  const chartHome = textOf(goField(rootOf(object(contents)), 'helmGlobals', 'chartHome').value) || 'charts'
  return isList(list) ? list.items.flatMap((item) => (isMap(item) ? [{ entry: object(item), chartHome }] : [])) : []
}

/** The generators of a file that inflate charts: https://kubectl.docs.kubernetes.io/references/kustomize/builtins/ */
export function generatorsIn(text: string): readonly LoadedObject[] {
  if (!mentions(text, 'HelmChartInflationGenerator')) return []
  return loadFile({ text }).objects.filter(({ ref }) => ref.kind === 'HelmChartInflationGenerator')
}

export function chartNameOf(entry: LoadedObject): string {
  return textOf(goField(rootOf(entry), 'name').value)
}

/** The texts of Kustomizations that patch objects, this one or any other, and of their patches. */
async function patchesOf(
  over: readonly Kustomization[],
  overlay: KustomizeSource['overlay'],
  checkout: Checkout,
): Promise<string[]> {
  const texts = [JSON.stringify(overlay ?? {})]
  for (const { file, leadsTo } of over) {
    const text = (await checkout.text(file)) ?? ''
    if (!/^["']?(?:patches\w*|replacements|transformers)["']?\s*:/m.test(spelledOut(text))) continue
    texts.push(text, ...(await checkout.texts(leadsTo.filter((place) => checkout.has(place)))).values())
  }
  return texts.map(spelledOut)
}

function rootOf(object: LoadedObject) {
  return new Manifest(object, 'head', { kind: 'file', path: '' }, []).root
}
