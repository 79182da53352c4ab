import type { HelmRelease } from '../gitops/helm-release'
import { isUnderOtherName } from '../manifest/assumption'
import type { BlocksOfChart } from '../manifest/load'
import type { FluxApply, ObjectRef } from '../manifest/manifest'
import type { Region } from '../region'
import { heldFolderOf } from '../revision/held-files'

/**
 * The declaration of a source: a line of the config, an Argo CD or Flux object, a `Chart.yaml`, a `kustomization.yaml`.
 */
export interface DeclarationSite {
  readonly path: string
  readonly region: Region
}

/**
 * The ways to find a source, strongest first. Probed sources are charts with values that no known release has; what is
 * found in them alone is an assumption.
 */
export type SourceOrigin = 'declared' | 'named' | 'discovered' | 'probed'

/** The cluster that a source's objects are deployed to: a named one, or that of a path of the repository. */
export type Target = { readonly cluster: string } | { readonly path: string }

interface CommonSource {
  /** Equal on both sides of a change for the same source. */
  readonly id: string
  readonly target: Target
  readonly origin: SourceOrigin
  readonly declaredAt: DeclarationSite
  /** The place of the fields that an object lays over its files, if not in these. */
  readonly overlaidAt?: DeclarationSite
  /** The place of the namespace that Fleet puts all of its objects into; it then refuses those of kinds without one. */
  readonly forcedAt?: DeclarationSite
  /** Further files that define it: ConfigMaps with its values or variables, and the files by which it is applied. */
  readonly definitionFiles?: readonly string[]
  /** Whether it is deployed with a part that is not inspected here, which may cause a failure. */
  readonly incomplete?: true
  /**
   * Set where the chart or the Kustomization is not one of the repository: its folder is then the one in which its
   * checkout holds it.
   */
  readonly fetched?: FetchedFrom
  /** Its id at the base, if the head describes it differently and it is rendered with its old definition. */
  readonly baseSourceId?: string
}

/** Values of a release: a file of the repository, or text from another place. */
export type Values = { readonly path: string } | { readonly text: string; readonly name: string }

/** A value as `--set` takes it, or `--set-string`. */
export interface Parameter {
  /** `controller.scope.enabled=true`, with the escapes of helm. */
  readonly assignment: string
  readonly isText: boolean
}

/** The changes that Flux or helmfile makes to the output of helm. */
export interface PostRenderers {
  readonly deployer: 'Flux' | 'helmfile'
  /** The field that they are written in. */
  readonly field: string
  /** The renderers, as a HelmRelease has them, in their order. */
  readonly renderers: readonly unknown[]
  /** The strategy, which decides whether they apply to hooks, too: not with `nohooks`. */
  readonly strategy: string
  readonly at: DeclarationSite
}

/** The origin of a chart that is not in the repository. */
export interface FetchedFrom {
  readonly repository: string
  readonly chart: string
  /** The version that was fetched. */
  readonly version: string
  /** The line that requests the version. */
  readonly at: DeclarationSite
  /** The object that installs it. */
  readonly by: ObjectRef
  /** The values that it reads, if it is a chart. */
  readonly blocks: BlocksOfChart
}

/** The files of the repository that a deployer gets, where it does not get all. */
export interface PackedFiles {
  has(file: string): boolean
  /** Why a file is not among them. */
  whyNot(file: string): string
}

/** A chart as it is installed. Paths start at the repository's root. */
export interface HelmSource extends CommonSource {
  readonly kind: 'helm'
  /** A folder with `Chart.yaml`, or a packaged chart. */
  readonly chart: string
  /** Laid over the chart's own, in this order. */
  readonly values: readonly Values[]
  /** Single values by their paths: `controller.scope.enabled` → true. */
  readonly set: Readonly<Record<string, unknown>>
  /** Single values as text, which helm parses; they win over all others. */
  readonly parameters?: readonly Parameter[]
  readonly release: string
  readonly namespace: string
  readonly postRenderers?: PostRenderers
  readonly kubeVersion?: string
  readonly apiVersions?: readonly string[]
  readonly skipCrds?: boolean
  /** The policies of Flux for the CRDs in `crds/`, if it installs the release. */
  readonly crds?: HelmRelease['crds']
  /** The namespace in which Flux keeps the record of the release, if it installs it. */
  readonly storage?: string
  /** Whether Flux upgrades a release whose chart has another name; otherwise it uninstalls it first. */
  readonly keepsRenamed?: true
  /** Set where Flux packs the chart from this repository. */
  readonly packed?: PackedFiles
  /** The values that are supposed of a probed chart, as messages name them: `ingress.enabled=true`. */
  readonly supposed?: string
  /** The values that it is deployed with and that are unknown, as messages name them: `secrets.yaml, which is not here`. */
  readonly lacking?: string
  /** The values files that only helm-secrets can read, if it reads any values of the release. */
  readonly encrypted?: readonly string[]
  /** Whether a config management plugin of Argo CD renders it, which may replace texts in what helm prints. */
  readonly byPlugin?: true
  /** Whether the version of the chart is longer than it is written, by what differs with each revision. */
  readonly isVersionLonger?: true
}

/** A Kustomization that is deployed directly. */
export interface KustomizeSource extends CommonSource {
  readonly kind: 'kustomize'
  /** The folder that holds the `kustomization.yaml`. */
  readonly root: string
  /** The fields that an Argo CD or Flux object lays over it, in the form of a `kustomization.yaml`. */
  readonly overlay?: Readonly<Record<string, unknown>>
  /** Whether a Namespace keeps its name under the overlay's `namespace`: Fleet sets it on the objects in Namespaces. */
  readonly keepsNamespaces?: true
  /** Whether files may be taken in that do not lie in the folder or below it. */
  readonly allowsOutsideFiles?: true
  /** Components that it lays over it, from the repository's root. */
  readonly components?: readonly string[]
  /** The namespace for objects that have none. */
  readonly namespace?: string
  /** Set where Flux applies its objects. */
  readonly flux?: FluxApply
  /** The values that Flux substitutes for `${name}` in the output. */
  readonly substitutions?: Readonly<Record<string, string>>
  /** The names of all variables that Flux has for it, also of those whose values are not known; undefined if some are not. */
  readonly variables?: readonly string[]
  /** The objects that its file names for variables, and that a patch takes from it. */
  readonly replacedHolders?: readonly ReplacedHolder[]
}

/** An object that variables are no longer taken of. */
export interface ReplacedHolder {
  /** As messages name it: `Secret credentials`. */
  readonly title: string
  /** The names of its variables; undefined where they are not known. */
  readonly variables?: readonly string[]
}

/** A definition that yields manifests by rendering. */
export type Source = HelmSource | KustomizeSource

/**
 * The fields of a source that decide its rendering: not its name, its place or its cluster. The namespace of a
 * Kustomization is set on the objects after they are rendered, and the names of its variables are compared then.
 */
export function inputsOf(source: Source): object {
  const {
    id: _,
    target: __,
    declaredAt: ___,
    origin: ____,
    definitionFiles: _____,
    baseSourceId: ______,
    incomplete: _______,
    overlaidAt: ________,
    forcedAt,
    ...own
  } = source
  // The folder of a fetched chart identifies it, as its files do for one that is packed.
  const later =
    source.kind === 'kustomize'
      ? { namespace: undefined, variables: undefined, replacedHolders: undefined, flux: undefined }
      : {}
  return { ...own, isForced: forcedAt && true, fetched: undefined, packed: undefined, ...later }
}

/** The folder (or archive) that a source renders. */
export function placeOf(source: Source): string {
  return source.kind === 'helm' ? source.chart : source.root
}

/** `release two/ingress-nginx of charts/ingress-nginx with teams/two/values.yaml`: how messages name a source. */
export function nameOfSource(source: Source): string {
  if (source.kind === 'kustomize') return `the Kustomization ${nameOfRoot(source)}`
  const values = namesOfValues(source)
  const using = values.length > 0 ? ` with ${values.join(', ')}` : ''
  return `release ${source.namespace}/${source.release} of ${nameOfChart(source)}${using}`
}

/** A source in a few words: `charts/web (values-prod.yaml)`. */
export function titleOf(source: Source): string {
  if (source.kind === 'kustomize') return `the Kustomization ${nameOfRoot(source)}`
  const values = namesOfValues(source)
  return `${nameOfChart(source)}${values.length > 0 ? ` (${values.join(', ')})` : ''}`
}

/** Whether a supposed release has another name than its chart. */
export function isRenamed({ id }: Source): boolean {
  return isUnderOtherName(id)
}

/**
 * The values of a release as messages name them: files by their paths, those of a chart that was fetched within the
 * chart.
 */
export function namesOfValues({ values, chart, fetched, supposed }: HelmSource): string[] {
  const isOfChart = (file: string) => fetched !== undefined && file.startsWith(`${chart}/`)
  const isHeld = (file: string) => heldFolderOf(file) !== ''
  if (values.length === 0 && supposed !== undefined) return [supposed]
  return values.map((one) => {
    if ('text' in one) return one.name
    if (isOfChart(one.path)) return one.path.slice(chart.length + 1)
    return isHeld(one.path) ? one.path.slice(heldFolderOf(one.path).length + 1) : one.path
  })
}

/**
 * `charts/web`, or `ingress-nginx 4.11.3 of https://kubernetes.github.io/ingress-nginx` for a chart that was fetched.
 */
export function nameOfChart({ chart, fetched }: HelmSource): string {
  return fetched ? nameOfFetched(fetched) : chart || '.'
}

/** The folder of a Kustomization, in the same way. */
export function nameOfRoot({ root, fetched }: KustomizeSource): string {
  return fetched ? nameOfFetched(fetched) : root || '.'
}

function nameOfFetched(fetched: FetchedFrom): string {
  const named = [fetched.chart, fetched.version].filter(Boolean).join(' ')
  return `${named} of ${fetched.repository}`
}
