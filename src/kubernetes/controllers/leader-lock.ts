import { satisfies } from 'semver'
import type { Cursor } from '../../manifest/cursor'
import type { ControllerFacts, ElectionFacts } from '../workload/controller-facts'
import { isSwitchedOn, type Settings, valueOr } from '../workload/settings'

/** The object that the replicas of a controller write their leader into. */
export interface LeaderLock {
  /** Two while releases moved from one kind to the other: the leader has to hold both. */
  readonly kinds: ElectionFacts['kinds']
  /** Empty where the manifest gives none. */
  readonly namespace: string
  readonly name: string
  /** The flag that names it, else where it would be. */
  readonly at: Cursor
  /** Its name for a person. */
  readonly setBy: string
}

/** The inputs of a lock's name and place, other than the settings. */
interface Elector {
  readonly release: string | undefined
  /** The namespace its Pods run in. */
  readonly namespace: string
  /** The class it is asked for by name, which some put into the lock's name. */
  readonly className: string | undefined
}

/**
 * Reads the leader election of a controller: one lock for each mode of its possible releases; none if one of them
 * elects no leader, or that is unknown.
 */
export function locksOf(facts: ControllerFacts, settings: Settings, elector: Elector): LeaderLock[] {
  const { release } = elector
  if (settings.opaque) return []
  const ways = facts.election.filter(({ releases }) => release === undefined || satisfies(release, releases))
  const locks = ways.map((way): LeaderLock | undefined => {
    const elects = way.elects ? way.elects.some((one) => isSwitchedOn(settings, one)) : true
    const name = nameOf(way, settings, elector.className)
    const namespace = namespaceOf(way, settings, elector.namespace)
    if (!elects || name === undefined || namespace === undefined) return undefined
    const at = settings.get(way.id)?.at ?? settings.placeOf(way.id)
    return { kinds: way.kinds, namespace, name, at, setBy: way.setBy ?? settings.wordsFor(way.id) }
  })
  return locks.every((lock) => lock !== undefined) ? locks : []
}

function nameOf(way: ElectionFacts, settings: Settings, className: string | undefined): string | undefined {
  const id = valueOr(settings, way.id, way.default)
  if (id === undefined) return undefined
  const name = lockPattern(way, id)
  return name.includes('{class}') && className === undefined ? undefined : name.replace('{class}', className ?? '')
}

/**
 * The name of a lock with an id, with `{class}` for the class. HAProxy Ingress puts it in place of `%s`, if there is
 * one.
 */
export function lockPattern({ name }: ElectionFacts, id: string): string {
  return id.includes('%s') ? id.replace('%s', '{class}') : name.replace('{id}', id)
}

function namespaceOf({ namespace }: ElectionFacts, settings: Settings, own: string): string | undefined {
  if (!namespace) return own
  const { flag, variable, default: byDefault } = namespace
  const given = settings.get(flag)
  if (given && given.value !== '') return given.value
  return (variable === undefined ? undefined : settings.variable(variable)) ?? byDefault ?? own
}

/** Whether a controller elects its leader by this object; one without a namespace may be anywhere. */
export function electsBy(
  { locks }: { readonly locks: readonly LeaderLock[] },
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
): boolean {
  return locks.some(
    (one) => one.name === name && one.kinds.some((each) => each === kind) && ['', namespace].includes(one.namespace),
  )
}

/** The lock that two controllers share. If a release is unknown, it has to be one lock in every mode. */
export function sharedLock(a: readonly LeaderLock[], b: readonly LeaderLock[]): LeaderLock | undefined {
  const [first] = a
  if (!first || a.length !== b.length) return undefined
  return a.every((lock, index) => isOneLock(lock, b[index])) ? first : undefined
}

function isOneLock(a: LeaderLock, b: LeaderLock | undefined): boolean {
  return (
    b !== undefined &&
    a.name === b.name &&
    a.namespace === b.namespace &&
    a.kinds.some((kind) => b.kinds.includes(kind))
  )
}
