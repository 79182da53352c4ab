import { isMistyped } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { bindingKinds, roleKinds } from '../../kubernetes/rbac/rbac'
import { permissionsOfRoleRef, roleRefOf } from '../../kubernetes/rbac/rbac-binding'
import { type Manifest, nameOf, type ObjectRef } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Missing = Record<'binding' | 'role' | 'other', string>

export default defineRule({
  id: 'protected-rbac/roles-resolve',
  summary: 'A binding names a role of its source by the kind that the role has.',
  since: '1.10.0',
  scope: 'snapshot',
  kinds: bindingKinds,
  reads: roleKinds,
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#rolebinding-and-clusterrolebinding
    kind: ({ binding, role, other, advice }: Missing & { advice: string }) =>
      `${binding} names ${role}, which is not in this repository; beside it is only ${other}. The API server accepts the binding, and it gives its subjects no permissions, so their requests are denied. ${advice}`,
    unbound: ({ binding, role, other }: Missing) =>
      `${binding} names ${role}, which is not in this repository, and no binding names ${other} beside it. Unless something else creates ${role}, the binding gives its subjects no permissions, and their requests are denied. Name ${other} if that is meant; a binding that is in the cluster has to be deleted first, as its roleRef cannot change.`,
  },
  later: { unbound: '1.11.0' },
  *partners(manifest) {
    const roleRef = roleRefOf(manifest)
    if (roleRef) yield roleRef.ref.name
    else if (roleKinds.some((kind) => kind.startsWith(`${manifest.ref.kind}.`))) yield manifest.ref.name
  },
  partnerKinds: ({ ref }) => (ref.kind.endsWith('Binding') ? roleKinds : bindingKinds),
  check({ manifest, snapshot, report }) {
    const named = roleRefOf(manifest)
    if (!named || permissionsOfRoleRef(named.ref, snapshot) || mayBeFilled(named.ref, snapshot)) return
    const other = roleOfOtherKind(manifest, snapshot)
    if (!other) {
      const meant = roleMeantBy(manifest, snapshot)
      const args = meant && { binding: nameOf(manifest.ref), role: nameOf(named.ref), other: nameOf(meant.ref) }
      if (args) report([named.at.at('name'), meant.root], 'unbound', args, { keys: [named.ref.name] })
      return
    }
    const at = named.at.at('kind')
    const { kind } = other.ref
    const fits = kind === 'ClusterRole' || manifest.ref.kind === 'RoleBinding'
    const unbound = roleWithoutBinding(manifest, snapshot)
    const advice = unbound
      ? `Name ${nameOf(unbound.ref)}, which no binding names, or write kind: ${kind} if that role is meant.`
      : fits
        ? `Write kind: ${kind} if that role is meant; a binding that is in the cluster has to be deleted first, as its roleRef cannot change.`
        : 'Write the role as a ClusterRole, or bind it by a RoleBinding in its namespace.'
    const args = { binding: nameOf(manifest.ref), role: nameOf(named.ref), other: nameOf(other.ref), advice }
    const fix = fits && !unbound ? replaced(at, kind) : undefined
    report([at, other.root.at('kind')], 'kind', args, { keys: [named.ref.name], fix })
  },
})

/** Whether a name that is filled in later may become that of a role of its kind. */
function mayBeFilled({ group, kind, name }: ObjectRef, snapshot: Snapshot): boolean {
  return isPlaceholder(name) && snapshot.ofKind(`${kind}.${group}`).some(({ ref }) => isPlaceholder(ref.name))
}

/** The role of the name that a binding gives, of the kind that it does not give. */
function roleOfOtherKind(binding: Manifest, snapshot: Snapshot): Manifest | undefined {
  const named = roleRefOf(binding)?.ref
  return roleKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .find(
      (role) =>
        role.ref.name === named?.name &&
        role.ref.kind !== named.kind &&
        isOfOneSource(role, binding) &&
        (role.ref.kind === 'ClusterRole' ||
          binding.ref.kind === 'ClusterRoleBinding' ||
          role.ref.namespace === binding.ref.namespace),
    )
}

/** A role of the kind that a binding gives, in its source, that nothing binds: it may be meant. */
function roleWithoutBinding(binding: Manifest, snapshot: Snapshot): Manifest | undefined {
  return rolesWithoutBinding(binding, snapshot)[0]
}

/** The roles of the kind that a binding gives, in its source, that nothing binds. */
function rolesWithoutBinding(binding: Manifest, snapshot: Snapshot): Manifest[] {
  const named = roleRefOf(binding)?.ref
  const bound = new Set(
    bindingKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap((one) => roleRefOf(one)?.ref.name ?? []),
  )
  return roleKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter(
      (role) =>
        role.ref.kind === named?.kind &&
        role.ref.namespace === named.namespace &&
        !bound.has(role.ref.name) &&
        isOfOneSource(role, binding),
    )
}

/**
 * The role of its source that is meant by a binding whose role is missing, among those of its kind without a binding:
 * the one whose name differs by a typing error, or, where as many roles lack a binding as bindings lack their role, the
 * one whose name begins or ends as that of the missing one, or is that of the binding. Roles that others gather need
 * none.
 */
function roleMeantBy(binding: Manifest, snapshot: Snapshot): Manifest | undefined {
  const named = roleRefOf(binding)?.ref
  if (!named || isPlaceholder(named.name)) return undefined
  const roles = rolesWithoutBinding(binding, snapshot).filter((role) => !isGathered(role))
  const mistyped = roles.filter(({ ref }) => isMistyped(ref.name, named.name))
  if (mistyped.length === 1) return mistyped[0]
  const lacking = bindingKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((one) => (isOfOneSource(one, binding) ? (roleRefOf(one)?.ref ?? []) : []))
    .filter((ref) => ref.kind === named.kind && ref.namespace === named.namespace)
    .filter((ref) => !permissionsOfRoleRef(ref, snapshot))
  if (roles.length !== new Set(lacking.map(({ name }) => name)).size) return undefined
  const alike = [1, 2].map((ends) => roles.filter(({ ref }) => endsAlike(ref.name, named.name) >= ends))
  return alike.find((some) => some.length === 1)?.[0] ?? roles.find(({ ref }) => ref.name === binding.ref.name)
}

function isGathered(role: Manifest): boolean {
  const labels = [...role.root.at('metadata', 'labels').entries()]
  return labels.some(([label]) => label.startsWith('rbac.authorization.k8s.io/aggregate-to-'))
}

/**
 * Whether two names begin alike, end alike, or both: 2 for `web-role-reader` and `web-binding-reader`. One that is a part
 * of the other may be that of another product, which the role is made after: `monitoring-view` and
 * `custom-monitoring-view`.
 */
function endsAlike(one: string, other: string): 0 | 1 | 2 {
  const [a, b] = [one.split(/[-:.]/), other.split(/[-:.]/)]
  if (one.includes(other) || other.includes(one) || a.length === 1 || b.length === 1) return 0
  const [begins, ends] = [a[0] === b[0], a.at(-1) === b.at(-1)]
  return begins && ends ? 2 : begins || ends ? 1 : 0
}
