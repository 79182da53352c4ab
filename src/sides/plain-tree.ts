import type { Discovery } from '../discovery/discover'
import type { Skipped } from '../finding/report'
import { nameOf } from '../manifest/manifest'
import type { Tree } from '../revision/tree'

/**
 * The tree of a side without the files that belong to charts, Kustomizations and inventories, and with the files that
 * were excluded.
 */
export function withoutOwned(
  tree: Tree,
  { ownership, notInspected }: Discovery,
  inventories: ReadonlySet<string>,
): Tree {
  const orphans = new Map<string, string[]>()
  const files = new Map(tree.files)
  for (const path of inventories) files.delete(path)
  for (const [path, { deployed, reason }] of ownership) {
    if (files.delete(path) && !deployed) orphans.set(reason, [...(orphans.get(reason) ?? []), path])
  }
  const skipped = [...orphans].map(([reason, [path = '', ...more]]): Skipped => {
    return {
      path,
      reason: more.length > 0 ? `${reason}; the same applies to ${more.length} more` : reason,
      cause: 'orphan',
    }
  })
  const passedOver = notInspected.map(
    ({ manifest, cause, reason }): Skipped => ({
      path: manifest.origin.path,
      reason: `${nameOf(manifest.ref)}: ${reason}`,
      cause,
    }),
  )
  return { ...tree, files, skipped: [...tree.skipped, ...skipped, ...passedOver] }
}
