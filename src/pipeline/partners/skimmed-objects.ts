import type { FileObjects } from '../../cluster/clusters'
import type { SideOfChange } from '../../sides/side'
import { objectsInFiles } from '../../sources/objects-in-files'
import type { Source } from '../../sources/source'
import type { PartnerSearch } from './partner-search'

/**
 * The objects of an unchanged Kustomization at the file that decides its cluster, read without a build.
 *
 * @returns undefined where they are not known, or the cluster is named
 */
export async function skimmedObjects(
  source: Source,
  { checkout, discovery: { kustomizations } }: SideOfChange,
  search: PartnerSearch,
): Promise<FileObjects | undefined> {
  if (source.kind !== 'kustomize' || !('path' in source.target)) return undefined
  const refs = await objectsInFiles(source, kustomizations, checkout, (text) => search.identitiesIn(text))
  return refs && { path: source.target.path, sides: ['base', 'head'], refs }
}
