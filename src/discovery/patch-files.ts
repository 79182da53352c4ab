import type { GitOpsSources } from '../deployers/common/gitops-sources'
import type { Manifest } from '../manifest/manifest'
import { inside, type Kustomization } from '../sources/kustomization'

/**
 * The files that are only patches: a Kustomization names them as such, and none includes them as objects. A file that
 * is also applied in another way, because its folder is deployed as it is, is not among them.
 */
export function patchFilesOf(kustomizations: ReadonlyMap<string, Kustomization>): Set<string> {
  const patches = new Set([...kustomizations.values()].flatMap((one) => one.patches))
  for (const { folder, includes } of kustomizations.values())
    for (const { text } of includes) patches.delete(inside(folder, text) ?? '')
  return patches
}

/** Whether something deploys a patch as an object, too. */
export function isAppliedAsIs({ origin }: Manifest, { plain, generated }: GitOpsSources): boolean {
  return plain.has(origin.path) || [...generated.values()].some(({ leadsTo }) => leadsTo.includes(origin.path))
}
