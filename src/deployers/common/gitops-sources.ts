import type { FetchCause } from '../../fetch/connection/fetching'
import { readFluxSource } from '../../gitops/flux-source'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import { repositoryName } from '../../revision/repository-name'
import { sharedFolders } from '../../shared-folders'
import { ignorableKustomization, type Kustomization } from '../../sources/kustomization'
import type { DeclarationSite, Source } from '../../sources/source'
import type { ArgoFiles } from './argocd-files'
import type { ChartElsewhere } from './chart-elsewhere'
import type { IgnoreFiles } from './flux-artifact'
import type { MissingValues } from './missing-values'
import type { TouchedPlaces } from './touched-places'
import type { NamedRevision, SourceReference, TrackedRevision } from './tracked-revision'

/** The parts of the repository that Argo CD and Flux objects can refer to. */
export interface RepositoryIndex {
  readonly checkout: Checkout
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  /**
   * The names of this repository, as `repositoryName` gives them; when there are none, every path that exists is in it.
   */
  readonly repository: readonly string[]
  /** The files `.sourceignore`, those of upper folders first. */
  readonly sourceIgnores: IgnoreFiles
  readonly argoFiles: ArgoFiles
  /** The texts of the files that ApplicationSets make elements of, by path. */
  readonly generatorFiles: ReadonlyMap<string, string>
  readonly touched: TouchedPlaces
  /** The clusters that the config of the base declares. */
  readonly clusterNames: readonly string[]
  /** The ApplicationSets that were read already. */
  readonly generatedBySets: Map<Manifest, GeneratedBySet>
  /** The objects that a rendering brings, each with that rendering. */
  readonly broughtBy: ReadonlyMap<Manifest, Bringer>
  /** The objects in files from which rendered objects are made. */
  readonly writtenAs: ReadonlyMap<Manifest, Manifest>
}

/** The Applications of an ApplicationSet. */
export interface GeneratedBySet {
  readonly byGenerator: readonly GeneratedApplications[]
  /** Whether all of them have the template of the set as it is. */
  readonly hasOneTemplate: boolean
}

/** The Applications of a generator that are judged, and the reason why these are not all. */
export interface GeneratedApplications {
  readonly applications: readonly Cursor[]
  readonly fault?: Pick<NotInspected, 'cause' | 'reason' | 'remedy'>
}

/** A source whose rendering has an Argo CD or Flux object in it. */
export interface Bringer {
  readonly source: Source
  /** The files that define the source, and its Kustomizations. */
  readonly definitionFiles: readonly string[]
}

/** An object of Argo CD that deploys a plain file. */
export interface PlainOwner {
  readonly manifest: Manifest
  /** The name in messages. */
  readonly name: string
  /** The namespace of the objects that name none; empty where several objects give several. */
  readonly namespace: string
  /** Other files that decide which files it applies. */
  readonly definitionFiles: readonly string[]
}

/** The reasons why a source was not inspected. Fingerprints contain these ids, so they never change. */
export type NotInspectedCause =
  | 'chart-elsewhere'
  | 'source-elsewhere'
  | 'values-elsewhere'
  | 'values-outside'
  | 'values-replaced'
  | 'values-in-cluster'
  | 'values-encrypted'
  | 'file-parameters'
  | 'plugin'
  | 'jsonnet'
  | 'file-names'
  | 'source-type'
  | 'source-override'
  | 'hook'
  | 'ignored'
  | 'nothing-to-apply'
  | 'folder-missing'
  | 'patched'
  | 'template-patch'
  | 'template-not-filled'
  | 'generator-not-read'
  | 'generator-elsewhere'
  | 'not-in-artifact'
  | 'too-deep'
  | 'too-many'
  | 'set-inputs'
  | 'set-template'
  | FetchCause

/** A field of an object that says where its source is, and the line that it is written in. */
export interface NamingField {
  readonly value: Cursor
  readonly at: DeclarationSite
}

/** An Argo CD or Flux object that was not fully inspected. */
export interface NotInspected {
  readonly manifest: Manifest
  readonly cause: NotInspectedCause
  readonly reason: string
  /** The URL of its chart, if the object itself does not have it. */
  readonly url?: string
  /** The line that is the cause, if that is not the whole object. */
  readonly at?: DeclarationSite
  /** The fields of the object that say where its source is, each with its line. */
  readonly fields?: readonly NamingField[]
  /** The release that was passed over, as `ChartElsewhere` has it. */
  readonly release?: string
  /** The line that names the place to fetch from, where the place itself is the cause. */
  readonly placeAt?: DeclarationSite
  /** The files that ask for its version and name its place, where these are others. */
  readonly files?: readonly string[]
  /** The subject of the cause and the remedy, if the cause alone does not show them. */
  readonly about?: string
  readonly remedy?: string
  /** The folder that it takes of a GitRepository which only the cluster knows, and the line that names the folder. */
  readonly folder?: { readonly place: string; readonly at: DeclarationSite }
}

/** Collects the sources that Argo CD and Flux objects deploy, and those that are not in this repository. */
export class GitOpsSources {
  readonly sources: Source[] = []
  readonly notInspected: NotInspected[] = []
  /** The revisions of this repository that objects deploy. */
  readonly revisions: TrackedRevision[] = []
  /** The references of Flux objects to this repository. */
  readonly references: SourceReference[] = []
  /** Values files that objects name and that are not there. */
  readonly missing: MissingValues[] = []
  /** The releases among those whose charts may be fetched, by their ids. */
  readonly elsewhere = new Map<string, () => ChartElsewhere>()
  /** Kustomizations without a file: Flux generates them where a folder has none. */
  readonly generated = new Map<string, Kustomization>()
  /** Plain files, each with the object that deploys it. */
  readonly plain = new Map<string, PlainOwner>()
  /** The folders whose plain files an object takes. */
  readonly directories = new Set<string>()
  /** Charts and Kustomizations that an object takes for folders of plain files, and those files. */
  readonly asDirectories = new Map<string, readonly string[]>()
  /** The object that deploys a source, by the source's id. */
  readonly deployers = new Map<string, Manifest>()
  /**
   * Whether Flux builds Kustomizations of this repository, directly or through a registry: an object says so, or there are
   * HelmReleases, and no objects of Argo CD.
   */
  usesFlux = false
  /** Whether there are Applications. */
  usesArgo = false

  /** Files that Flux passes by in a folder that it deploys, and why. */
  readonly ignoredByFlux = new Map<string, string>()
  /** Symbolic links that the deployer of their folder does not follow, and why. */
  readonly unfollowedLinks = new Map<string, string>()
  /** Files that `ignore` excludes although an object deploys them. */
  readonly ignorable = new Set<string>()

  private readonly listed = new Set<string>()
  private readonly targets = new Map<Bringer, string>()

  constructor(readonly repositoryIndex: RepositoryIndex) {}

  /** Adds a source that an object deploys; the copies of an object for one cluster deploy one. */
  add(source: Source, manifest: Manifest): void {
    if (this.deployers.has(source.id)) return
    this.deployers.set(source.id, manifest)
    this.sources.push(source)
  }

  /** Adds a plain file that an object deploys. */
  take(file: string, owner: PlainOwner): void {
    const other = this.plain.get(file)
    const isSame = other === undefined || other.namespace === owner.namespace
    this.plain.set(file, isSame ? owner : { ...owner, namespace: '' })
  }

  /** Lists an object that is in several clusters once. */
  skip(
    manifest: Manifest,
    cause: NotInspectedCause,
    reason: string,
    more: Omit<NotInspected, 'manifest' | 'cause' | 'reason'> = {},
  ): void {
    if (this.repositoryIndex.broughtBy.has(manifest)) {
      const key = JSON.stringify([manifest.origin.path, manifest.ref, cause, reason])
      if (this.listed.has(key)) return
      this.listed.add(key)
    }
    this.notInspected.push({ manifest, cause, reason, ...more })
  }

  /**
   * Passes over a release of a chart that is not in this repository.
   *
   * @param read reads the rest of it, where it is wanted
   */
  skipRelease(
    manifest: Manifest,
    id: string,
    read: () => ChartElsewhere,
    reason: string,
    { cause = 'chart-elsewhere', ...more }: Partial<Pick<NotInspected, 'url' | 'at' | 'cause' | 'fields'>> = {},
  ): void {
    if (!this.elsewhere.has(id)) this.elsewhere.set(id, read)
    this.skip(manifest, cause, reason, { ...more, release: id })
  }

  /** The line of a value of an object; that of the whole object where a rendering makes the value. */
  siteOf(manifest: Manifest, at: Cursor): DeclarationSite {
    const { broughtBy, writtenAs } = this.repositoryIndex
    const { path } = manifest.origin
    if (!broughtBy.has(manifest) && !writtenAs.has(manifest))
      return at.manifest.origin.path === path ? { path, region: at.region } : declarationSite(manifest)
    const own = at.manifest === manifest ? writtenAs.get(manifest)?.root.at(...at.path) : undefined
    const isSame = own?.exists === true && JSON.stringify(own.value) === JSON.stringify(at.value)
    return isSame ? { path: own.manifest.origin.path, region: own.region } : declarationSite(manifest)
  }

  /** Fields of an object that say where its source is, as `NotInspected` has them. */
  fieldsOf(manifest: Manifest, values: readonly Cursor[]): NamingField[] {
    return values.map((value) => ({ value, at: this.siteOf(manifest, value) }))
  }

  /** Adds the revision of this repository that an object deploys. */
  track(manifest: Manifest, subject: string, revision: NamedRevision, value: Cursor): void {
    const { kind, name } = revision
    const at = this.siteOf(manifest, value)
    const bringer = at.region === manifest.object.region ? this.bringerOf(manifest) : undefined
    const rendered = bringer ? { rendered: { source: bringer.source.id, value } } : {}
    this.revisions.push({ manifest, subject, kind, name, at, ...rendered })
  }

  bringerOf(manifest: Manifest): Bringer | undefined {
    return this.repositoryIndex.broughtBy.get(manifest)
  }

  /**
   * The objects that an object may refer to: first those of the same rendering, then those of files; of equal ones, those
   * in the nearest folders, as repositories with a folder for each cluster use one name in all of them.
   */
  nearTo(manifest: Manifest, all: readonly Manifest[]): readonly Manifest[] {
    if (all.length < 2) return all
    const { broughtBy } = this.repositoryIndex
    const own = broughtBy.get(manifest)
    const ownTarget = own && this.targetOf(own)
    const rankOf = (one: Manifest) => {
      const its = broughtBy.get(one)
      if (!its) return 2
      if (its.source.id === own?.source.id) return 0
      return ownTarget !== undefined && this.targetOf(its) === ownTarget ? 1 : 3
    }
    const ranked = all.map((one) => ({
      one,
      rank: rankOf(one),
      shared: sharedFolders(one.origin.path, manifest.origin.path),
    }))
    return ranked.sort((a, b) => a.rank - b.rank || b.shared - a.shared).map(({ one }) => one)
  }

  /** The target of a bringer as text, to compare it: a bringer may bring hundreds of objects. */
  private targetOf(bringer: Bringer): string {
    const known = this.targets.get(bringer)
    if (known !== undefined) return known
    const target = JSON.stringify(bringer.source.target)
    this.targets.set(bringer, target)
    return target
  }

  /**
   * Whether a path of the repository of that URL is one of this repository. Where its name is not known, or has a
   * variable that is filled in later, a path that exists here is.
   */
  isHere(url: string, place: string): boolean {
    const { repository, checkout } = this.repositoryIndex
    const name = repositoryName(url)
    const [start = '', ...rest] = name.split(variable)
    if (rest.length === 0 && repository.length > 0) return repository.includes(name)
    const mayBe = (one: string) => one.startsWith(start) && one.endsWith(rest.at(-1) ?? '')
    return checkout.tree.at(place).length > 0 && (repository.length === 0 || repository.some(mayBe))
  }

  /** Whether a URL is known to be that of this repository. */
  isThisRepository(url: string): boolean {
    return this.repositoryIndex.repository.includes(repositoryName(url))
  }

  /** Whether a `sourceRef` may mean this repository; false if all sources of that name are elsewhere. */
  mayBeHere(reference: Cursor, place: string, manifests: readonly Manifest[]): boolean {
    const [kind, name] = [textAt(reference.at('kind')), textAt(reference.at('name'))]
    const urls = manifests
      .filter(({ ref }) => ref.group === 'source.toolkit.fluxcd.io' && ref.kind === kind && ref.name === name)
      .map(({ root }) => textAt(readFluxSource(root).url))
    return urls.length === 0 || urls.some((url) => url === '' || url.includes('$') || this.isHere(url, place))
  }

  /**
   * Whether the folder's own Kustomization is left out: a folder with a Kustomization is never treated as one without.
   */
  isIgnored(place: string): boolean {
    const file = ignorableKustomization(place, this.repositoryIndex.checkout)
    if (file === undefined) return false
    this.ignorable.add(file)
    return this.repositoryIndex.checkout.tree.ignores(file)
  }

  kustomization(place: string): Kustomization | undefined {
    return this.repositoryIndex.kustomizations.get(place) ?? this.generated.get(place)
  }
}

/** A variable of envsubst. */
const variable = /\$\{[^{}]*\}/g

export function declarationSite({ origin, object }: Manifest): DeclarationSite {
  return { path: origin.path, region: object.region }
}
