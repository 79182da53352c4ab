import { type FluxKustomization, readFluxKustomization, type VariablesReference } from '../../gitops/flux-kustomization'
import { readFluxSource } from '../../gitops/flux-source'
import { textAt } from '../../gitops/text'
import type { Manifest } from '../../manifest/manifest'
import { closureOf, inside, placeInArtifact } from '../../sources/kustomization'
import { componentsOf, fluxOverlayOf } from '../../sources/overlay'
import type { PackedFiles, ReplacedHolder } from '../../sources/source'
import { fieldsOf } from '../../sources/untyped'
import { declarationSite, type GitOpsSources } from '../common/gitops-sources'
import { isOfMainRevision, missingFolder, siteOfFolder, UndefinedSources } from '../common/missing-folder'
import type { NotFollowed } from './composed-artifact'
import { elsewhere, type FluxOwners, type FluxTree, idOf } from './flux-owners'
import type { FluxReferences } from './flux-references'
import { substitutionsOf } from './flux-values'
import { generateKustomization } from './generated-kustomization'
import { foldersFor, mostFolders } from './path-variables'

/** The Flux Kustomizations of one side: first the folder of each is read, then each is deployed to its clusters. */
export class FluxKustomizations {
  private readonly trees: FluxTree[] = []
  private readonly contents = new Map<string, Pick<FluxTree, 'files' | 'written'>>()
  private includedFiles: ReadonlySet<string> | undefined
  private undefinedSources: UndefinedSources | undefined

  /** @param manifests the Kustomizations */
  constructor(
    private readonly manifests: readonly Manifest[],
    private readonly references: FluxReferences,
    private readonly named: GitOpsSources,
  ) {}

  /** The Kustomizations whose folders are in this repository. */
  read(): readonly FluxTree[] {
    for (const manifest of this.manifests) this.readTree(manifest)
    return this.trees
  }

  /** @param owners those of the trees that were read */
  deploy(owners: FluxOwners): void {
    for (const tree of this.trees) this.deployTree(tree, owners)
  }

  /** https://fluxcd.io/flux/components/kustomize/kustomizations/ */
  private readTree(manifest: Manifest, possible?: string): void {
    const kustomization = readFluxKustomization(manifest.root)
    const written = possible ?? textAt(kustomization.path)
    const place = placeInArtifact(written || '.')
    const { sourceRef } = kustomization
    const url = this.references.urlOf(sourceRef, manifest.ref.namespace, manifest)
    const kind = textAt(sourceRef.at('kind'))
    const { checkout } = this.named.repositoryIndex
    const composed = place === undefined ? undefined : this.composed(manifest, kustomization, place)
    if (composed === 'listed') return
    if (composed) {
      this.readFolder({ manifest, kustomization, definedIn: composed.definedIn }, composed.place, composed.files)
      return
    }
    const isThere = place !== undefined && checkout.tree.at(place).length > 0
    if (!isThere && kind === 'GitRepository' && this.readPossible(manifest, written, url)) return
    // A patch for a Kustomization in another file, which gets its source by this patch.
    const isTaken = this.named.bringerOf(manifest) !== undefined || this.included.has(manifest.origin.path)
    if (kind === '' && !(isThere && written !== '' && isTaken)) return
    // Flux's own GitRepository is often created at installation, and is only in the cluster.
    const here =
      place !== undefined && ['GitRepository', ''].includes(kind) && (url ? this.named.isHere(url, place) : isThere)
    if (place !== undefined && !isThere && this.isOurs(kustomization, manifest)) {
      this.named.skip(manifest, 'folder-missing', missingFolder(place))
      // A suspended object changes nothing, so it is no error yet.
      if (!kustomization.suspended)
        this.trees.push({ manifest, kustomization, place, files: new Set(), written: [], isMissing: true })
      return
    }
    if (!here) {
      const source = url ? this.references.sourceOf(sourceRef, manifest.ref.namespace, manifest) : undefined
      const at = source ? this.named.siteOf(source, readFluxSource(source.root).url) : undefined
      this.named.skip(
        manifest,
        'source-elsewhere',
        `${[url || `${kind} ${textAt(sourceRef.at('name'))}`, written].filter(Boolean).join(' ')} is not in this repository`,
        {
          at: at ?? this.named.siteOf(manifest, sourceRef.at('kind')),
          fields: this.named.fieldsOf(manifest, [sourceRef.at('kind'), sourceRef.at('name'), kustomization.path]),
          ...(place && kind === 'GitRepository' && !url && !kustomization.suspended
            ? { folder: { place, at: this.named.siteOf(manifest, kustomization.path) } }
            : {}),
        },
      )
      return
    }
    if (kind !== '') this.references.track(sourceRef, manifest.ref.namespace, manifest)
    const artifact = this.references.artifactOf(sourceRef, manifest.ref.namespace, manifest)
    this.readFolder(
      { manifest, kustomization, ...(possible === undefined ? {} : { isPossible: true }) },
      place,
      artifact,
    )
  }

  /**
   * The folder of an artifact that is put together from others; undefined for any other artifact.
   *
   * @returns 'listed' where the folder is not followed
   */
  private composed(manifest: Manifest, { sourceRef, path: written }: FluxKustomization, folder: string) {
    const found = this.references.composedFolder(sourceRef, manifest.ref.namespace, manifest, folder)
    if (!found) return undefined
    const at = this.named.siteOf(manifest, written.exists ? written : sourceRef.at('name'))
    const listElsewhere = ({ reason }: NotFollowed) => this.named.skip(manifest, 'source-elsewhere', reason, { at })
    if ('reason' in found) {
      listElsewhere(found)
      return 'listed'
    }
    for (const one of found.missing) listElsewhere(one)
    if (this.named.repositoryIndex.checkout.tree.at(found.place).length > 0) return found
    this.named.skip(manifest, 'folder-missing', missingFolder(found.place), { at })
    return 'listed'
  }

  private readFolder(its: Omit<FluxTree, 'place' | 'files' | 'written'>, place: string, artifact: PackedFiles): void {
    const { manifest } = its
    const { generated } = this.named
    if (this.named.isIgnored(place)) {
      this.named.skip(manifest, 'ignored', `${place || '.'} is excluded by \`ignore\``)
      return
    }
    const absent = this.references.artifacts.lacks(artifact, place)
    if (absent !== undefined) {
      this.named.skip(manifest, 'not-in-artifact', absent)
      return
    }
    if (!this.named.kustomization(place)) {
      const made = generateKustomization(place, manifest, artifact, this.named)
      if (made.leadsTo.length === 0) {
        this.named.skip(manifest, 'nothing-to-apply', `there is nothing to apply in ${place || '.'}`)
        return
      }
      generated.set(place, made)
      this.contents.clear()
    }
    this.trees.push({ ...its, place, ...this.contentsOf(place) })
  }

  /** The files of a folder, once for all objects that deploy it: one of each cluster may do so. */
  private contentsOf(place: string): Pick<FluxTree, 'files' | 'written'> {
    const known = this.contents.get(place)
    if (known) return known
    const taken = closureOf(place, { get: (folder) => this.named.kustomization(folder) })
    const contents = {
      files: new Set(taken.flatMap(({ file, made, leadsTo }) => (made ? leadsTo : [file, ...leadsTo]))),
      written: taken.map(({ file }) => file),
    }
    this.contents.set(place, contents)
    return contents
  }

  /** Reads each folder that a path with unknown variables may mean; whether there is one. */
  private readPossible(manifest: Manifest, written: string, url: string): boolean {
    const { folders = [], hasMore = false } = foldersFor(written, this.named.repositoryIndex.checkout) ?? {}
    const here = folders.filter((folder) => !url || this.named.isHere(url, folder))
    for (const folder of here) this.readTree(manifest, folder)
    if (hasMore && here.length > 0)
      this.named.skip(
        manifest,
        'too-many',
        `more than ${mostFolders} folders match its path ${written}; the rest is not judged as its own`,
      )
    return here.length > 0
  }

  /** Whether a Kustomization takes its folder of this repository, at the revision that this change is merged to. */
  private isOurs({ sourceRef, path: at }: FluxKustomization, manifest: Manifest): boolean {
    if (textAt(sourceRef.at('kind')) !== 'GitRepository' || /\$\{|\{\{/.test(textAt(at))) return false
    const { namespace } = manifest.ref
    const source = this.references.sourceOf(sourceRef, namespace, manifest)
    if (source) {
      const url = textAt(readFluxSource(source.root).url)
      const { repository } = this.named.repositoryIndex
      return isOfMainRevision(source) && repository.length > 0 && this.named.isHere(url, '')
    }
    this.undefinedSources ??= new UndefinedSources(this.manifests, this.named.repositoryIndex.checkout)
    return this.undefinedSources.areHere(sourceRef, namespace)
  }

  /** The files that Kustomizations include unchanged. */
  private get included(): ReadonlySet<string> {
    this.includedFiles ??= new Set(
      [...this.named.repositoryIndex.kustomizations.values()].flatMap(({ folder, includes }) =>
        includes.flatMap(({ text }) => inside(folder, text) ?? []),
      ),
    )
    return this.includedFiles
  }

  private deployTree(
    { manifest, kustomization, place, isMissing, isPossible, written, files, definedIn = [] }: FluxTree,
    owners: FluxOwners,
  ): void {
    const { kubeConfig, postBuild, substituteFrom, forces } = kustomization
    // Each of several folders belongs to the cluster of that folder.
    const own = isPossible ? [{ path: written[0] ?? [...files][0] ?? place }] : owners.targetsOf(manifest)
    const all = kubeConfig.exists && !isPossible ? [elsewhere(manifest)] : own
    const targets = all.filter((target) => !this.named.deployers.has(idOf(manifest, target)))
    if (targets.length === 0) return
    const spec = fieldsOf(kustomization.spec.value)
    const overlay = fluxOverlayOf(spec)
    const components = componentsOf(spec, place, this.named.repositoryIndex.checkout)
    const holders = substituteFrom.flatMap(
      (reference) => this.references.holderOf(reference, manifest.ref.namespace, manifest) ?? [],
    )
    const variables = postBuild.value ? this.references.variablesOf(kustomization) : undefined
    const replacedHolders = variables ? this.replacedHoldersOf(manifest, kustomization) : []
    for (const target of targets) {
      this.named.add(
        {
          kind: 'kustomize',
          id: idOf(manifest, target),
          origin: 'named',
          target,
          declaredAt: isMissing ? siteOfFolder(manifest, kustomization.path) : declarationSite(manifest),
          root: place,
          ...(isPossible ? { incomplete: true as const } : {}),
          // https://github.com/fluxcd/pkg/blob/kustomize/v1.22.0/kustomize/kustomize_generator.go
          allowsOutsideFiles: true,
          flux: { forces },
          ...(overlay ? { overlay } : {}),
          ...(components.length > 0 ? { components } : {}),
          definitionFiles: [...holders.map(({ origin }) => origin.path), ...definedIn, ...owners.appliedBy(manifest)],
          ...(postBuild.value ? { substitutions: substitutionsOf(kustomization, holders) } : {}),
          ...(variables ? { variables } : {}),
          ...(replacedHolders.length > 0 ? { replacedHolders } : {}),
        },
        manifest,
      )
    }
  }

  /** The objects that the file of a Kustomization names for variables, and not the rendering that brings it. */
  private replacedHoldersOf(manifest: Manifest, { substituteFrom }: FluxKustomization): ReplacedHolder[] {
    const written = this.named.repositoryIndex.writtenAs.get(manifest)
    const titleOf = ({ kind, name }: VariablesReference) => `${textAt(kind)} ${textAt(name)}`
    const kept = new Set(substituteFrom.map(titleOf))
    const all = written ? readFluxKustomization(written.root).substituteFrom : []
    return all.flatMap((reference) => {
      const title = titleOf(reference)
      const variables = this.references.variablesIn({ names: [], substituteFrom: [reference] })
      return kept.has(title) ? [] : [{ title, ...(variables ? { variables } : {}) }]
    })
  }
}
