import { isDeepStrictEqual } from 'node:util'
import { gitOpsKind } from '../gitops/kinds'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import type { Followed } from './followed'
import { keyOf } from './object-keys'

/** The number of times that one object is read anew: its patches may patch itself, and give it variables. */
const mostRounds = 4

/**
 * The Flux Kustomizations that are in the folder which they deploy, as kustomize renders them there: what the cluster has
 * is the rendering, with the patches that the Kustomization beside the file gives it.
 * https://fluxcd.io/flux/installation/configuration/bootstrap-customization/
 */
export class SelfPatched {
  /** The newest rendering of an object of a file. */
  private readonly newest = new Map<Manifest, Manifest>()
  private readonly rounds = new Map<Manifest, number>()

  /** An object of a file as its own folder renders it. */
  asRendered(written: Manifest): Manifest {
    return this.newest.get(written) ?? written
  }

  /**
   * Takes the object that deploys a folder as the folder renders it.
   *
   * @param deployer the object that the folder was rendered for
   * @returns whether it differs, so that the folder has to be rendered anew
   */
  take(
    rendered: readonly Manifest[],
    deployer: Manifest | undefined,
    { broughtBy, writtenAs }: Pick<Followed, 'broughtBy' | 'writtenAs'>,
  ): boolean {
    // One that a rendering of another source brings is as that source renders it.
    if (!deployer || broughtBy.has(deployer) || groupKindOf(deployer.ref) !== gitOpsKind.fluxKustomization) return false
    const own = rendered.find((one) => keyOf(one) === keyOf(deployer))
    const written = own && writtenAs.get(own)
    if (!written || this.asRendered(written) !== deployer || isDeepStrictEqual(specOf(own), specOf(deployer)))
      return false
    const before = this.rounds.get(written) ?? 0
    if (before === mostRounds) return false
    this.rounds.set(written, before + 1)
    this.newest.set(written, own)
    return true
  }
}

function specOf({ root }: Manifest): unknown {
  return root.at('spec').value
}
