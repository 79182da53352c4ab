import { takingsOf } from '../gaps/accounts/source-files'
import type { SideOfChange } from '../sides/side'
import type { Source } from '../sources/source'
import type { Sides } from './opening/open-sides'
import { unrendered } from './opening/shard'
import type { ChangedRenderings } from './render-changed'

/**
 * Finds the files that this run accounts for: those that its sources take, and those of its clusters that no source
 * takes. Each file is accounted for by some shard.
 */
export async function filesOfShard(
  { base, head, shard }: Sides,
  { before, after, others }: ChangedRenderings,
): Promise<(file: string) => boolean> {
  if (!shard) return () => true
  const takenBy = async (side: SideOfChange | undefined, sources: readonly Source[]) => {
    if (!side) return []
    const files = new Set(side.checkout.tree.entries.keys())
    return [...(await takingsOf(side, sources.map(unrendered), files)).keys()]
  }
  const sourcesOf = (sides: typeof before) => sides.map(({ source }) => source)
  const own = new Set([...(await takenBy(base, sourcesOf(before))), ...(await takenBy(head, sourcesOf(after)))])
  const taken = new Set([...(await takenBy(base, others.before)), ...(await takenBy(head, others.after))])
  return (file) => own.has(file) || (!taken.has(file) && shard.holds(file))
}
