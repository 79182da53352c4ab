import { readFluxSource } from '../../gitops/flux-source'
import type { Manifest } from '../../manifest/manifest'
import { closureOf } from '../../sources/kustomization'
import type { PackedFiles } from '../../sources/source'
import { FluxArtifact } from '../common/flux-artifact'
import type { RepositoryIndex } from '../common/gitops-sources'

/** The artifacts of the repository that Flux packs, each once. */
export class FluxArtifacts {
  private readonly known = new Map<string, FluxArtifact>()
  private readonly lacking = new Map<PackedFiles, Map<string, string | undefined>>()

  constructor(private readonly index: RepositoryIndex) {}

  /** The artifact of a GitRepository; without one, it has the defaults. */
  of(source: Manifest | undefined): FluxArtifact {
    const { ignore, sparseCheckout } = source ? readFluxSource(source.root) : {}
    const key = JSON.stringify([ignore?.value, sparseCheckout?.value])
    const known = this.known.get(key)
    if (known) return known
    const { sourceIgnores, checkout } = this.index
    const { entries } = checkout.tree
    const artifact = new FluxArtifact(source, sourceIgnores, (file) => entries.get(file)?.type === 'link')
    this.known.set(key, artifact)
    return artifact
  }

  /**
   * The reason why Flux cannot build a folder: its artifact lacks the folder, or a file that its Kustomizations
   * include.
   */
  lacks(artifact: PackedFiles, place: string): string | undefined {
    const its = this.lacking.get(artifact) ?? new Map<string, string | undefined>()
    this.lacking.set(artifact, its)
    if (!its.has(place)) its.set(place, this.reasonOf(artifact, place))
    return its.get(place)
  }

  private reasonOf(artifact: PackedFiles, place: string): string | undefined {
    const { checkout, kustomizations } = this.index
    const files = checkout.tree.at(place)
    const taken = closureOf(place, kustomizations).flatMap(({ file, leadsTo }) => [file, ...leadsTo])
    const lost =
      files.length > 0 && !files.some((file) => artifact.has(file))
        ? place || '.'
        : taken.find((file) => checkout.has(file) && !artifact.has(file))
    return lost === undefined ? undefined : artifact.whyNot(lost)
  }
}
