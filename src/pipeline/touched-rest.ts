import type { Files } from '../revision/files'
import type { SideOfChange } from '../sides/side'
import type { Source } from '../sources/source'
import type { Sides } from './opening/open-sides'
import type { ChangedFiles } from './read-changed'

/**
 * Which folders of the rest are clusters, because they repeat each other, depends on what all files above and beside
 * them render to. So where the change touches the rest, the run that judges it renders all that decides this.
 */
export function withTouchedRest(sides: Sides, { before, after, reached }: ChangedFiles): Sides {
  const { base, head, shard } = sides
  if (!shard) return sides
  const isTouched = (files: Files, its: SideOfChange | undefined) =>
    [...files.loaded].some(
      ([path, { objects }]) =>
        objects.length > 0 &&
        [path, ...(its?.tree.aliases.get(path) ?? [])].some((alias) => shard.mayBeRest({ path: alias })),
    )
  const differs = ({ id, target }: Source) =>
    (reached.has(id) || base?.keys.get(id) !== head.keys.get(id)) && shard.mayBeRest(target)
  const sources = [...(base?.discovery.sources ?? []), ...head.discovery.sources]
  if (!isTouched(before, base) && !isTouched(after, head) && !sources.some(differs)) return sides
  const renders = (source: Source) => 'path' in source.target || shard.renders(source)
  return { ...sides, shard: { ...shard, renders } }
}
