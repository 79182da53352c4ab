import type { Manifest } from '../manifest/manifest'
import type { Checkout } from '../revision/checkout'
import { repositoryName } from '../revision/repository-name'
import { ignorableKustomization, type Kustomization } from '../sources/kustomization'
import type { DeclarationSite, Source } from '../sources/source'

/** The parts of the repository that Argo CD and Flux objects can refer to. */
export interface RepositoryIndex {
  readonly checkout: Checkout
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  /** The names of this repository, as `repositoryName` gives them; when there are none, every path that exists is in it. */
  readonly repository: readonly string[]
}

/** Why a source was not inspected. Fingerprints contain these ids, so they never change. */
export type NotInspectedCause =
  | 'chart-elsewhere'
  | 'source-elsewhere'
  | 'values-elsewhere'
  | 'values-outside'
  | 'values-replaced'
  | 'file-parameters'
  | 'plugin'
  | 'ignored'
  | 'nothing-to-apply'
  | 'patched'
  | 'post-renderers'
  | 'template-patch'
  | 'template-not-filled'
  | 'generator-not-read'
  | 'generator-elsewhere'

/** An Argo CD or Flux object that was not fully inspected. */
export interface NotInspected {
  readonly manifest: Manifest
  readonly cause: NotInspectedCause
  readonly reason: string
  /** Where its chart comes from, if the object itself does not have it. */
  readonly url?: string
}

/** Collects the sources that Argo CD and Flux objects deploy, and those that are not in this repository. */
export class GitOpsSources {
  readonly sources: Source[] = []
  readonly notInspected: NotInspected[] = []
  /** Kustomizations without a file: Flux generates them where a folder has none. */
  readonly generated = new Map<string, Kustomization>()
  /** Plain files that an object deploys, and the object: without it, nothing deploys them. */
  readonly plain = new Map<string, string>()
  /** Whether Flux builds Kustomizations of this repository, directly or through a registry. */
  usesFlux = false

  /** Files that Flux passes by in a folder that it deploys, and why. */
  readonly ignoredByFlux = new Map<string, string>()
  /** Symbolic links that the deployer of their folder does not follow, and why. */
  readonly unfollowedLinks = new Map<string, string>()
  /** Files that `ignore` excludes although an object deploys them. */
  readonly ignorable = new Set<string>()

  constructor(readonly repositoryIndex: RepositoryIndex) {}

  skip(manifest: Manifest, cause: NotInspectedCause, reason: string, url?: string): void {
    this.notInspected.push({ manifest, cause, reason, ...(url ? { url } : {}) })
  }

  /** Whether a path of the repository of that URL is one of this repository. */
  isHere(url: string, place: string): boolean {
    const { repository, checkout } = this.repositoryIndex
    return repository.length > 0 ? repository.includes(repositoryName(url)) : checkout.tree.at(place).length > 0
  }

  /** Whether the folder's own Kustomization is left out: a folder that has one is never taken for one that has none. */
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

export function declarationSite({ origin, object }: Manifest): DeclarationSite {
  return { path: origin.path, region: object.region }
}
