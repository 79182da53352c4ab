import path from 'node:path/posix'
import { type FluxKustomization, type GivenVariables, variablesGivenBy } from '../../gitops/flux-kustomization'
import { readFluxSource } from '../../gitops/flux-source'
import type { ValuesReference } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import type { FluxArtifact } from '../common/flux-artifact'
import type { GitOpsSources } from '../common/gitops-sources'
import { fluxRevision, provides } from '../common/tracked-revision'
import { ComposedArtifacts, type NamedSource } from './composed-artifacts'
import { FluxArtifacts } from './flux-artifacts'
import { holderOf, variablesIn } from './flux-values'

/** The objects that Flux objects name: the sources of their files, and the ConfigMaps and Secrets of their values. */
export class FluxReferences {
  readonly artifacts: FluxArtifacts
  private readonly composed: ComposedArtifacts
  private generators: readonly Manifest[] | undefined
  private byName: Map<string, Manifest[]> | undefined
  private readonly nearest = new Map<string, readonly Manifest[]>()
  private readonly holders = new Map<string, readonly Manifest[]>()
  private given: { readonly names: readonly string[] | undefined } | undefined
  private readonly tracked = new Set<Manifest>()

  constructor(
    private readonly manifests: readonly Manifest[],
    private readonly named: GitOpsSources,
  ) {
    this.artifacts = new FluxArtifacts(named.repositoryIndex)
    this.composed = new ComposedArtifacts(this, named)
  }

  sourceOf(reference: Cursor, own: string, manifest: Manifest): Manifest | undefined {
    return this.sourceNamed({ reference, kind: textAt(reference.at('kind')), namespace: own, by: manifest })
  }

  /** The source that an object names, whose kind may be known without being written. */
  sourceNamed({ reference, kind, namespace: own, by }: NamedSource): Manifest | undefined {
    const namespace = textAt(reference.at('namespace')) || own
    const named = this.near(by, kind, textAt(reference.at('name'))).filter(
      ({ ref }) => ref.group === 'source.toolkit.fluxcd.io',
    )
    return named.find(({ ref }) => ref.namespace === namespace) ?? named[0]
  }

  generatorsFor(by: Manifest): readonly Manifest[] {
    this.generators ??= this.manifests.filter(({ ref }) => groupKindOf(ref) === gitOpsKind.artifactGenerator)
    return this.named.nearTo(by, this.generators)
  }

  /** The folder of the chart in an artifact that is put together from others. */
  composedChart(reference: Cursor, own: string, manifest: Manifest) {
    return this.composed.chartOf(reference, own, manifest)
  }

  /** The folder of this repository that is a folder of an artifact, if it is put together from others. */
  composedFolder(reference: Cursor, own: string, manifest: Manifest, folder: string) {
    return this.composed.folderOf(reference, own, manifest, folder)
  }

  urlOf(reference: Cursor, own: string, manifest: Manifest): string {
    const source = this.sourceOf(reference, own, manifest)
    return source ? textAt(readFluxSource(source.root).url) : ''
  }

  /** The artifact that an object takes its files from. */
  artifactOf(reference: Cursor, own: string, manifest: Manifest): FluxArtifact {
    return this.artifacts.of(this.sourceOf(reference, own, manifest))
  }

  /** The files that decide what is in that artifact. */
  definitionsOf(reference: Cursor, own: string, manifest: Manifest): string[] {
    const source = this.sourceOf(reference, own, manifest)
    return [...(source ? [source.origin.path] : []), ...this.named.repositoryIndex.sourceIgnores.keys()]
  }

  /** The ConfigMap or Secret that an object takes values or variables from. */
  holderOf(reference: Pick<ValuesReference, 'kind' | 'name'>, own: string, manifest: Manifest): Manifest | undefined {
    return holderOf(reference, own, this.near(manifest, textAt(reference.kind), textAt(reference.name)))
  }

  /**
   * All objects of this repository that may be the one that an object takes variables from, in any namespace and
   * cluster, with the objects that make such a Secret.
   */
  holdersOf({ kind, name }: Pick<ValuesReference, 'kind' | 'name'>): readonly Manifest[] {
    const [wanted, called] = [textAt(kind), textAt(name)]
    const key = `${wanted}/${called}`
    const known = this.holders.get(key)
    if (known) return known
    const makes = (one: Manifest) => secretsMadeBy(one).some((made) => made.name === called)
    const found = this.manifests.filter((one) =>
      one.ref.kind === wanted ? one.ref.name === called : wanted === 'Secret' && makes(one),
    )
    this.holders.set(key, found)
    return found
  }

  /**
   * The names of all variables that a Kustomization may have: its own, and those that the patches of any Kustomization
   * give to others.
   *
   * @returns undefined where some are unknown
   */
  variablesOf({ substitute, substituteFrom }: FluxKustomization): readonly string[] | undefined {
    const { names: given } = this.givenVariables
    const names = [...substitute.entries()].map(([name]) => name)
    const own = given && this.variablesIn({ names, substituteFrom })
    return own && [...new Set([...own, ...given])].sort()
  }

  private get givenVariables() {
    if (!this.given) {
      const given = this.manifests
        .filter(({ ref }) => groupKindOf(ref) === gitOpsKind.fluxKustomization)
        .map(variablesGivenBy)
      const names = given.flatMap((one) => one.names)
      const substituteFrom = given.flatMap((one) => one.substituteFrom)
      this.given = { names: this.variablesIn({ names, substituteFrom }) }
    }
    return this.given
  }

  /** The names of the variables that some objects give; undefined where some are unknown. */
  variablesIn(given: GivenVariables): readonly string[] | undefined {
    return variablesIn(given, (reference) => this.holdersOf(reference))
  }

  /** Adds the GitRepository by which an object takes this repository. */
  track(reference: Cursor, own: string, manifest: Manifest, kind = textAt(reference.at('kind'))): void {
    const name = textAt(reference.at('name'))
    const namespace = textAt(reference.at('namespace')) || own
    const source = this.sourceNamed({ reference, kind, namespace: own, by: manifest })
    const provider = source && provides(source, name, namespace) ? source : undefined
    const at = this.named.siteOf(manifest, reference.at('name'))
    this.named.references.push({ manifest, name, namespace, provider, at })
    if (!source || this.tracked.has(source)) return
    this.tracked.add(source)
    const revision = fluxRevision(readFluxSource(source.root))
    this.named.track(source, '', revision, revision.at)
  }

  /** The objects that a reference of an object may mean, those that come with the object first. */
  private near(manifest: Manifest, kind: string, name: string): readonly Manifest[] {
    if (!this.byName) {
      this.byName = new Map()
      for (const one of this.manifests) {
        const key = `${one.ref.kind}/${one.ref.name}`
        const there = this.byName.get(key)
        if (there) there.push(one)
        else this.byName.set(key, [one])
      }
    }
    // The objects of one rendering and of one folder have the same ones near.
    const folder = path.dirname(manifest.origin.path)
    const key = JSON.stringify([this.named.bringerOf(manifest)?.source.id, folder, kind, name])
    const known = this.nearest.get(key)
    if (known) return known
    const near = this.named.nearTo(manifest, this.byName.get(`${kind}/${name}`) ?? [])
    this.nearest.set(key, near)
    return near
  }
}
