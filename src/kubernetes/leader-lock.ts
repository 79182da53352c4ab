import { satisfies } from 'semver'
import type { Cursor } from '../manifest/cursor'
import type { ControllerFacts, ElectionFacts } from './controller-facts'
import { isSwitchedOn, type Settings, valueOr } from './settings'

/** The object that the replicas of a controller write their leader into. */
export interface Lock {
  /** Two while releases moved from one kind to the other: the leader has to hold both. */
  readonly kinds: ElectionFacts['kinds']
  /** Empty where the manifest gives none. */
  readonly namespace: string
  readonly name: string
  /** The flag that names it, else where that would stand. */
  readonly at: Cursor
}

/**
 * Reads what a controller elects its leader by: one lock for each way its release may do it; none when it elects no
 * leader, or no file tells.
 *
 * @param className the class it is asked for by name, which some put into the lock's name
 */
export function locksOf(
  facts: ControllerFacts,
  settings: Settings,
  release: string | undefined,
  namespace: string,
  className: string | undefined,
): Lock[] {
  const ways = facts.election.filter(({ releases }) => release === undefined || satisfies(release, releases))
  return ways.flatMap((way): Lock[] => {
    const id = valueOr(settings, way.id, way.default)
    const elects = way.elects ? isSwitchedOn(settings, way.elects) : true
    if (id === undefined || elects !== true) return []
    const named = way.name.replaceAll('{id}', id)
    if (named.includes('{class}') && className === undefined) return []
    const name = named.replaceAll('{class}', className ?? '')
    return [{ kinds: way.kinds, namespace, name, at: settings.get(way.id)?.at ?? settings.place }]
  })
}

/**
 * The lock that two controllers of one namespace both elect by. Where a release is not told, it has to be one lock however
 * that release elects.
 */
export function sharedLock(a: readonly Lock[], b: readonly Lock[]): Lock | undefined {
  const [first] = a
  if (!first || a.length !== b.length) return undefined
  return a.every((lock, index) => isOneLock(lock, b[index])) ? first : undefined
}

function isOneLock(a: Lock, b: Lock | undefined): boolean {
  return (
    b !== undefined &&
    a.name === b.name &&
    a.namespace === b.namespace &&
    a.kinds.some((kind) => b.kinds.includes(kind))
  )
}
