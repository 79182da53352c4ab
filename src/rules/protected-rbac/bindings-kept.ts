import type { Snapshot } from '../../cluster/snapshot'
import { controllersOf } from '../../kubernetes/controllers/controller'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { usersOfAccounts } from '../../kubernetes/object/account-users'
import { mayShareNamespace } from '../../kubernetes/object/namespace'
import { accountOf } from '../../kubernetes/object/service-account'
import { allows, bindingKinds } from '../../kubernetes/rbac/rbac'
import {
  type BoundSubject,
  includes,
  permissionsOfBinding,
  permissionsOfSubject,
  roleRefOf,
  type Subject,
  sameRole,
  serviceAccount,
  subjectName,
  subjectsOf,
} from '../../kubernetes/rbac/rbac-binding'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Loss = Record<'binding' | 'account' | 'role' | 'workload', string>

export default defineRule({
  id: 'protected-rbac/bindings-kept',
  summary: 'A workload that stays keeps the permissions that a binding gives to its ServiceAccount.',
  since: '1.10.0',
  scope: 'removal',
  yieldsTo: ['protected-rbac/object-kept', 'protected-rbac/cluster-object-kept', 'protected-rbac/subjects-kept'],
  kinds: bindingKinds,
  messages: {
    removed: ({ binding, account, role, workload }: Loss) =>
      `This change removes ${binding}, which gives the permissions of ${role} to ${account}. ${workload} still runs with this account, and no other binding here gives it these permissions, so requests that need them are denied. Restore the binding, or check that the workload no longer needs it.`,
    left: ({ binding, account, role, workload }: Loss) =>
      `${binding} no longer names ${account}, to which it gave the permissions of ${role}. ${workload} still runs with this account, and no other binding here gives it these permissions, so requests that need them are denied. Add the account back under subjects, or check that the workload no longer needs it.`,
  },
  putBack: { left: 'changed' },
  *partners(manifest) {
    for (const { name } of subjectsOf(manifest)) yield* name.split(':').slice(3)
    const roleRef = roleRefOf(manifest)
    if (roleRef) yield* [roleRef.ref.name, 'system:serviceaccounts']
  },
  check({ removed, base, head, report }) {
    for (const { account, role, workload, at } of lossesOf(removed, undefined, base, head))
      report(
        [removed.root, at],
        'removed',
        { binding: nameOf(removed.ref), account, role, workload },
        { keys: [account] },
      )
  },
  checkChange({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
    for (const { account, role, workload, at } of lossesOf(before, after, base, head)) {
      const ends = [after.root.at('subjects'), at]
      report(ends, 'left', { binding: nameOf(after.ref), account, role, workload }, { keys: [account] })
    }
  },
})

/** The accounts that lose what a binding gave them, each with a workload that runs with it. */
function lossesOf(
  before: Manifest,
  after: Manifest | undefined,
  base: Snapshot,
  head: Snapshot,
): (Omit<Loss, 'binding'> & { readonly at: Cursor })[] {
  const roleRef = roleRefOf(before)
  // Another rule reports a binding to another role.
  if (!roleRef || isPlaceholder(roleRef.ref.name) || (after && !sameRole(before, after))) return []
  return subjectsOf(before).flatMap((subject) => {
    const workload = workloadRunningAs(subject, before, base, head)
    // Another rule reports what a role loses.
    const isNamed = after !== undefined && subjectsOf(after).some((other) => includes(other, subject))
    if (isNamed || !workload || isPlaceholder(subject.name)) return []
    if (isStillGiven(subject, before, base, head)) return []
    if (isBoundAnew(subject, base, head)) return []
    // `rbac-sufficient` knows what an ingress controller needs.
    if (controllersOf(workload).length > 0) return []
    const at = accountOf(workload) ?? workload.root
    return [{ account: subjectName(subject), role: nameOf(roleRef.ref), workload: nameOf(workload.ref), at }]
  })
}

/** A workload that runs with an account at both sides. */
function workloadRunningAs(
  subject: BoundSubject,
  binding: Manifest,
  base: Snapshot,
  head: Snapshot,
): Manifest | undefined {
  const account = subject.name.split(':').at(3)
  if (subject.at.at('kind').string !== 'ServiceAccount' || !account || account === 'default') return undefined
  const runsWithIt = (one: Manifest) =>
    serviceAccount(one.ref.namespace, account).name === subject.name &&
    (one.ref.namespace !== '' || mayShareNamespace(one, binding))
  const isUser = (one: Manifest) => accountOf(one)?.string === account && runsWithIt(one)
  return usersOfAccounts(head)
    .get(account)
    ?.find((one) => runsWithIt(one) && base.get(one.ref).some(isUser))
}

function isStillGiven(subject: Subject, binding: Manifest, base: Snapshot, head: Snapshot): boolean {
  const given = permissionsOfBinding(binding, base)
  if (given.length > 0) return allows(permissionsOfSubject(subject, head), given)
  // The permissions of a role that is not here are unknown.
  return bindingKinds
    .flatMap((kind) => head.ofKind(kind))
    .some(
      (one) =>
        sameRole(one, binding) &&
        [one.ref.namespace, ''].includes(binding.ref.namespace) &&
        subjectsOf(one).some((other) => includes(other, subject)),
    )
}

/** Whether a binding that comes to name the account takes the place of the one that goes, also with fewer permissions. */
function isBoundAnew(subject: Subject, base: Snapshot, head: Snapshot): boolean {
  const names = (binding: Manifest) => subjectsOf(binding).some(({ name }) => name === subject.name)
  return bindingKinds
    .flatMap((kind) => head.ofKind(kind))
    .some((binding) => names(binding) && !base.get(binding.ref).some(names))
}
