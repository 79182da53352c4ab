import { readFluxSource } from '../../gitops/flux-source'
import type { Manifest } from '../../manifest/manifest'
import { closureOf, inside } from '../../sources/kustomization'
import { FluxArtifact } from '../common/flux-artifact'
import type { RepositoryIndex } from '../common/gitops-sources'

/** The artifacts of the repository that Flux packs, each once. */
export class FluxArtifacts {
  private readonly known = new Map<string, FluxArtifact>()

  constructor(private readonly index: RepositoryIndex) {}

  /** The artifact of a GitRepository; without one, it has the defaults. */
  of(source: Manifest | undefined): FluxArtifact {
    const { ignore, sparseCheckout } = source ? readFluxSource(source.root) : {}
    const key = JSON.stringify([ignore?.value, sparseCheckout?.value])
    const known = this.known.get(key)
    if (known) return known
    const artifact = new FluxArtifact(source, this.index.sourceIgnores)
    this.known.set(key, artifact)
    return artifact
  }

  /**
   * The reason why Flux cannot build a folder: its artifact lacks the folder, or a file that its Kustomizations
   * include.
   */
  lacks(artifact: FluxArtifact, place: string): string | undefined {
    const { checkout, kustomizations } = this.index
    const files = checkout.tree.at(place)
    const taken = closureOf(place, kustomizations).flatMap(({ folder, file, includes, patches }) => {
      const included = includes.flatMap(({ text }) => inside(folder, text) ?? [])
      return [file, ...included.filter((one) => checkout.has(one)), ...patches]
    })
    const lost =
      files.length > 0 && !files.some((file) => artifact.has(file))
        ? place || '.'
        : taken.find((file) => checkout.has(file) && !artifact.has(file))
    return lost === undefined ? undefined : notInArtifact(lost)
  }
}

/** The reason for which Flux does not get a file or folder of the repository. */
export function notInArtifact(place: string): string {
  return `Flux does not get ${place}: a .sourceignore, or ignore or sparseCheckout of its GitRepository, excludes it`
}
