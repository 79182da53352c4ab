import type { Snapshot } from '../cluster/snapshot'
import type { Change } from '../manifest/change'
import { comparisonKey } from '../manifest/load'
import type { Manifest } from '../manifest/manifest'

/** One object that takes the place of another of its identity. */
export interface Replacement {
  readonly before: Manifest
  readonly after: Manifest
  /** A description of where the other copy is. */
  readonly words: string
}

/** With more copies than this, a change is compared with the first ones only: that may report more, never less. */
const maxCopies = 16

/**
 * The possible effects of a change on an object with several copies in the cluster. The copy that is applied last
 * counts, and which one that is, is unknown: an added copy may replace those of the base, and a remaining copy may
 * replace a removed one. A copy with the same content as one of them changes nothing.
 */
export function replacementsIn(change: Change, base: Snapshot, head: Snapshot): readonly Replacement[] {
  if (change.kind === 'changed') return []
  if (change.kind === 'added') {
    const { after } = change
    if (after.ref.generated) return []
    const there = base.get(after.ref)
    return there.some((before) => isSame(before, after))
      ? []
      : distinct(there).map((before) => ({
          before,
          after,
          words: `This is a copy of the object in ${before.origin.path}; the copy that is applied last takes effect.`,
        }))
  }
  const { before } = change
  const left = head.get(before.ref)
  return left.some((after) => isSame(before, after))
    ? []
    : distinct(left).map((after) => ({
        before,
        after,
        words: `Only the copy in ${after.origin.path} is left.`,
      }))
}

function isSame(one: Manifest, other: Manifest): boolean {
  return comparisonKey(one.object) === comparisonKey(other.object)
}

/** The first of several identical copies. */
function distinct(copies: readonly Manifest[]): Manifest[] {
  const byState = new Map(copies.toReversed().map((copy) => [comparisonKey(copy.object), copy]))
  return [...byState.values()].reverse().slice(0, maxCopies)
}
