import { identityOf, type Manifest } from '../manifest/manifest'
import type { Kustomization } from '../sources/kustomization'

const archive = /(?:^|\/)[._]*(?:archived?|archives|attic|deprecated|disabled|graveyard|obsolete|retired|unused)\//i

/** Whether a file is in a folder of what is kept and no longer deployed, by the name of that. */
export function isInArchive(file: string): boolean {
  return archive.test(file)
}

/**
 * The Argo CD and Flux objects of the head without those of the base that this change moves into an archive, where no Kustomization
 * lists them: nothing applies them any more, as if their files were removed.
 */
export function withoutArchived(
  objects: readonly Manifest[],
  kustomizations: ReadonlyMap<string, Kustomization>,
  base: readonly Manifest[],
  isNew: (file: string) => boolean,
): Manifest[] {
  const listed = new Set([...kustomizations.values()].flatMap(({ leadsTo }) => leadsTo))
  const before = new Set(base.map(({ ref }) => identityOf(ref)))
  return objects.filter(({ ref, origin: { path } }) => {
    const isMoved = isInArchive(path) && isNew(path) && !listed.has(path)
    return !isMoved || !before.has(identityOf(ref))
  })
}
