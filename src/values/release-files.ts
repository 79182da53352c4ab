import path from 'node:path'
import { minimatch } from 'minimatch'
import { elementsOf } from '../deployers/argocd/generated-elements'
import { possibleClusters } from '../deployers/argocd/possible-clusters'
import { noArgoFiles } from '../deployers/common/argocd-files'
import { GitOpsSources } from '../deployers/common/gitops-sources'
import { TouchedPlaces } from '../deployers/common/touched-places'
import { mayDeclare, releasesIn } from '../deployers/fleet-helmfile/read-deployment-files'
import {
  type ApplicationSource,
  readApplication,
  sourceNamed,
  type ValueFile,
  valueFilesOf,
} from '../gitops/application'
import { isGoTemplate, isOfClusters, readApplicationSet, type SetGenerator } from '../gitops/application-set'
import { type Element, makeApplication } from '../gitops/filled-template'
import { readHelmRelease } from '../gitops/helm-release'
import { gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import { isKnownChart } from '../kubernetes/charts/chart-release'
import { areValuesKnown } from '../kubernetes/charts/chart-values'
import { isPlaceholder } from '../kubernetes/ingress/ingress'
import type { Cursor } from '../manifest/cursor'
import { comparisonKey, type LoadedFile, type LoadedObject, loadFile, type ValuesFile } from '../manifest/load'
import { groupKindOf, Manifest } from '../manifest/manifest'
import { mentions, mentionsOneOf, spelledOut } from '../manifest/mentions'
import type { Checkout } from '../revision/checkout'
import { isBoundedGlob } from '../revision/glob'
import type { InflatedChart } from '../sources/inflated-chart'
import { inside, placeInArtifact } from '../sources/kustomization'
import { readValues, type UnreadableValues } from './values-file'

/** An ApplicationSet of more Applications, or of longer ones all together, is read as its template alone. */
const maxGenerated = { applications: 300, characters: 20_000_000 }

/**
 * The files that releases of known remote charts take from the repository: values files, and for an ApplicationSet the
 * folders that it generates Applications for. One for each side of a change.
 */
export class ReleaseFiles {
  /** The files of values that something takes. */
  readonly valuesFiles = new Set<string>()
  /** Those of them that releases of known charts take. */
  readonly ofKnownCharts = new Set<string>()
  /** The files of Kustomizations and generators in which releases are written. */
  readonly releaseFiles = new Set<string>()
  /** The files of values that cannot be read, by path. */
  readonly unreadable = new Map<string, UnreadableValues>()
  private readonly gitOps: GitOpsSources

  constructor(
    private readonly checkout: Checkout,
    repository: readonly string[],
    /** The paths that differ; undefined when one side is judged whole. */
    private readonly changed: ReadonlySet<string> | undefined,
  ) {
    this.gitOps = new GitOpsSources({
      checkout,
      kustomizations: new Map(),
      repository,
      sourceIgnores: new Map(),
      generatorFiles: new Map(),
      argoFiles: noArgoFiles,
      touched: new TouchedPlaces(changed, new Map()),
      generatedBySets: new Map(),
      clusterNames: [],
      broughtBy: new Map(),
      writtenAs: new Map(),
    })
  }

  /** A file's objects with their repository context. */
  async completed(path: string, file: LoadedFile): Promise<LoadedFile> {
    const objects =
      mayTakeFiles(file.text) || mayNameFolder(file.text)
        ? await Promise.all(file.objects.map((object) => this.complete(object)))
        : file.objects
    const releases = mayDeclare(path, file.text) ? await this.releasesIn(path, file.text) : []
    return objects === file.objects && releases.length === 0 ? file : { ...file, objects: [...objects, ...releases] }
  }

  /** The releases of charts from elsewhere that a file of Fleet or helmfile declares, with the files that they name. */
  private async releasesIn(path: string, text: string): Promise<LoadedObject[]> {
    const surroundings = { checkout: this.checkout, kustomizations: new Map() }
    const found: LoadedObject[] = []
    for (const object of await releasesIn(path, text, surroundings)) {
      const { release } = object.context ?? {}
      if (!release) continue
      const isRequired = isKnownChart(release.chart, release.repository)
      this.releaseFiles.add(path)
      const files = new Map<string, readonly ValuesFile[]>()
      for (const layer of release.layers) {
        const its = 'file' in layer && this.isFile(layer.file) ? await this.read([layer.file], isRequired) : undefined
        if ('file' in layer && its) files.set(layer.file, its)
      }
      const complete = { ...object, context: { files, release } }
      // From the values of an unknown chart only this key shows something.
      if (
        isRequired ||
        areValuesKnown(release.chart, release.repository) ||
        mentions(comparisonKey(complete), 'ingress')
      )
        found.push(complete)
    }
    return found
  }

  /** An object with its repository context; the object itself if it has none. */
  async complete(object: LoadedObject): Promise<LoadedObject> {
    switch (groupKindOf(object.ref)) {
      case gitOpsKind.application:
        return this.withFiles(object)
      case gitOpsKind.applicationSet:
        return this.withTemplateFolders(await this.withApplications(object))
      case gitOpsKind.helmRelease:
        return this.withFolder(object)
      default:
        return object
    }
  }

  /** A HelmRelease whose chart is in a folder, of this repository or of another one. */
  private withFolder(object: LoadedObject): LoadedObject {
    const { chart, chartRef } = readHelmRelease(rootOf(object))
    const isOfFiles = !chartRef.exists && ['GitRepository', 'Bucket'].includes(textAt(chart.sourceRef.at('kind')))
    const folder = textAt(chart.chart)
    if (!isOfFiles || isPlaceholder(folder)) return object
    return this.isElsewhere(folder) ? withChartsElsewhere(object, [folder]) : withFoldersHere(object, [folder])
  }

  /** Whether this repository has no chart in a folder, so that another one has it. */
  private readonly isElsewhere = (folder: string): boolean => {
    const place = isPlaceholder(folder) ? undefined : placeInArtifact(folder)
    return place !== undefined && !this.isFile(path.posix.join(place, 'Chart.yaml'))
  }

  /** A chart that a Kustomization inflates, with the files that it names there. */
  async release({ object, from, path, name: chart, repo }: InflatedChart): Promise<LoadedObject> {
    const isRequired = isKnownChart(chart, repo)
    this.releaseFiles.add(path)
    const root = rootOf(object)
    const files = new Map<string, readonly ValuesFile[]>()
    for (const name of [root.at('valuesFile'), ...root.at('additionalValuesFiles').items()].map(textAt)) {
      const place = inside(from, name)
      const its = place !== undefined && this.isFile(place) ? await this.read([place], isRequired) : undefined
      if (its) files.set(name, its)
    }
    return { ...object, context: { ...object.context, files } }
  }

  /** An Application with the files of values that its sources name. */
  private async withFiles(object: LoadedObject): Promise<LoadedObject> {
    const { sources } = readApplication(rootOf(object))
    const files = new Map<string, readonly ValuesFile[]>()
    const folders = sources
      .filter(takesValues)
      .map(({ path: folder }) => textAt(folder))
      .filter(this.isElsewhere)
    const isRemote = (source: ApplicationSource) => source.chart.exists || folders.includes(textAt(source.path))
    for (const source of sources.filter(isRemote)) {
      const isKnown = installsKnownChart(source)
      const ignoresMissing = source.helm.at('ignoreMissingValueFiles').value === true
      const places = new Map(valueFilesOf(source).map((file) => [file.entry, this.placeOf(file, sources)]))
      for (const [entry, place] of places) {
        if (place === undefined || (isGlob(place) && !isBoundedGlob(place))) continue
        const found = isGlob(place) ? this.matching(place, new Set(places.values())) : [place].filter(this.isFile)
        if (found.length === 0 && !ignoresMissing) continue
        const its = await this.read(found, isKnown)
        if (its) files.set(entry, its)
      }
    }
    const here = this.foldersHere(sources).filter((folder) => !folders.includes(folder))
    const complete = withChartsElsewhere(files.size > 0 ? { ...object, context: { files } } : object, folders)
    return withFoldersHere(complete, here)
  }

  /** The folders of sources that are in this repository. */
  private foldersHere(sources: readonly ApplicationSource[]): string[] {
    const placed = sources.filter(({ chart, path: folder }) => !chart.exists && folder.exists)
    const here = placed.filter(({ repoURL, path: folder }) => this.gitOps.isHere(textAt(repoURL), textAt(folder)))
    return here.map(({ path: folder }) => textAt(folder))
  }

  /** An ApplicationSet, if its Applications are not known, with the folders that its template names. */
  private withTemplateFolders(object: LoadedObject): LoadedObject {
    if (object.context?.applications) return object
    const { template } = readApplicationSet(rootOf(object))
    return withFoldersHere(object, this.foldersHere(readApplication(template).sources))
  }

  /**
   * The path of this repository that an entry of `valueFiles` names: others are files of the chart, or of another
   * repository.
   */
  private placeOf({ entry, ref, path }: ValueFile, sources: readonly ApplicationSource[]): string | undefined {
    const owner = ref === undefined ? undefined : sourceNamed(ref, sources)
    if (!owner || isPlaceholder(entry) || /[${]/.test(path)) return undefined
    const place = inside('', path.replace(/^\/+/, ''))
    const [folder = ''] = (place ?? '').split(/[*?[]/)
    return place &&
      this.gitOps.isHere(
        textAt(owner.repoURL),
        isGlob(place) ? folder.slice(0, Math.max(0, folder.lastIndexOf('/'))) : place,
      )
      ? place
      : undefined
  }

  /**
   * The files that a pattern matches, in their order; those that are also named directly keep their own place. Since
   * Argo CD 3.4: https://argo-cd.readthedocs.io/en/release-3.4/user-guide/helm/
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

  /**
   * @param isRequired whether a file that cannot be read is reported
   * @returns undefined when one of them cannot be read
   */
  private async read(places: readonly string[], isRequired = true): Promise<ValuesFile[] | undefined> {
    const contents = await this.checkout.read(places)
    const files: ValuesFile[] = []
    for (const place of places) {
      const path = this.checkout.tree.resolved.get(place) ?? place
      const content = contents.get(place)
      if (!content) return undefined
      const values = readValues(content)
      // What a change leaves unreadable fails with any chart.
      if ('reason' in values && !isRequired) {
        if (this.changed?.has(path) && !values.isTemplate) this.unreadable.set(path, values)
        return undefined
      }
      this.valuesFiles.add(path)
      if (isRequired) this.ofKnownCharts.add(path)
      if ('reason' in values) this.unreadable.set(path, values)
      else files.push({ ...values, path, touched: this.changed?.has(path) === true })
    }
    return files.length === places.length ? files : undefined
  }

  /** An ApplicationSet with the Applications that it makes, where they are known and may install a known chart. */
  private async withApplications(object: LoadedObject): Promise<LoadedObject> {
    if (!mayInstallRemoteChart(object.content)) return object
    const root = rootOf(object)
    const { generators, template } = readApplicationSet(root)
    const elements: { element: Element; own: SetGenerator['template'] }[] = []
    for (const set of generators) {
      const { elements: clusters, areNamed } = possibleClusters(root, set, this.gitOps.repositoryIndex.checkout)
      if (isOfClusters(set.generator) && !areNamed) return object
      const generating = { goTemplate: isGoTemplate(root), clusters, named: this.gitOps }
      const its = elementsOf(set.generator, generating)
      if ('cause' in its) return object
      elements.push(...its.map((element) => ({ element, own: set.template })))
    }
    const { length } = elements
    if (
      length > maxGenerated.applications ||
      length * JSON.stringify(template.value ?? null).length > maxGenerated.characters
    )
      return object
    if (!template.exists) return object
    const applications: LoadedObject[] = []
    let known = elements.length === 0
    for (const { element, own } of elements) {
      const made = makeApplication(object, element, own)
      if ('reason' in made || made.ref.name === '' || isPlaceholder(made.ref.name)) return object
      const whole = await this.withFiles(made)
      known ||=
        whole.context?.chartsElsewhere !== undefined || readApplication(rootOf(made)).sources.some(installsRemoteChart)
      applications.push(whole)
    }
    return known ? { ...object, context: { files: new Map(), applications } } : object
  }
}

/** The unchanged files with an object that takes other values than before; they are read for both sides. */
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

/** Whether a text may contain an object that uses files of this repository for a release of a remote chart. */
export function mayTakeFiles(text: string): boolean {
  return mentions(text, 'argoproj.io/') && mentionsOneOf(text, ['valueFiles', 'ApplicationSet'])
}

/** Whether a text may contain an object that deploys a folder. */
function mayNameFolder(text: string): boolean {
  if (mentions(text, 'argoproj.io/')) return true
  return mentions(text, 'helm.toolkit.fluxcd.io/') && mentionsOneOf(text, ['GitRepository', 'Bucket'])
}

function installsKnownChart({ chart, repoURL }: ApplicationSource): boolean {
  return chart.exists && isKnownChart(textAt(chart), textAt(repoURL))
}

/** Whether a source has a chart in a folder, and values for it. */
function takesValues({ chart, path: folder, helm, kustomize, directory, plugin }: ApplicationSource): boolean {
  return !chart.exists && folder.exists && helm.exists && ![kustomize, directory, plugin].some(({ exists }) => exists)
}

function withChartsElsewhere(object: LoadedObject, folders: readonly string[]): LoadedObject {
  if (folders.length === 0) return object
  return { ...object, context: { files: new Map(), ...object.context, chartsElsewhere: new Set(folders) } }
}

function withFoldersHere(object: LoadedObject, folders: readonly string[]): LoadedObject {
  return folders.length === 0 ? object : { ...object, foldersHere: new Set(folders) }
}

function installsRemoteChart({ chart }: ApplicationSource): boolean {
  return chart.exists
}

/** Whether a text names a chart, or sets values for one in a folder. */
function mayInstallRemoteChart(text: string): boolean {
  return /\b(?:chart|helm)["']?\s*:/.test(spelledOut(text))
}

function isGlob(place: string): boolean {
  return /[*?[]/.test(place)
}

function rootOf(object: LoadedObject): Cursor {
  return new Manifest(object, 'head', { kind: 'file', path: '' }, []).root
}
