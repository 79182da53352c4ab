import { workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { accountOf } from '../../kubernetes/object/service-account'
import { bindingKinds } from '../../kubernetes/rbac/rbac'
import { includes, serviceAccount, subjectsOf } from '../../kubernetes/rbac/rbac-binding'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Misplaced = Record<'binding' | 'account' | 'namespace' | 'meant', string>
type Used = Misplaced & { workload: string }

export default defineRule({
  id: 'protected-rbac/accounts-resolve',
  summary: 'A binding names a ServiceAccount in the namespace in which the Pods of its source run with it.',
  since: '1.6.0',
  scope: 'snapshot',
  kinds: bindingKinds,
  reads: ['ServiceAccount', ...workloadKinds],
  messages: {
    misplaced: ({ binding, account, namespace, meant, workload }: Used) =>
      `${binding} names ServiceAccount ${account} in namespace ${namespace}, where the files have no such account: the account that ${workload} runs with is in namespace ${meant}, and no binding names it, so these Pods get no permissions and their requests are denied. Write namespace: ${meant}.`,
    maybe: ({ binding, account, namespace, meant, workload }: Used) =>
      `${binding} names ServiceAccount ${account} in namespace ${namespace}, where the files have no such account, while ${workload} runs with the one in namespace ${meant}: if that one is meant, its Pods do not get the permissions of this binding. Write namespace: ${meant}, or check that something else creates the account in ${namespace}.`,
    unbound: ({ binding, account, namespace, meant }: Misplaced) =>
      `${binding} names ServiceAccount ${account} in namespace ${namespace}, where the files have no such account. The files have it in namespace ${meant}, where no binding names it: if that one is meant, what runs with it has no permissions. Write namespace: ${meant}, or check that something else creates the account in ${namespace}.`,
  },
  later: { unbound: '1.12.0' },
  *partners(manifest) {
    for (const { name } of subjectsOf(manifest)) yield* name.split(':').slice(3)
    if (manifest.ref.kind === 'ServiceAccount') yield manifest.ref.name
    const used = accountOf(manifest)?.string
    if (used) yield used
  },
  check({ manifest, snapshot, report }) {
    const { origin } = manifest
    // A patch that is not known may write another namespace.
    if (origin.kind === 'rendered' && origin.unbuilt === 'changed') return
    const subjects = subjectsOf(manifest)
    for (const subject of subjects) {
      if (subject.at.at('kind').string !== 'ServiceAccount') continue
      const at = subject.at.at('namespace')
      const [account, namespace] = [subject.at.at('name').string, at.string]
      if (!account || !namespace || account === 'default' || isPlaceholder(namespace)) continue
      const own = accountsNamed(account, snapshot)
      if (own.some(({ ref }) => ref.namespace === namespace || ref.namespace === '')) continue
      const beside = own.filter((one) => isOfOneSource(one, manifest))
      const [meant] = beside
      // With several, any of them may be meant.
      if (!meant || beside.some(({ ref }) => ref.namespace !== meant.ref.namespace)) continue
      const users = snapshot.manifests.filter((one) => accountOf(one)?.string === account)
      if (users.some(({ ref }) => ref.namespace === namespace || ref.namespace === '')) continue
      const workload = users.find((one) => one.ref.namespace === meant.ref.namespace && isOfOneSource(one, manifest))
      const right = serviceAccount(meant.ref.namespace, account)
      if (subjects.some((other) => includes(other, right))) continue
      const isBound = bindingKinds
        .flatMap((kind) => snapshot.ofKind(kind))
        .some((binding) => subjectsOf(binding).some((other) => includes(other, right)))
      // A RoleBinding is also the way to let the Pods of another namespace in.
      const isCertain = !isBound && snapshot.isWhole && manifest.ref.kind === 'ClusterRoleBinding'
      const args = { binding: nameOf(manifest.ref), account, namespace, meant: meant.ref.namespace }
      const ends = [at, meant.root.at('metadata', 'name')]
      const more = { keys: [account, namespace], fix: replaced(at, meant.ref.namespace) }
      if (workload) report(ends, isCertain ? 'misplaced' : 'maybe', { ...args, workload: nameOf(workload.ref) }, more)
      // Objects of an operator may name the account in a field that is not known here.
      else if (!isBound) report(ends, 'unbound', args, more)
    }
  },
})

function accountsNamed(name: string, snapshot: Snapshot): Manifest[] {
  return snapshot.ofKind('ServiceAccount').filter(({ ref }) => ref.name === name)
}
