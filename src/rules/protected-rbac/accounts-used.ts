import { podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { accountOf } from '../../kubernetes/object/service-account'
import { bindingKinds } from '../../kubernetes/rbac/rbac'
import { includes, roleRefOf, serviceAccount, subjectsOf } from '../../kubernetes/rbac/rbac-binding'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { defineRule } from '../../rule/rule'

type Unused = Record<'account' | 'binding' | 'role' | 'workload', string>

export default defineRule({
  id: 'protected-rbac/accounts-used',
  summary: 'The workload of a source runs with the ServiceAccount that the source creates and binds for it.',
  since: '1.10.0',
  scope: 'change',
  kinds: ['ServiceAccount'],
  reads: [...bindingKinds, ...workloadKinds],
  messages: {
    // Source: https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/
    unused: ({ account, binding, role, workload }: Unused) =>
      `This change adds ${account}, to which ${binding} gives the permissions of ${role}, but nothing here runs with it: ${workload} names no account, so its Pods run with the account default, and their requests are denied. Name the account in serviceAccountName of the Pod template.`,
  },
  *partners(manifest) {
    yield manifest.ref.name
  },
  partnerKinds: () => [...bindingKinds, ...workloadKinds],
  check({ change, head, report }) {
    if (change.kind !== 'added') return
    const account = change.after
    const { name, namespace } = account.ref
    if (name === 'default' || isPlaceholder(name)) return
    const own = serviceAccount(namespace, name)
    const binding = bindingKinds
      .flatMap((kind) => head.ofKind(kind))
      .find((one) => isOfOneSource(one, account) && subjectsOf(one).some((subject) => includes(subject, own)))
    const role = binding && roleRefOf(binding)
    if (!role || head.manifests.some((one) => accountOf(one)?.string === name)) return
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
