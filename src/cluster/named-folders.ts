import { ancestors } from './folders'

/**
 * The sibling folders that have names of clusters, two or more: `rbac/east` and `rbac/west`, where Argo CD deploys to
 * clusters with these names.
 *
 * @param paths the files of a revision
 * @param names the names of the clusters that its objects deploy to
 */
export function foldersNamedAsClusters(paths: Iterable<string>, names: ReadonlySet<string>): Set<string> {
  if (names.size < 2) return new Set()
  const siblings = new Map<string, Set<string>>()
  const seen = new Set<string>()
  for (const path of paths) {
    const parent = path.slice(0, path.lastIndexOf('/') + 1)
    if (seen.has(parent)) continue
    seen.add(parent)
    for (const folder of ancestors(path)) {
      const start = folder.lastIndexOf('/') + 1
      if (!names.has(folder.slice(start))) continue
      const its = siblings.get(folder.slice(0, start)) ?? new Set()
      siblings.set(folder.slice(0, start), its.add(folder))
    }
  }
  return new Set([...siblings.values()].flatMap((folders) => (folders.size > 1 ? [...folders] : [])))
}
