import type { FluxKustomization } from '../../gitops/flux-kustomization'
import type { Manifest } from '../../manifest/manifest'
import type { Target } from '../../sources/source'
import type { GitOpsSources } from '../common/gitops-sources'

/** A Flux Kustomization of a folder of this repository. */
export interface FluxTree {
  readonly manifest: Manifest
  readonly kustomization: FluxKustomization
  readonly place: string
  /** Every file that it applies something of. */
  readonly files: ReadonlySet<string>
  /** The Kustomizations that it includes. */
  readonly written: readonly string[]
  /** The files that say what its artifact is put together from. */
  readonly definedIn?: readonly string[]
  /** The folder is not there. */
  readonly isMissing?: true
  /** The path has variables, and this is one of the folders that it may mean. */
  readonly isPossible?: true
}

/** The Flux Kustomizations that apply an object: they decide its cluster. */
export class FluxOwners {
  private readonly treesByFile = new Map<string, FluxTree[]>()

  constructor(
    trees: readonly FluxTree[],
    private readonly named: GitOpsSources,
  ) {
    for (const tree of trees) {
      for (const file of tree.files) {
        const there = this.treesByFile.get(file)
        if (there) there.push(tree)
        else this.treesByFile.set(file, [tree])
      }
    }
  }

  of({ origin }: Manifest): readonly FluxTree[] {
    return this.treesByFile.get(origin.path) ?? []
  }

  /** The clusters that an object is deployed to: those of the trees that apply it, otherwise those of its own file. */
  targetsOf(manifest: Manifest): Target[] {
    const targets = new Map<string, Target>()
    const add = (target: Target) => targets.set(JSON.stringify(target), target)
    const seen = new Set([manifest])
    let inCircle: Manifest | undefined
    const open = [manifest]
    for (let one = open.pop(); one; one = open.pop()) {
      const own = one
      const bringer = this.named.bringerOf(own)
      if (bringer) {
        add(bringer.source.target)
        continue
      }
      const owners = this.of(own).filter((tree) => tree.manifest !== own)
      if (owners.length === 0) add({ path: own.origin.path })
      const further = owners.filter(({ manifest: above }) => !seen.has(above))
      if (further.length === 0) inCircle ??= own
      for (const { manifest: above, kustomization } of further) {
        seen.add(above)
        if (kustomization.kubeConfig.exists) add(elsewhere(above))
        else open.push(above)
      }
    }
    if (targets.size === 0) add({ path: (inCircle ?? manifest).origin.path })
    return [...targets.values()]
  }

  /** The files by which an object is applied: the trees above it, with the Kustomizations that they include. */
  appliedBy(manifest: Manifest, seen = new Set<FluxTree>()): readonly string[] {
    const bringer = this.named.bringerOf(manifest)
    if (bringer) return bringer.definitionFiles
    return this.of(manifest).flatMap((owner) => {
      if (seen.has(owner)) return []
      seen.add(owner)
      return [owner.manifest.origin.path, ...owner.written, ...this.appliedBy(owner.manifest, seen)]
    })
  }
}

/** The id of the source of an object in one cluster. */
export function idOf({ ref, origin }: Manifest, target: Target): string {
  return `flux:${ref.kind}/${ref.namespace}/${ref.name}:${origin.path}:${JSON.stringify(target)}`
}

/** An object with its own kubeconfig is deployed to a cluster that no other object names. */
export function elsewhere({ ref, origin }: Manifest): Target {
  return { cluster: `${ref.name} of ${origin.path}` }
}
