import { append } from '../../append'
import { workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { makersIn } from '../../kubernetes/charts/makers'
import { type RemoteRelease, remoteReleasesOf, seenValuesOf } from '../../kubernetes/charts/remote-release'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { usersOfAccounts } from '../../kubernetes/object/account-users'
import { accountOf } from '../../kubernetes/object/service-account'
import { bindingKinds } from '../../kubernetes/rbac/rbac'
import { includes, roleRefOf, serviceAccount, subjectsOf } from '../../kubernetes/rbac/rbac-binding'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentions } from '../../manifest/mentions'
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
  reads: ['ServiceAccount', ...workloadKinds, ...releaseKinds],
  messages: {
    misplaced: ({ binding, account, namespace, meant, workload }: Used) =>
      `${binding} names ServiceAccount ${account} in namespace ${namespace}, where the files have no such account: the account that ${workload} runs with is in namespace ${meant}, and no binding names it, so these Pods get no permissions and their requests are denied. Write namespace: ${meant}.`,
    maybe: ({ binding, account, namespace, meant, workload }: Used) =>
      `${binding} names ServiceAccount ${account} in namespace ${namespace}, where the files have no such account, while ${workload} runs with the one in namespace ${meant}: if that one is meant, its Pods do not get the permissions of this binding. Write namespace: ${meant}, or check that something else creates the account in ${namespace}.`,
    unbound: ({ binding, account, namespace, meant }: Misplaced) =>
      `${binding} names ServiceAccount ${account} in namespace ${namespace}, where the files have no such account. The files have it in namespace ${meant}, where no binding names it: if that one is meant, what runs with it has no permissions. Write namespace: ${meant}, or check that something else creates the account in ${namespace}.`,
    renamed: ({ binding, account, meant }: Pick<Misplaced, 'binding' | 'account' | 'meant'>) =>
      `${binding} names ServiceAccount ${account}, which the files do not have, and no binding names ServiceAccount ${meant} beside it: if that one is meant, what runs with it has no permissions. Write name: ${meant}, or check that something else creates ${account}.`,
    released: ({ binding, account, namespace, meant, release }: Misplaced & { release: string }) =>
      `${binding} names ServiceAccount ${account} in namespace ${namespace}, where the files have nothing at all. ${release} beside it installs to namespace ${meant}, and no binding names ServiceAccount ${account} there: if its Pods run with that one, they do not get these permissions. Write namespace: ${meant}, or check that something else creates the account in ${namespace}.`,
  },
  later: { released: '1.17.0', renamed: '1.15.0', unbound: '1.12.0' },
  *partners(manifest) {
    for (const { name } of subjectsOf(manifest)) yield* name.split(':').slice(3)
    if (manifest.ref.kind === 'ServiceAccount') yield manifest.ref.name
    const used = accountOf(manifest)?.string
    if (used) yield used
    if (releaseKinds.includes(groupKindOf(manifest.ref))) yield manifest.ref.name
  },
  check({ manifest, snapshot, report }) {
    const { origin } = manifest
    // A patch that is not known may write another namespace.
    if (origin.kind === 'rendered' && origin.unbuilt === 'changed') return
    // A chart that nothing here installs is rendered for Helm's default namespace.
    const isUnplaced = origin.kind === 'rendered' && origin.unplaced === true
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
      const release = releaseMeantBy(account, namespace, manifest, snapshot)
      if (release && !subjects.some((other) => includes(other, serviceAccount(release.namespace, account)))) {
        const args = { binding: nameOf(manifest.ref), account, namespace, meant: release.namespace }
        const more = { keys: [account, namespace], fix: replaced(at, release.namespace) }
        const ends = [at, release.manifest.root.at('metadata', 'name')]
        report(ends, 'released', { ...args, release: nameOf(release.manifest.ref) }, more)
        continue
      }
      const beside = own.filter((one) => isOfOneSource(one, manifest))
      const [meant] = beside
      // With several, any of them may be meant.
      if (!meant || beside.some(({ ref }) => ref.namespace !== meant.ref.namespace)) continue
      if (isUnplaced && meant.ref.namespace === 'default') continue
      const users = accounts.users.get(account) ?? []
      if (users.some(({ ref }) => ref.namespace === namespace || ref.namespace === '')) continue
      const workload = users.find((one) => one.ref.namespace === meant.ref.namespace && isOfOneSource(one, manifest))
      const right = serviceAccount(meant.ref.namespace, account)
      if (subjects.some((other) => includes(other, right))) continue
      const isBound = isNamedBySome(right, snapshot)
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

function isNamedBySome(account: ReturnType<typeof serviceAccount>, snapshot: Snapshot): boolean {
  return bindingKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .some((binding) => subjectsOf(binding).some((other) => includes(other, account)))
}

/** The accounts of a cluster and what names them, by name. */
interface Accounts {
  readonly named: ReadonlyMap<string, readonly Manifest[]>
  /** The workloads that run with them. */
  readonly users: ReadonlyMap<string, readonly Manifest[]>
  /** Those that a binding names, in any namespace. */
  readonly bound: ReadonlySet<string>
  /** The namespaces that an object is in, or is. */
  readonly namespaces: ReadonlySet<string>
  /** The releases of charts, by name. */
  readonly releases: ReadonlyMap<string, readonly RemoteRelease[]>
  /** Those whose values name the account that the chart makes, by that name. */
  readonly accountMakers: ReadonlyMap<string, readonly RemoteRelease[]>
}

const known = new WeakMap<Snapshot, Accounts>()

function accountsIn(snapshot: Snapshot): Accounts {
  const before = known.get(snapshot)
  if (before) return before
  const named = new Map<string, Manifest[]>()
  for (const one of snapshot.ofKind('ServiceAccount')) append(named, one.ref.name, one)
  const users = usersOfAccounts(snapshot)
  const bindings = bindingKinds.flatMap((kind) => snapshot.ofKind(kind))
  const bound = new Set(bindings.flatMap(subjectsOf).map(({ at }) => at.at('name').string ?? ''))
  const spaces = snapshot.manifests.map(({ ref }) => (ref.kind === 'Namespace' ? ref.name : ref.namespace))
  const releases = new Map<string, RemoteRelease[]>()
  const accountMakers = new Map<string, RemoteRelease[]>()
  for (const one of releaseKinds.flatMap((kind) => snapshot.ofKind(kind)))
    for (const release of remoteReleasesOf(one, snapshot)) {
      append(releases, release.name, release)
      const made = seenValuesOf(release).get('serviceAccount').get('name').scalar
      if (typeof made === 'string' && made !== release.name) append(accountMakers, made, release)
    }
  const accounts = { named, users, bound, namespaces: new Set(spaces), releases, accountMakers }
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

/**
 * The release beside a binding that makes its account, where nothing is in the namespace that the binding gives: its
 * values name the account, or it is called so itself, as charts call their account like the release. Its text is all
 * that is seen of it.
 */
function releaseMeantBy(
  account: string,
  namespace: string,
  binding: Manifest,
  snapshot: Snapshot,
): RemoteRelease | undefined {
  const { named, users, namespaces, releases, accountMakers } = accountsIn(snapshot)
  if (namespaces.has(namespace)) return undefined
  const called = [...(releases.get(account) ?? []), ...(accountMakers.get(account) ?? [])]
  const [meant] = called.filter(({ manifest }) => isOfOneSource(manifest, binding))
  if (!meant || meant.namespace === '' || isPlaceholder(meant.namespace)) return undefined
  if (called.some((one) => one.namespace !== meant.namespace)) return undefined
  const seen = [...(named.get(account) ?? []), ...(users.get(account) ?? [])]
  if (seen.some(({ ref }) => ref.namespace !== meant.namespace)) return undefined
  const makers = makersIn(snapshot).into(namespace)
  if (makers.some((maker) => maker !== meant.manifest && mentions(maker.object.content, account))) return undefined
  return isNamedBySome(serviceAccount(meant.namespace, account), snapshot) ? undefined : meant
}
