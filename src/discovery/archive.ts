import path from 'node:path/posix'
import { identityOf, type Manifest } from '../manifest/manifest'
import type { Kustomization } from '../sources/kustomization'
import type { Discovery } from './discover'
import { isBelow } from './roots'

const archive = /(?:^|\/)[._]*(?:archived?|archives|attic|deprecated|disabled|graveyard|obsolete|retired|unused)\//i

/** Whether a file is in a folder of what is kept and no longer deployed, by the name of that. */
export function isInArchive(file: string): boolean {
  return archive.test(file)
}

/**
 * The Argo CD and Flux objects of the head without those of the base that this change moves into an archive, where no
 * Kustomization lists them: nothing applies them any more, as if their files were removed. A folder that is applied and has
 * no Kustomization may be applied with all that is in it, so objects there stay.
 */
export function withoutArchived(
  objects: readonly Manifest[],
  kustomizations: ReadonlyMap<string, Kustomization>,
  base: Pick<Discovery, 'objects' | 'plain' | 'kustomizations'>,
  isNew: (file: string) => boolean,
): Manifest[] {
  const listed = new Set([...kustomizations.values()].flatMap(({ leadsTo }) => leadsTo))
  const plain = [...base.plain.keys()].map((file) => path.dirname(file).replace(/^\.$/, ''))
  const made = [...base.kustomizations.values()].flatMap((one) => (one.made ? [one.folder] : []))
  const folders = new Set([...plain, ...made])
  const before = new Set(base.objects.map(({ ref }) => identityOf(ref)))
  return objects.filter(({ ref, origin: { path: file } }) => {
    const isMoved = isInArchive(file) && isNew(file) && !listed.has(file) && !isBelow(folders, file)
    return !isMoved || !before.has(identityOf(ref))
  })
}
