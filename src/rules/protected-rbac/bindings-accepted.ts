import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { bindingKinds, rbacGroup } from '../../kubernetes/rbac/rbac'
import type { Cursor } from '../../manifest/cursor'
import { isOfDefaultValues } from '../../manifest/default-values'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { replaced, withoutKey } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Refused = { binding: string; position: number }

const consequence = ': its subjects keep the permissions that are in the cluster, and get none where the binding is new'

export default defineRule({
  id: 'protected-rbac/bindings-accepted',
  summary: 'The API server accepts the role and every subject of a binding.',
  since: '1.5.0',
  scope: 'snapshot',
  kinds: bindingKinds,
  reads: ['ServiceAccount'],
  messages: {
    namespace: ({ binding, position, account }: Refused & { account: string }) =>
      `Subject ${position} of ${binding} is ServiceAccount ${account} without a namespace, so the API server rejects the whole binding${consequence}. Add the namespace of this account to the subject.`,
    group: ({ binding, position, kind, group }: Refused & Record<'kind' | 'group', string>) =>
      `Subject ${position} of ${binding} is a ${kind} with the apiGroup ${group}, which no ${kind} has, so the API server rejects the whole binding${consequence}. Remove the apiGroup: the API server adds the right one.`,
    kind: ({ binding, position, kind }: Refused & { kind: string }) =>
      `Subject ${position} of ${binding} is of the kind ${kind}, and a subject is a ServiceAccount, a User or a Group, so the API server rejects the whole binding${consequence}. Use one of these kinds.`,
    role: ({ binding, role }: { binding: string; role: string }) =>
      `${binding} names Role ${role}, and a ClusterRoleBinding can name only a ClusterRole, so the API server rejects the whole binding${consequence}. Name a ClusterRole, or write a RoleBinding in the namespace of the Role.`,
    roleless: ({ binding }: { binding: string }) =>
      `${binding} has no roleRef, so the API server rejects it${consequence}. Add the role that its subjects are to have.`,
  },
  later: { roleless: '1.6.0' },
  *partners(manifest) {
    for (const subject of manifest.root.at('subjects').items()) yield* unplaced(manifest, subject)
  },
  // Source: https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/rbac/validation/validation.go,
  // ValidateClusterRoleBinding and ValidateRoleBindingSubject; an empty apiGroup gets its default before.
  check({ manifest, snapshot, report }) {
    const binding = nameOf(manifest.ref)
    const isOfCluster = manifest.ref.kind === 'ClusterRoleBinding'
    const roleRef = manifest.root.at('roleRef')
    const role = roleRef.at('name').string
    if (!roleRef.exists && manifest.root.at('subjects').exists) {
      report(manifest.root.at('metadata', 'name'), 'roleless', { binding })
    }
    if (isOfCluster && role && roleRef.at('kind').string === 'Role')
      report(roleRef.at('kind'), 'role', { binding, role }, { keys: [role] })
    for (const [index, subject] of [...manifest.root.at('subjects').items()].entries()) {
      const [kind, name] = [subject.at('kind').string, subject.at('name').string]
      if (!kind || !name || isPlaceholder(kind)) continue
      const args = { binding, position: index + 1 }
      const meant = subjectKinds.find((one) => one.toLowerCase() === kind.toLowerCase())
      if (meant !== kind) {
        const at = subject.at('kind')
        report(at, 'kind', { ...args, kind }, { keys: [name], fix: meant ? replaced(at, meant) : undefined })
        continue
      }
      const isAccount = kind === 'ServiceAccount'
      const group = subject.at('apiGroup')
      const own = isAccount ? '' : rbacGroup
      if (group.string && group.string !== own && !isPlaceholder(group.string)) {
        const fix = withoutKey(subject, 'apiGroup')
        report(group, 'group', { ...args, kind, group: group.string }, { keys: [name], fix })
      }
      const [account] = unplaced(manifest, subject)
      if (account && !isPlacedLater(account, manifest, snapshot))
        report(subject, 'namespace', { ...args, account }, { keys: [account] })
    }
  },
})

/** The name of a ServiceAccount that has to have a namespace, and has none. */
function unplaced(binding: Manifest, subject: Cursor): string[] {
  if (binding.ref.kind !== 'ClusterRoleBinding' || subject.at('kind').string !== 'ServiceAccount') return []
  const [name, namespace] = [subject.at('name').string, subject.at('namespace')]
  // A release may give the value that the chart leaves empty.
  const mayBeGiven = namespace.exists && isOfDefaultValues(binding)
  return name && !namespace.value && !mayBeGiven ? [name] : []
}

/**
 * Whether a Kustomization from elsewhere may set the namespace: it does so for `default`, and for accounts that it gets
 * with the binding. Source: https://github.com/kubernetes-sigs/kustomize/blob/kustomize/v5.8.1/api/filters/namespace
 */
function isPlacedLater(name: string, binding: Manifest, snapshot: Snapshot): boolean {
  if (!isPartOfMore(binding)) return false
  const accounts = snapshot.ofKind('ServiceAccount').filter(({ ref }) => ref.name === name)
  const own = accounts.filter((one) => isOfOneSource(one, binding))
  return name === 'default' || (own.length > 0 ? own : accounts).some(({ ref }) => ref.namespace === '')
}

/**
 * Whether an object is of a Kustomization that others may build on. A file is applied as it is: `kubectl apply -n` and
 * Argo CD set the namespaces of objects, not those of subjects; what Flux applies is built to the end.
 */
function isPartOfMore({ origin }: Manifest): boolean {
  if (origin.kind === 'file') return false
  return origin.source.kind === 'kustomize' && (origin.unbuilt !== undefined || origin.flux === undefined)
}

const subjectKinds = ['ServiceAccount', 'User', 'Group']
