import path from 'node:path/posix'
import { isDefaultHelmfile } from '../../deployers/fleet-helmfile/helmfile'
import type { LedgerEntry } from '../../ledger/entry'
import type { SideOfChange } from '../../sides/side'

/**
 * Marks files that are not judged and that the change only gives another name in their folder: the file of the new name,
 * with the same content, is not judged for the same cause. Each new file is that of one old file, and a name by which
 * helmfile finds a file by itself is no other name.
 */
export function withRenames(
  entries: readonly LedgerEntry[],
  base: SideOfChange,
  head: SideOfChange,
): readonly LedgerEntry[] {
  const added = new Set(entries.filter(({ change, state }) => change === 'added' && state === 'not-judged'))
  const idOf = (file: string, { checkout }: SideOfChange) => checkout.tree.entries.get(file)?.id
  return entries.map((entry) => {
    if (entry.change !== 'removed' || entry.state !== 'not-judged') return entry
    const id = idOf(entry.path, base)
    const renamed = [...added].find(
      (one) =>
        one.cause === entry.cause &&
        path.dirname(one.path) === path.dirname(entry.path) &&
        isDefaultHelmfile(one.path) === isDefaultHelmfile(entry.path) &&
        id !== undefined &&
        idOf(one.path, head) === id,
    )
    if (!renamed) return entry
    added.delete(renamed)
    return { ...entry, renamedTo: renamed.path }
  })
}
