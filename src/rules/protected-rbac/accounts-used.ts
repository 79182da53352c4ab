import { podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { controllersOf } from '../../kubernetes/controllers/controller'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { usersOfAccounts } from '../../kubernetes/object/account-users'
import { mayShareNamespace, shareNamespace } from '../../kubernetes/object/namespace'
import { accountOf } from '../../kubernetes/object/service-account'
import { bindingKinds, type Permissions, roleKinds, shared, uncovered } from '../../kubernetes/rbac/rbac'
import {
  includes,
  permissionsOfBinding,
  permissionsOfRoleRef,
  permissionsOfSubject,
  roleRefOf,
  type Subject,
  serviceAccount,
  subjectsOf,
} from '../../kubernetes/rbac/rbac-binding'
import { firstFew, permissionKeys } from '../../kubernetes/rbac/rbac-words'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { defineRule } from '../../rule/rule'

type Unused = Record<'account' | 'binding' | 'role' | 'workload', string>
type Switched = Record<'account' | 'former' | 'binding' | 'workload' | 'lost', string>

export default defineRule({
  id: 'protected-rbac/accounts-used',
  summary: 'The workload of a source runs with the ServiceAccount that the source creates and binds for it.',
  since: '1.10.0',
  scope: 'change',
  kinds: ['ServiceAccount', ...workloadKinds],
  reads: [...bindingKinds, ...roleKinds],
  messages: {
    // Source: https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/
    unused: ({ account, binding, role, workload }: Unused) =>
      `This change adds ${account}, to which ${binding} gives the permissions of ${role}, but nothing here runs with it: ${workload} names no account, so its Pods run with the account default, and their requests are denied. Name the account in serviceAccountName of the Pod template.`,
    switched: ({ account, former, binding, workload, lost }: Switched) =>
      `This change runs ${workload} with ${account} instead of ${former}, to which ${binding} still gives what the other one lacks: ${lost}. So the API server denies these requests of it, and nothing here runs with ${former} any more. Name ${former} in serviceAccountName again, or remove that binding, too, if these permissions are no longer needed.`,
  },
  later: { switched: '1.18.0' },
  putBack: { switched: 'changed' },
  *partners(manifest) {
    const account = accountOf(manifest)?.string
    const roleRef = roleRefOf(manifest)
    yield manifest.ref.name
    if (account) yield* [account, 'system:serviceaccounts']
    if (roleRef) yield roleRef.ref.name
  },
  partnerKinds({ ref }) {
    if (ref.kind.endsWith('Binding')) return roleKinds
    return ref.kind.endsWith('Role') ? [] : ['ServiceAccount', ...bindingKinds, ...workloadKinds]
  },
  check({ change, base, head, report }) {
    if (change.kind === 'changed') {
      const switched = switchOf(change.before, change.after, base, head)
      if (!switched) return
      const { at, account, former, binding, lost } = switched
      const keys = permissionKeys(lost)
      const names = { account: nameOf(account.ref), former: nameOf(former.ref), binding: nameOf(binding.ref) }
      const args = { ...names, workload: nameOf(change.after.ref), lost: firstFew(keys, 3) }
      report([at, former.root.at('metadata', 'name'), binding.root.at('subjects')], 'switched', args, { keys })
    }
    if (change.kind !== 'added' || change.after.ref.kind !== 'ServiceAccount') return
    const account = change.after
    const { name, namespace } = account.ref
    if (name === 'default' || isPlaceholder(name)) return
    const own = serviceAccount(namespace, name)
    const binding = bindingKinds
      .flatMap((kind) => head.ofKind(kind))
      .find((one) => isOfOneSource(one, account) && subjectsOf(one).some((subject) => includes(subject, own)))
    const role = binding && roleRefOf(binding)
    if (!role || usersOfAccounts(head).has(name)) return
    const workload = workloadWithout(account, head)
    if (!workload) return
    const args = { account: nameOf(account.ref), binding: nameOf(binding.ref), role: nameOf(role.ref) }
    const ends = [account.root.at('metadata', 'name'), podOf(workload).at('spec')]
    report(ends, 'unused', { ...args, workload: nameOf(workload.ref) }, { keys: [name] })
  },
})

/** The workload that an account is for by its name, if no workload of its source names an account. */
function workloadWithout(account: Manifest, head: Snapshot): Manifest | undefined {
  const { name } = account.ref
  const workloads = head.manifests.filter(
    (one) =>
      workloadKinds.includes(groupKindOf(one.ref)) && isOfOneSource(one, account) && shareNamespace(one, account),
  )
  if (workloads.some((one) => accountOf(one))) return undefined
  return workloads.find(({ ref }) => ref.name.includes(name) || name.includes(ref.name))
}

interface Switch {
  readonly at: Cursor
  readonly account: Manifest
  readonly former: Manifest
  readonly binding: Manifest
  readonly lost: readonly Permissions[]
}

/**
 * The other account that a workload comes to run with, where both are here before and after, and what it lacks that the
 * former one keeps, without a workload. A change that takes that from the former one narrows the workload on purpose.
 */
function switchOf(before: Manifest, after: Manifest, base: Snapshot, head: Snapshot): Switch | undefined {
  const [was, at] = [accountOf(before)?.string, accountOf(after)]
  if (!was || !at?.string || was === at.string || controllersOf(after).length > 0) return undefined
  const names = [was, at.string]
  if (names.some((name) => name === 'default' || isPlaceholder(name))) return undefined
  const { namespace } = after.ref
  const accountsIn = (side: Snapshot) =>
    names.flatMap((name) => side.get({ group: '', kind: 'ServiceAccount', namespace, name })[0] ?? [])
  const [former, account] = accountsIn(head)
  if (!former || !account || accountsIn(base).length < 2) return undefined
  if (
    usersOfAccounts(head)
      .get(was)
      ?.some((one) => mayShareNamespace(one, after))
  )
    return undefined
  const [old, own] = [serviceAccount(namespace, was), serviceAccount(namespace, at.string)]
  if (!areKnown(own, head)) return undefined
  const kept = shared(permissionsOfSubject(old, base), permissionsOfSubject(old, head))
  const lost = uncovered(permissionsOfSubject(own, head), kept)
  const binding = bindingsOf(old, head).find((one) => shared(permissionsOfBinding(one, head), lost).length > 0)
  return binding && { at, account, former, binding, lost }
}

function bindingsOf(subject: Subject, snapshot: Snapshot): Manifest[] {
  return bindingKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((binding) => subjectsOf(binding).some((bound) => includes(bound, subject)))
}

/** Whether the roles are known that a subject is bound to, by at least one binding. */
function areKnown(subject: Subject, snapshot: Snapshot): boolean {
  const bindings = bindingsOf(subject, snapshot)
  const roles = bindings.map((binding) => roleRefOf(binding)?.ref)
  return bindings.length > 0 && roles.every((ref) => ref !== undefined && permissionsOfRoleRef(ref, snapshot))
}
