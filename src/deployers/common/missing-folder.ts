import { readFluxKustomization } from '../../gitops/flux-kustomization'
import { readFluxSource } from '../../gitops/flux-source'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import { placeInArtifact } from '../../sources/places'
import type { DeclarationSite } from '../../sources/source'
import { declarationSite } from './gitops-sources'

/** The line that names a folder which is not there; that of the whole object where a template makes it. */
export function siteOfFolder(manifest: Manifest, at: Cursor): DeclarationSite {
  if (at.manifest !== manifest || manifest.origin.kind !== 'file') return declarationSite(manifest)
  return { path: manifest.origin.path, region: at.region }
}

/** The reason why an object deploys nothing, as words that follow its name. */
export function missingFolder(place: string): string {
  return `there is no folder ${place} in this repository`
}

/**
 * Whether a revision is most likely the branch that this change is merged to; a tag or another branch may have other
 * folders.
 */
export function isMainRevision(revision: string): boolean {
  return ['', 'HEAD', 'main', 'master', 'refs/heads/main', 'refs/heads/master'].includes(revision)
}

export function isOfMainRevision(source: Manifest): boolean {
  const { ref } = readFluxSource(source.root)
  const others = ['tag', 'semver', 'commit', 'name'].some((key) => ref.at(key).exists)
  return !others && isMainRevision(textAt(ref.at('branch')))
}

/**
 * The Flux sources without a definition in the repository that most likely are this repository: as many Kustomizations
 * or more name a folder of theirs that is here as name one that is not.
 */
export class UndefinedSources {
  private readonly votes = new Map<string, number>()

  constructor(kustomizations: readonly Manifest[], { tree }: Checkout) {
    for (const { root, ref } of kustomizations) {
      const { path, sourceRef } = readFluxKustomization(root)
      const place = placeInArtifact(textAt(path) || '.')
      if (place === undefined || place === '') continue
      const key = keyOf(sourceRef, ref.namespace)
      this.votes.set(key, (this.votes.get(key) ?? 0) + (tree.at(place).length > 0 ? 1 : -1))
    }
  }

  areHere(sourceRef: Cursor, own: string): boolean {
    return (this.votes.get(keyOf(sourceRef, own)) ?? -1) >= 0
  }
}

function keyOf(sourceRef: Cursor, own: string): string {
  const text = (key: string) => textAt(sourceRef.at(key))
  return JSON.stringify([text('kind'), text('name'), text('namespace') || own])
}
