import { minimatch } from 'minimatch'
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { type Element, elementsOf, fill } from '../deployers/application-set'
import { GitOpsSources } from '../deployers/gitops-sources'
import { mayDeclare, releasesIn } from '../deployers/read-files'
import { chartFacts } from '../kubernetes/charts/chart-facts'
import { isKnownChart } from '../kubernetes/charts/chart-release'
import { isPlaceholder } from '../kubernetes/ingress/ingress'
import { comparisonKey, type LoadedFile, type LoadedObject, loadFile, type ValuesFile } from '../manifest/load'
import { groupKindOf, Manifest, ownGroup } from '../manifest/manifest'
import { findPair } from '../manifest/map-pairs'
import { mentions, mentionsOneOf, spelledOut } from '../manifest/mentions'
import type { Checkout } from '../revision/checkout'
import { isBoundedGlob } from '../revision/glob'
import type { InflatedChart } from '../sources/inflated-chart'
import { inside } from '../sources/kustomization'
import { type Fields, fieldsOf, listOf, textOf } from '../sources/untyped'
import { readValues, type UnreadableValues } from './values-file'

/** An object that names a values file, and its place. */
interface MissingValues {
  readonly path: string
  readonly object: LoadedObject
}

/** An ApplicationSet of more Applications, or of longer ones all together, is read as its template alone. */
const maxGenerated = { applications: 300, characters: 20_000_000 }

/**
 * The files that releases of known remote charts take from the repository: values files, and for an ApplicationSet the
 * folders that it generates Applications for. One for each side of a change.
 */
export class ReleaseFiles {
  /** The files of values that something takes. */
  readonly valuesFiles = new Set<string>()
  /** The files of Kustomizations and generators in which releases are written. */
  readonly releaseFiles = new Set<string>()
  /** The files of values that cannot be read, by path. */
  readonly unreadable = new Map<string, UnreadableValues>()
  /** The files of values that are named in this repository and are not there, by path. */
  readonly missing = new Map<string, MissingValues>()
  private readonly gitOps: GitOpsSources

  constructor(
    private readonly checkout: Checkout,
    repository: readonly string[],
    /** The paths that differ; undefined when one side is judged whole. */
    private readonly changed: ReadonlySet<string> | undefined,
  ) {
    this.gitOps = new GitOpsSources({ checkout, kustomizations: new Map(), repository })
  }

  /** A file's objects with their repository context. */
  async completed(path: string, file: LoadedFile): Promise<LoadedFile> {
    const objects = mayTakeFiles(file.text)
      ? await Promise.all(file.objects.map((object) => this.complete(path, object)))
      : file.objects
    const releases = mayDeclare(path, file.text) ? await this.releasesIn(path, file.text) : []
    return objects === file.objects && releases.length === 0 ? file : { ...file, objects: [...objects, ...releases] }
  }

  /** The releases of known charts that a file of Fleet or helmfile declares, with the files that they name. */
  private async releasesIn(path: string, text: string): Promise<LoadedObject[]> {
    const surroundings = { checkout: this.checkout, kustomizations: new Map() }
    const found: LoadedObject[] = []
    for (const object of await releasesIn(path, text, surroundings)) {
      const { release } = object.context ?? {}
      if (!release || !isKnownChart(release.chart, release.repository)) continue
      this.releaseFiles.add(path)
      const files = new Map<string, readonly ValuesFile[]>()
      for (const layer of release.layers) {
        const its = 'file' in layer && this.isFile(layer.file) ? await this.read([layer.file]) : undefined
        if ('file' in layer && its) files.set(layer.file, its)
      }
      found.push({ ...object, context: { files, release } })
    }
    return found
  }

  /** An object with its repository context; the object itself if it has none. */
  async complete(path: string, object: LoadedObject): Promise<LoadedObject> {
    switch (groupKindOf(object.ref)) {
      case 'Application.argoproj.io':
        return this.withFiles(path, object)
      case 'ApplicationSet.argoproj.io':
        return this.withApplications(path, object)
      default:
        return object
    }
  }

  /** A chart that a Kustomization inflates, with the files that it names there. */
  async release({ object, from, path }: InflatedChart): Promise<LoadedObject> {
    this.releaseFiles.add(path)
    const { valuesFile, additionalValuesFiles } = fieldsOf(fieldOf(object))
    const files = new Map<string, readonly ValuesFile[]>()
    for (const name of [valuesFile, ...listOf(additionalValuesFiles)].map(textOf)) {
      const place = inside(from, name)
      const its = place !== undefined && this.isFile(place) ? await this.read([place]) : undefined
      if (its) files.set(name, its)
    }
    return { ...object, context: { ...object.context, files } }
  }

  /** https://argo-cd.readthedocs.io/en/stable/user-guide/multiple_sources/#helm-value-files-from-external-git-repository */
  private async withFiles(path: string, object: LoadedObject): Promise<LoadedObject> {
    const spec = fieldsOf(fieldOf(object, 'spec'))
    const sources = [spec.source, ...listOf(spec.sources)].map(fieldsOf)
    const files = new Map<string, readonly ValuesFile[]>()
    for (const source of sources.filter(installsKnownChart)) {
      const helm = fieldsOf(source.helm)
      const entries = listOf(helm.valueFiles).map(textOf)
      const places = new Map(entries.map((entry) => [entry, this.placeOf(entry, sources)]))
      for (const [entry, place] of places) {
        if (place === undefined || (isGlob(place) && !isBoundedGlob(place))) continue
        const found = isGlob(place) ? this.matching(place, new Set(places.values())) : [place].filter(this.isFile)
        if (found.length === 0 && helm.ignoreMissingValueFiles !== true) {
          if (!isGlob(place)) this.missing.set(place, { path, object })
          continue
        }
        const its = await this.read(found)
        if (its) files.set(entry, its)
      }
    }
    return files.size > 0 ? { ...object, context: { files } } : object
  }

  /** The path of this repository that an entry of `valueFiles` names: others are files of the chart, or of another repository. */
  private placeOf(entry: string, sources: readonly Fields[]): string | undefined {
    const [, ref, behind = ''] = entry.match(/^\$([^/]+)\/(.*)$/) ?? []
    const owner = ref && sources.find((source) => textOf(source.ref) === ref)
    if (!owner || isPlaceholder(entry) || /[${]/.test(behind)) return undefined
    const place = inside('', behind.replace(/^\/+/, ''))
    const [folder = ''] = (place ?? '').split(/[*?[]/)
    return place &&
      this.gitOps.isHere(
        textOf(owner.repoURL),
        isGlob(place) ? folder.slice(0, Math.max(0, folder.lastIndexOf('/'))) : place,
      )
      ? place
      : undefined
  }

  /**
   * The files that a pattern takes, in their order; those that are named by themselves keep their own place.
   * Since Argo CD 3.4: https://argo-cd.readthedocs.io/en/release-3.4/user-guide/helm/
   */
  private matching(pattern: string, others: ReadonlySet<string | undefined>): string[] {
    const matches = minimatch.filter(pattern, { dot: true, nobrace: true, nocomment: true, nonegate: true })
    const files = [...this.checkout.tree.entries.keys()].filter((file) => !others.has(file) && matches(file))
    return files.filter(this.isFile).sort()
  }

  private readonly isFile = (path: string): boolean => {
    const { entries, resolved } = this.checkout.tree
    return entries.get(resolved.get(path) ?? path)?.type === 'file'
  }

  /** @returns undefined when one of them cannot be read */
  private async read(places: readonly string[]): Promise<ValuesFile[] | undefined> {
    const contents = await this.checkout.read(places)
    const files: ValuesFile[] = []
    for (const place of places) {
      const path = this.checkout.tree.resolved.get(place) ?? place
      const content = contents.get(place)
      if (!content) return undefined
      this.valuesFiles.add(path)
      const values = readValues(content)
      if ('reason' in values) this.unreadable.set(path, values)
      else files.push({ ...values, path, touched: this.changed?.has(path) === true })
    }
    return files.length === places.length ? files : undefined
  }

  /** https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/ */
  private async withApplications(path: string, object: LoadedObject): Promise<LoadedObject> {
    if (!mayInstallKnownChart(object.content)) return object
    const spec = fieldsOf(fieldOf(object, 'spec'))
    if (spec.templatePatch !== undefined) return object
    const elements: Element[] = []
    for (const generator of listOf(spec.generators).map(fieldsOf)) {
      const its = elementsOf(generator, spec.goTemplate === true, this.gitOps)
      if (typeof its === 'string') return object
      elements.push(...its)
    }
    const { length } = elements
    if (
      length > maxGenerated.applications ||
      length * JSON.stringify(spec.template ?? null).length > maxGenerated.characters
    )
      return object
    const template = under(under(object.node, 'spec', object), 'template', object)
    if (!template) return object
    const applications: LoadedObject[] = []
    let known = elements.length === 0
    for (const element of elements) {
      const filled = fieldsOf(fill(spec.template, element))
      const name = textOf(fieldsOf(filled.metadata).name)
      if (name === '' || isPlaceholder(name)) return object
      const { source, sources } = fieldsOf(filled.spec)
      known ||= [source, ...listOf(sources)].map(fieldsOf).some(installsKnownChart)
      const made: LoadedObject = {
        ...object,
        ref: { group: ownGroup, kind: 'Application', namespace: object.ref.namespace, name },
        node: filledNode(template, element) as Node,
        content: JSON.stringify(filled),
        region: object.regionOf(template),
        duplicateKeys: [],
      }
      applications.push(await this.withFiles(path, made))
    }
    return known ? { ...object, context: { files: new Map(), applications } } : object
  }
}

/** The files, of those that this change leaves as they are, in which an object takes something else than before: read for both sides. */
export async function* reachedByValues(
  base: ReleaseFiles,
  head: ReleaseFiles,
  texts: ReadonlyMap<string, string>,
): AsyncGenerator<{ path: string; before: LoadedFile; after: LoadedFile }> {
  for (const [path, text] of texts) {
    if (!mayTakeFiles(text) && !mayDeclare(path, text)) continue
    const file = loadFile({ text })
    const [before, after] = [await base.completed(path, file), await head.completed(path, file)]
    if (statesIn(before) !== statesIn(after)) yield { path, before, after }
  }
}

function statesIn({ objects }: LoadedFile): string {
  return JSON.stringify(
    objects.flatMap((object) => [object, ...(object.context?.applications ?? [])].map(comparisonKey)),
  )
}

/** Whether a text may hold an object that takes files of this repository into a release of a chart that is not in it. */
export function mayTakeFiles(text: string): boolean {
  return mentions(text, 'argoproj.io/') && mentionsOneOf(text, ['valueFiles', 'ApplicationSet'])
}

function installsKnownChart(source: Fields): boolean {
  return source.chart !== undefined && isKnownChart(textOf(source.chart), textOf(source.repoURL))
}

/** Whether a text names a known chart, or leaves the name of its chart to be filled in. */
function mayInstallKnownChart(text: string): boolean {
  const names = chartFacts.map(({ name }) => name)
  return mentionsOneOf(text, names) || /\bchart["']?:\s*["']?\{\{/.test(spelledOut(text))
}

function isGlob(place: string): boolean {
  return /[*?[]/.test(place)
}

function fieldOf(object: LoadedObject, ...keys: string[]): unknown {
  return new Manifest(object, 'head', { kind: 'file', path: '' }, []).root.at(...keys).value
}

function under(map: Node | undefined, key: string, object: LoadedObject): Node | undefined {
  const resolve = (alias: Alias) => object.resolve(alias)
  const value = isMap(map) ? findPair(map, key, resolve)?.value : undefined
  return (isAlias(value) ? resolve(value) : value) as Node | undefined
}

/** A template with an element's values filled in, at its own place. Aliases keep their targets. */
function filledNode(node: unknown, element: Element): unknown {
  if (isScalar(node) && typeof node.value === 'string' && node.value.includes('{{'))
    return placedAt(node, new Scalar(fill(node.value, element)))
  if (isMap(node)) {
    const map = placedAt(node, new YAMLMap())
    map.items = node.items.map(({ key, value }) => new Pair(key, filledNode(value, element)))
    return map
  }
  if (isSeq(node)) {
    const list = placedAt(node, new YAMLSeq())
    list.items = node.items.map((item) => filledNode(item, element))
    return list
  }
  return node
}

function placedAt<T extends Node>({ range }: Node, node: T): T {
  if (range) node.range = range
  return node
}
