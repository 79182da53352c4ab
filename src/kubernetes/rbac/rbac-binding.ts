import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest, type ObjectRef } from '../../manifest/manifest'
import { defaultsOf } from './bootstrap-rbac'
import { bindingKinds, inNamespace, type Permissions, rbacGroup } from './rbac'
import { aggregationOf, permissionsOfRole } from './rbac-role'

/** An RBAC subject. A ServiceAccount is the user it logs in as, so that both spellings are equal. */
export interface Subject {
  readonly kind: 'User' | 'Group'
  readonly name: string
}

/** A subject, and where a binding names it. */
export interface BoundSubject extends Subject {
  readonly at: Cursor
}

const accountPrefix = 'system:serviceaccount:'

export function serviceAccount(namespace: string, name: string): Subject {
  return { kind: 'User', name: `${accountPrefix}${namespace}:${name}` }
}

/** The subjects of a binding. A ServiceAccount without a namespace is of the binding's, and of none without that. */
export function subjectsOf(binding: Manifest): BoundSubject[] {
  return [...binding.root.at('subjects').items()].flatMap((at) => {
    const name = at.at('name').string
    const kind = at.at('kind').string
    if (!name) return []
    if (kind === 'User' || kind === 'Group') return [{ kind, name, at }]
    if (kind !== 'ServiceAccount') return []
    return [{ ...serviceAccount(at.at('namespace').string || binding.ref.namespace, name), at }]
  })
}

/** The ServiceAccount that a subject is; undefined for people, groups and accounts of an unknown namespace. */
export function accountOf({ kind, name }: Subject): ObjectRef | undefined {
  if (kind !== 'User' || !name.startsWith(accountPrefix)) return undefined
  const [namespace = '', account = ''] = name.slice(accountPrefix.length).split(':')
  return namespace && account ? { group: '', kind: 'ServiceAccount', namespace, name: account } : undefined
}

/** `ServiceAccount kube-system/kube-proxy`, `Group system:masters`: how messages name a subject. */
export function subjectName({ kind, name }: Subject): string {
  if (kind !== 'User' || !name.startsWith(accountPrefix)) return `${kind} ${name}`
  return `ServiceAccount ${name.slice(accountPrefix.length).replace(/^:/, '').replace(':', '/')}`
}

/**
 * The groups that every such subject is in automatically. Source:
 * https://github.com/kubernetes/apiserver/blob/master/pkg/authentication/user/user.go
 */
function groupsOf({ kind, name }: Subject): string[] {
  if (name === 'system:unauthenticated' || name === 'system:anonymous') {
    return kind === 'User' ? ['system:unauthenticated'] : []
  }
  if (kind === 'User' && name.startsWith(accountPrefix)) {
    const [namespace = ''] = name.slice(accountPrefix.length).split(':')
    return [`system:serviceaccounts:${namespace}`, 'system:serviceaccounts', 'system:authenticated']
  }
  if (kind === 'Group' && name.startsWith('system:serviceaccounts:')) {
    return ['system:serviceaccounts', 'system:authenticated']
  }
  return ['system:authenticated']
}

/** Whether one subject's permissions apply to another: it is the same, or a group that always contains the other. */
export function includes(outer: Subject, inner: Subject): boolean {
  return (
    (outer.kind === inner.kind && outer.name === inner.name) ||
    (outer.kind === 'Group' && groupsOf(inner).includes(outer.name))
  )
}

/** The role that a binding gives; undefined where it names none. */
export function roleRefOf(binding: Manifest): { readonly ref: ObjectRef; readonly at: Cursor } | undefined {
  const at = binding.root.at('roleRef')
  const kind = at.at('kind').string
  const name = at.at('name').string
  if (!name || (kind !== 'ClusterRole' && kind !== 'Role')) return undefined
  return { ref: { group: rbacGroup, kind, namespace: kind === 'Role' ? binding.ref.namespace : '', name }, at }
}

/**
 * The permissions of a role in a snapshot, or its defaults if it is not there; undefined if both are unknown. The
 * sources of an aggregated role are known only in part, so its defaults count too.
 */
export function permissionsOfRoleRef(ref: ObjectRef, snapshot: Snapshot): readonly Permissions[] | undefined {
  const [role] = snapshot.get(ref)
  if (role && !aggregationOf(role)) return permissionsOfRole(role, snapshot)
  const known = defaultsOf(ref).slice(-1)
  const permissions = [
    ...(role ? permissionsOfRole(role, snapshot) : []),
    ...known.flatMap(({ always, gated }) => [...always, ...gated]),
  ]
  return permissions.length > 0 ? permissions : undefined
}

/** The permissions of a binding: a RoleBinding grants them in its namespace alone. */
export function permissionsOfBinding(binding: Manifest, snapshot: Snapshot): readonly Permissions[] {
  const roleRef = roleRefOf(binding)
  const permissions = (roleRef && permissionsOfRoleRef(roleRef.ref, snapshot)) ?? []
  return binding.ref.kind === 'RoleBinding' ? inNamespace(permissions, binding.ref.namespace) : permissions
}

/** Whether two bindings give the same role. */
export function sameRole(one: Manifest, other: Manifest): boolean {
  const [a, b] = [roleRefOf(one), roleRefOf(other)]
  return a !== undefined && b !== undefined && identityOf(a.ref) === identityOf(b.ref)
}

/** The permissions of a subject by all bindings of a snapshot, including those of its groups; RBAC has no denials. */
export function permissionsOfSubject(subject: Subject, snapshot: Snapshot): Permissions[] {
  return bindingKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((binding) => subjectsOf(binding).some((bound) => includes(bound, subject)))
    .flatMap((binding) => permissionsOfBinding(binding, snapshot))
}
