import { append } from '../../append'
import { workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { accountOf } from '../../kubernetes/object/service-account'
import { bindingKinds } from '../../kubernetes/rbac/rbac'
import { includes, roleRefOf, serviceAccount, subjectsOf } from '../../kubernetes/rbac/rbac-binding'
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
    renamed: ({ binding, account, meant }: Pick<Misplaced, 'binding' | 'account' | 'meant'>) =>
      `${binding} names ServiceAccount ${account}, which the files do not have, and no binding names ServiceAccount ${meant} beside it: if that one is meant, what runs with it has no permissions. Write name: ${meant}, or check that something else creates ${account}.`,
  },
  later: { renamed: '1.15.0', unbound: '1.12.0' },
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
    const accounts = accountsIn(snapshot)
    for (const subject of subjects) {
      if (subject.at.at('kind').string !== 'ServiceAccount') continue
      const at = subject.at.at('namespace')
      const [account, namespace] = [subject.at.at('name').string, at.string]
      const alike = account ? accountMeantBy(account, manifest, accounts) : undefined
      if (account && alike) {
        const name = subject.at.at('name')
        const args = { binding: nameOf(manifest.ref), account, meant: alike.ref.name }
        report([name, alike.root.at('metadata', 'name')], 'renamed', args, {
          keys: [account],
          fix: replaced(name, alike.ref.name),
        })
      }
      if (!account || !namespace || account === 'default' || isPlaceholder(namespace)) continue
      const own = accounts.named.get(account) ?? []
      if (own.some(({ ref }) => ref.namespace === namespace || ref.namespace === '')) continue
      const beside = own.filter((one) => isOfOneSource(one, manifest))
      const [meant] = beside
      // With several, any of them may be meant.
      if (!meant || beside.some(({ ref }) => ref.namespace !== meant.ref.namespace)) continue
      const users = accounts.users.get(account) ?? []
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

/** The accounts of a cluster and what names them, by name. */
interface Accounts {
  readonly named: ReadonlyMap<string, readonly Manifest[]>
  /** The workloads that run with them. */
  readonly users: ReadonlyMap<string, readonly Manifest[]>
  /** Those that a binding names, in any namespace. */
  readonly bound: ReadonlySet<string>
}

const known = new WeakMap<Snapshot, Accounts>()

function accountsIn(snapshot: Snapshot): Accounts {
  const before = known.get(snapshot)
  if (before) return before
  const named = new Map<string, Manifest[]>()
  for (const one of snapshot.ofKind('ServiceAccount')) append(named, one.ref.name, one)
  const users = new Map<string, Manifest[]>()
  for (const one of snapshot.manifests) append(users, accountOf(one)?.string ?? '', one)
  const bindings = bindingKinds.flatMap((kind) => snapshot.ofKind(kind))
  const bound = new Set(bindings.flatMap(subjectsOf).map(({ at }) => at.at('name').string ?? ''))
  const accounts = { named, users, bound }
  known.set(snapshot, accounts)
  return accounts
}

/**
 * The account that is meant by a name that no account has and nothing runs with: it is of the source, called as the role
 * or the binding is, no binding names it, and one of the two names is in the other.
 */
function accountMeantBy(account: string, binding: Manifest, { named, users, bound }: Accounts): Manifest | undefined {
  if (account === 'default' || isPlaceholder(account) || named.has(account) || users.has(account)) return undefined
  const names = new Set([binding.ref.name, roleRefOf(binding)?.ref.name ?? ''])
  const [meant, ...others] = [...names]
    .filter((name) => !bound.has(name) && (name.includes(account) || account.includes(name)))
    .flatMap((name) => named.get(name) ?? [])
    .filter((one) => isOfOneSource(one, binding))
  return others.length === 0 ? meant : undefined
}
