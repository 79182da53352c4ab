import { type Destination, restName, type Shard, Shards } from '../../cluster/shards'
import { isMoved } from '../../gaps/moved'
import type { Side } from '../../manifest/manifest'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import type { Source } from '../../sources/source'
import type { Sides } from './open-sides'

/** The part of a run that a job of several judges. */
export interface SelectedShards {
  /** All shards of both sides. */
  readonly all: readonly Shard[]
  /** The names of those that are judged. */
  readonly names: readonly string[]
  /** Whether the findings of a cluster are reported. */
  judges(cluster: string): boolean
  /** Whether a source may hold objects of a judged cluster. */
  renders(source: Source): boolean
  /** Whether something may go to no cluster that is known before rendering, and this run judges that. */
  mayBeRest(to: Destination): boolean
  /** Whether a file is in a judged cluster; for one that no source takes. */
  holds(path: string): boolean
}

/** The shards of the two sides of a change. */
export function shardsOf({ base, head, declarations }: Sides): Shards {
  const deployedOn = (side: Side, its: SideOfChange | undefined) =>
    [
      ...[...(its?.tree.files.keys() ?? [])].map((path) => ({ path })),
      ...(its?.discovery.sources ?? []).map(({ target }) => target),
    ].map((to) => ({ side, to }))
  return new Shards(declarations, [...deployedOn('base', base), ...deployedOn('head', head)])
}

/**
 * The shards that this run judges; undefined where it judges all.
 *
 * @throws GuardError `usage`, where a glob matches no cluster
 */
export function selectShards(sides: Sides, globs: readonly string[] | undefined): SelectedShards | undefined {
  if (!globs) return undefined
  const shards = shardsOf(sides)
  const selected = shards.selected(globs)
  const isSelected = (names: Iterable<string>) => [...names].some((name) => selected.has(name))
  const bySource = shardsBySource(sides, shards)
  return {
    all: shards.all,
    names: [...selected].sort(),
    judges: (cluster) => selected.has(shards.of(cluster)),
    renders: ({ id, target }) => isSelected(bySource.get(id) ?? shards.mayHold(target)),
    mayBeRest: (to) => selected.has(restName) && shards.mayHold(to).includes(restName),
    holds: (path) => isSelected(shards.mayHold({ path })),
  }
}

/** The shards of each source. What a source is compared with on the other side is in the same ones. */
function shardsBySource({ base, head }: Sides, shards: Shards): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const join = (...ids: readonly string[]) => {
    const all = new Set(ids.flatMap((id) => [...(found.get(id) ?? [])]))
    for (const id of ids) found.set(id, all)
  }
  const [was, is] = [base?.discovery.sources ?? [], head.discovery.sources]
  for (const { id, target } of [...was, ...is])
    found.set(id, new Set([...(found.get(id) ?? []), ...shards.mayHold(target), ...shards.around(target)]))
  for (const { id, baseSourceId } of is) if (baseSourceId !== undefined) join(id, baseSourceId)
  const ids = { was: new Set(was.map(({ id }) => id)), is: new Set(is.map(({ id }) => id)) }
  const gone = was.filter(({ id }) => !ids.is.has(id))
  const come = is.filter(({ id }) => !ids.was.has(id))
  for (const after of come) for (const before of gone) if (isMoved(before, after)) join(before.id, after.id)
  return found
}

/** A source of another shard, for stages that only ask which files it takes. */
export function unrendered(source: Source): RenderedSide {
  return { source, objects: [], unreadable: [], failure: undefined, remote: [], charts: [], data: [] }
}
