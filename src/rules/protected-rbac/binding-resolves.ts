import type { Snapshot } from '../../cluster/snapshot'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { accountOf } from '../../kubernetes/object/service-account'
import { bindingKinds } from '../../kubernetes/rbac/rbac'
import { roleRefOf, serviceAccount, subjectName, subjectsOf } from '../../kubernetes/rbac/rbac-binding'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Loss = { object: string; users: string }

export default defineRule({
  id: 'protected-rbac/binding-resolves',
  summary: 'No role or ServiceAccount is removed while an object in its cluster still names it.',
  since: '1.1.0',
  scope: 'removal',
  yieldsTo: ['protected-rbac/cluster-object-kept', 'protected-rbac/object-kept'],
  // Everything that runs Pods names an account, including kinds of operators.
  kinds: '*',
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#clusterrolebinding-example
    role: ({ object, users, subjects }: Loss & { subjects: string }) =>
      `This change removes ${object}, which ${users} still names, so its permissions are lost for ${subjects}. Restore it, or remove the binding with it.`,
    account: ({ object, users }: Loss) =>
      `This change removes ${object}, which ${users} still uses, so the API server rejects new Pods with this account. Restore it, or name another account there.`,
    subject: ({ object, users }: Loss) =>
      `This change removes ${object}, but ${users} still binds it to a role: anyone who creates an account with that name gets its permissions. Restore it, or remove it from the binding too.`,
  },
  *partners({ ref }) {
    if (['Role', 'ClusterRole', 'ServiceAccount'].includes(ref.kind)) yield ref.name
  },
  partnerKinds({ ref }) {
    return ref.kind === 'ServiceAccount' ? undefined : [...bindingKinds, groupKindOf(ref)]
  },
  check({ removed, head, report }) {
    const object = nameOf(removed.ref)
    const ends = (users: readonly Cursor[]) => [removed.root, ...users]
    if (removed.ref.kind === 'ServiceAccount') {
      // Kubernetes recreates the `default` of each namespace at once.
      if (removed.ref.name === 'default') return
      const runners = runningAs(removed, head)
      const bound = naming(removed, head)
      if (runners.length > 0) report(ends([...runners, ...bound]), 'account', { object, users: named(runners) })
      else if (bound.length > 0) report(ends(bound), 'subject', { object, users: named(bound) })
    } else if (removed.ref.kind === 'Role' || removed.ref.kind === 'ClusterRole') {
      const bindings = giving(removed, head)
      const subjects = bindings.flatMap(({ manifest }) => subjectsOf(manifest).map(subjectName))
      if (subjects.length > 0)
        report(ends(bindings), 'role', { object, users: named(bindings), subjects: abridged([...new Set(subjects)]) })
    }
  },
})

function bindingsIn(head: Snapshot): Manifest[] {
  return onceEach(bindingKinds.flatMap((kind) => head.ofKind(kind)))
}

/** The places in which bindings give a role. */
function giving(role: Manifest, head: Snapshot): Cursor[] {
  return bindingsIn(head).flatMap((binding) => {
    const roleRef = roleRefOf(binding)
    if (!roleRef || identityOf(roleRef.ref) !== identityOf(role.ref)) return []
    return role.ref.kind === 'ClusterRole' || shareNamespace(role, binding) ? [roleRef.at.at('name')] : []
  })
}

/** The places in which bindings name an account. */
function naming(account: Manifest, head: Snapshot): Cursor[] {
  const { name } = serviceAccount(account.ref.namespace, account.ref.name)
  return bindingsIn(head).flatMap((binding) => {
    if (isOfFlux(binding)) return []
    const found = subjectsOf(binding).find((subject) => subject.kind === 'User' && subject.name === name)
    return found && (account.ref.namespace !== '' || shareNamespace(account, binding)) ? [found.at.at('name')] : []
  })
}

/**
 * Whether a binding is part of Flux's own installer: it names the accounts of all six controllers, also of those that
 * are not installed. Source: https://github.com/fluxcd/flux2/blob/v2.7.5/manifests/rbac/controller.yaml
 */
function isOfFlux({ ref, root }: Manifest): boolean {
  const partOf = root.at('metadata', 'labels', 'app.kubernetes.io/part-of').string
  return (
    ref.kind === 'ClusterRoleBinding' && /^(?:crd-controller|cluster-reconciler)/.test(ref.name) && partOf === 'flux'
  )
}

/** The fields in which Pods and workloads name an account. */
function runningAs(account: Manifest, head: Snapshot): Cursor[] {
  return onceEach(head.manifests).flatMap((manifest) => {
    const at = accountOf(manifest)
    return at?.string === account.ref.name && shareNamespace(account, manifest) ? [at] : []
  })
}

/** The first of the copies of each object. */
function onceEach(manifests: readonly Manifest[]): Manifest[] {
  return [...new Map(manifests.toReversed().map((manifest) => [identityOf(manifest.ref), manifest])).values()].reverse()
}

function named(users: readonly Cursor[]): string {
  return abridged([...new Set(users.map(({ manifest }) => nameOf(manifest.ref)))])
}
