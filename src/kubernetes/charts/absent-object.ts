import type { Snapshot } from '../../cluster/snapshot'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import { mayBeReleased } from './makers'

/**
 * Whether nothing in a snapshot may create an object of a name in a namespace.
 *
 * @param user the object that names it: those of its kind create none
 */
export function isUnmade(namespace: string, name: string, snapshot: Snapshot, user: Manifest): boolean {
  const kind = groupKindOf(user.ref)
  return !mayBeReleased(namespace, name, snapshot, ({ ref }) => groupKindOf(ref) !== kind)
}

/** Whether an object mentions a name besides the one that asks: many may ask for one name. */
export function isMentionedTwice(name: string, snapshot: Snapshot): boolean {
  const known = mentioned.get(snapshot) ?? new Map<string, boolean>()
  mentioned.set(snapshot, known)
  const isTwice =
    known.get(name) ?? snapshot.manifests.filter(({ object }) => mentionsWhole(object.content, name)).length > 1
  known.set(name, isTwice)
  return isTwice
}

/** A snapshot never changes. */
const mentioned = new WeakMap<Snapshot, Map<string, boolean>>()
