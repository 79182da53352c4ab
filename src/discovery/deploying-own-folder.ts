import path from 'node:path/posix'
import { readApplication } from '../gitops/application'
import { readFluxKustomization } from '../gitops/flux-kustomization'
import { gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import { inside, placeInArtifact } from '../sources/places'

/**
 * The files with an Application or a Kustomization of Flux that deploys the very folder which the file is in. Where the
 * Kustomization of that folder does not list it, it is the entry that somebody applies by hand.
 */
export function filesDeployingOwnFolder(objects: readonly Manifest[]): Set<string> {
  const own = objects.filter((manifest) => foldersOf(manifest).includes(path.dirname(manifest.origin.path)))
  return new Set(own.map(({ origin }) => origin.path))
}

/** The folders that an object names, from the root of the repository. */
function foldersOf({ ref, root }: Manifest): string[] {
  switch (groupKindOf(ref)) {
    case gitOpsKind.application:
      return readApplication(root).sources.flatMap((source) => inside('', textAt(source.path)) || [])
    case gitOpsKind.fluxKustomization: {
      const place = placeInArtifact(textAt(readFluxKustomization(root).path))
      return place ? [place] : []
    }
    default:
      return []
  }
}
