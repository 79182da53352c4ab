import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { selectsLabels } from '../../kubernetes/object/label-selector'
import {
  allows,
  bindingKinds,
  inNamespace,
  type Permissions,
  permissionsIn,
  roleKinds,
  uncovered,
} from '../../kubernetes/rbac/rbac'
import {
  permissionsOfSubject,
  roleRefOf,
  type Subject,
  subjectName,
  subjectsOf,
} from '../../kubernetes/rbac/rbac-binding'
import { aggregationOf } from '../../kubernetes/rbac/rbac-role'
import { firstFew, permissionKeys } from '../../kubernetes/rbac/rbac-words'
import { identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { defineRule } from '../../rule/rule'

type Unbound = Record<'role' | 'from' | 'moved' | 'binding' | 'subject', string>

export default defineRule({
  id: 'protected-rbac/roles-bound',
  summary: 'A new role that takes over permissions of a bound role is bound, too.',
  since: '1.18.0',
  scope: 'change',
  kinds: roleKinds,
  reads: bindingKinds,
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#rolebinding-and-clusterrolebinding
    unbound: ({ role, from, moved, binding, subject }: Unbound) =>
      `This change moves ${moved} from ${from} to the new ${role}, which no binding here names. ${binding} gives ${subject} the permissions of ${from} alone, so these requests are denied from now on. Bind ${role} to ${subject}, or check that it no longer needs them.`,
  },
  *partners(manifest) {
    const roleRef = roleRefOf(manifest)
    yield roleRef ? roleRef.ref.name : manifest.ref.name
    for (const { name } of subjectsOf(manifest)) yield* name.split(':').slice(3)
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
    if (aggregationOf(before) || aggregationOf(after)) return
    const lost = uncovered(permissionsIn(after.root.at('rules')), permissionsIn(before.root.at('rules')))
    if (lost.length === 0) return
    for (const role of newAndUnbound(base, head)) {
      if (!isOfOneSource(role, after)) continue
      const moved = permissionsIn(role.root.at('rules')).filter((rule) => isWithin(rule, lost))
      const holder = moved.length > 0 ? holderWithout(moved, after, base, head) : undefined
      if (!holder) continue
      const keys = permissionKeys(inNamespace(moved, '*'))
      const args = { role: nameOf(role.ref), from: nameOf(after.ref), moved: firstFew(keys, 3) }
      const ends = [role.root.at('metadata', 'name'), after.root.at('rules')]
      const { binding, subject } = holder
      report(ends, 'unbound', { ...args, binding: nameOf(binding.ref), subject: subjectName(subject) }, { keys })
    }
  },
})

/** Whether a rule of one role allows nothing but what another one loses; rules on URLs are often for collectors of metrics. */
function isWithin(rule: Permissions, lost: readonly Permissions[]): boolean {
  return rule.url.has('') && allows(inNamespace(lost, '*'), inNamespace([rule], '*'))
}

/** A subject of a role at both sides that no binding gives what the role loses, in its namespace or that of the new role. */
function holderWithout(
  moved: readonly Permissions[],
  from: Manifest,
  base: Snapshot,
  head: Snapshot,
): { binding: Manifest; subject: Subject } | undefined {
  const names = (binding: Manifest) => {
    const named = roleRefOf(binding)
    return named !== undefined && identityOf(named.ref) === identityOf(from.ref)
  }
  for (const binding of bindingKinds.flatMap((kind) => head.ofKind(kind)).filter(names)) {
    if (!base.get(binding.ref).some(names)) continue
    const place = binding.ref.kind === 'RoleBinding' ? binding.ref.namespace : '*'
    const subject = subjectsOf(binding).find((one) => {
      const has = permissionsOfSubject(one, head)
      return !allows(has, inNamespace(moved, place)) && !allows(has, moved)
    })
    if (subject) return { binding, subject }
  }
  return undefined
}

const known = new WeakMap<Snapshot, WeakMap<Snapshot, readonly Manifest[]>>()

/** The roles that a change adds and that nothing binds or gathers. */
function newAndUnbound(base: Snapshot, head: Snapshot): readonly Manifest[] {
  const byBase = known.get(head) ?? new WeakMap<Snapshot, readonly Manifest[]>()
  known.set(head, byBase)
  const roles = byBase.get(base) ?? unboundIn(head).filter(({ ref }) => base.get(ref).length === 0)
  byBase.set(base, roles)
  return roles
}

function unboundIn(snapshot: Snapshot): Manifest[] {
  const bindings = bindingKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap((one) => roleRefOf(one)?.ref ?? [])
  const bound = new Set(bindings.map(({ kind, name }) => `${kind}/${name}`))
  const isFilledLater = bindings.some(({ name }) => isPlaceholder(name))
  const roles = roleKinds.flatMap((kind) => snapshot.ofKind(kind))
  const selectors = roles.flatMap((role) => aggregationOf(role) ?? [])
  return roles.filter(({ ref: { kind, name }, root }) => {
    const labels = root.at('metadata', 'labels')
    const isGathered =
      [...labels.entries()].some(([label]) => label.includes('/aggregate-')) ||
      (kind === 'ClusterRole' && selectors.some((selector) => selectsLabels(selector, labels)))
    return !isFilledLater && !isPlaceholder(name) && !bound.has(`${kind}/${name}`) && !isGathered
  })
}
