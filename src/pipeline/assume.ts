import { type Snapshot, snapshotsOf } from '../cluster/snapshot'
import type { Evidence } from '../engine/evidence'
import { assumedByRelease, assumedObjects } from '../kubernetes/charts/assumed-objects'
import { changesBetween } from '../manifest/change'
import type { Manifest } from '../manifest/manifest'
import type { Comparison } from './compare'

/** The objects of one side: those that differ, and those with which they are compared. */
interface SideObjects {
  readonly differing: readonly Manifest[]
  readonly others: readonly Manifest[]
}

/** Adds the objects that the values of charts from elsewhere are assumed to make, where there are any. */
export function assume(
  base: SideObjects,
  head: SideObjects,
  { base: before, head: after }: Pick<Evidence, 'base' | 'head'>,
  { isComparing }: { readonly isComparing: boolean },
): Pick<Evidence, 'assumed'> {
  const [was, is] = [assumedOn(base), assumedOn(head)]
  if (was.all.length === 0 && is.all.length === 0) return {}
  return {
    assumed: {
      changes: isComparing ? changesBetween(was.differing, is.differing).changes : [],
      base: withObjects(before, was.all),
      head: withObjects(after, is.all),
    },
  }
}

/** An object that names the chart of a release, or holds its values, may be the same on both sides. */
function assumedOn({ differing, others }: SideObjects) {
  const own = new Set(differing)
  const made = [...assumedByRelease([...differing, ...others])]
  return {
    differing: made.flatMap(([release, objects]) => (own.has(release) ? objects : [])),
    all: made.flatMap(([, objects]) => objects),
  }
}

function withObjects(
  snapshots: ReadonlyMap<string, Snapshot>,
  manifests: readonly Manifest[],
): ReadonlyMap<string, Snapshot> {
  const added = snapshotsOf(manifests)
  const names = new Set([...snapshots.keys(), ...added.keys()])
  return new Map(
    [...names].flatMap((name): [string, Snapshot][] => {
      const [there, more] = [snapshots.get(name), added.get(name)]
      const both = there && more ? there.with(more.manifests) : (there ?? more)
      return both ? [[name, both]] : []
    }),
  )
}

/** Objects, and those that they are assumed to create. */
export function withAssumed(manifests: readonly Manifest[]): Manifest[] {
  return [...manifests, ...assumedObjects(manifests)]
}

/** The changes of objects, and those of the objects that they are assumed to make. */
export function changesWithAssumed({ changes, before, after }: Comparison): Comparison['changes'] {
  const assumed = changesBetween(assumedObjects(before), assumedObjects(after))
  return [...changes, ...assumed.changes]
}
