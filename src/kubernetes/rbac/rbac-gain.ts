import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { mayBecome } from '../ingress/placeholder'
import { defaultsOf, hasDefaults, isDefaultRole } from './bootstrap-rbac'
import { bindingKinds, type Permissions, permissionsIn, uncovered } from './rbac'
import { type BoundSubject, includes, roleRefOf, sameRole, subjectsOf } from './rbac-binding'
import { everybodyIn, leaksInto } from './rbac-power'
import { aggregateLabels, aggregationOf } from './rbac-role'

/**
 * The permissions that a role gains by its own rules; for a new role of Kubernetes, those beyond any known release,
 * unless the cluster's may be a later one.
 *
 * @param versions those of Kubernetes that are declared of the cluster
 */
export function gainedPermissions(
  before: Manifest | undefined,
  after: Manifest,
  versions: readonly string[],
): Permissions[] {
  // The permissions of an aggregated role are not in its own rules.
  if (aggregationOf(after)) return []
  const written = permissionsIn(after.root.at('rules'))
  if (before && !aggregationOf(before)) return uncovered(permissionsIn(before.root.at('rules')), written)
  const known = versions.every(hasDefaults) ? defaultsOf(after.ref) : []
  return known.length > 0
    ? uncovered(
        known.flatMap(({ always, gated }) => [...always, ...gated]),
        written,
      )
    : []
}

/**
 * The selectors by which a role starts to aggregate others, except its defaults; for new roles only Kubernetes' own.
 */
export function gainedSelectors(before: Manifest | undefined, after: Manifest): Cursor[] {
  if (!before && !isDefaultRole(after.ref)) return []
  const defaults = defaultsOf(after.ref).flatMap(({ gathers }) => gathers)
  const known = [
    ...((before && aggregationOf(before)) ?? []).map(({ value }) => JSON.stringify(value)),
    ...defaults.map((label) => JSON.stringify({ matchLabels: { [label]: 'true' } })),
  ]
  return (aggregationOf(after) ?? []).filter(({ value }) => !known.includes(JSON.stringify(value)))
}

/**
 * Permissions that a role adds to view, edit or admin and that these are not meant for, and their places, the changed
 * one first.
 */
export interface Leak {
  readonly gatherer: string
  readonly label: string
  readonly more: readonly Permissions[]
  readonly ends: readonly Cursor[]
}

/**
 * The permissions that a role leaks by its labels: into the least of the roles that aggregate it, because the others
 * include that one.
 */
export function gainedLeak(before: Manifest | undefined, after: Manifest): Leak | undefined {
  const rules = after.root.at('rules')
  for (const { key, gatherer, at } of aggregateLabels(after)) {
    const hadLabel = before && aggregateLabels(before).some((label) => label.key === key)
    const had = hadLabel ? leaksInto(gatherer, permissionsIn(before.root.at('rules'))) : []
    const more = uncovered(had, leaksInto(gatherer, permissionsIn(rules)))
    const [first] = more
    if (!first) continue
    const place = first.at ?? rules
    return { gatherer, label: key, more, ends: hadLabel ? [place, at] : [at, place] }
  }
  return undefined
}

/** The subjects of a binding that had its role through no binding of its kind before. */
export function gainingSubjects(binding: Manifest, base: Snapshot): BoundSubject[] {
  const had = bindingKinds
    .flatMap((kind) => base.ofKind(kind))
    .filter(({ ref }) => ref.kind === binding.ref.kind && ref.namespace === binding.ref.namespace)
    .filter((other) => sameRole(other, binding))
    .flatMap(subjectsOf)
  const subjects = subjectsOf(binding)
  // A subject whose name a tool filled in only later; one that is still there is another one.
  const filled = had.filter(({ name }) => isPlaceholder(name) && !subjects.some((subject) => subject.name === name))
  return subjects.filter(
    (subject) =>
      !had.some((other) => includes(other, subject)) && !filled.some((other) => isFilledFrom(other, subject)),
  )
}

/**
 * Whether a name is another one with its variables filled in; the text around them decides, and a group of everybody
 * has none.
 */
function isFilledFrom(open: BoundSubject, known: BoundSubject): boolean {
  if (open.kind !== known.kind || isPlaceholder(known.name) || everybodyIn(known)) return false
  const text = open.name.replace(/^system:serviceaccount:/, '').replace(/\$\{[^{}]*\}/g, '')
  return /[a-z0-9]{3}/i.test(text) && mayBecome(open.name, known.name)
}

/** The unchanged ClusterRoleBindings of a role, each with its subjects. */
export function boundAlready(role: Manifest, base: Snapshot, head: Snapshot): [Manifest, BoundSubject[]][] {
  return head.ofKind(bindingKinds[0]).flatMap((binding): [Manifest, BoundSubject[]][] => {
    const roleRef = roleRefOf(binding)
    if (!roleRef || !head.get(roleRef.ref).includes(role)) return []
    const gaining = new Set(gainingSubjects(binding, base).map(({ name }) => name))
    return [[binding, subjectsOf(binding).filter(({ name }) => !gaining.has(name))]]
  })
}
