import { entryOf } from '../../entry'
import { allows, type Permissions, type PolicyRule, permissionsOf, rbacGroup, shared, uncovered } from './rbac'
import type { Subject } from './rbac-binding'

const reading = ['get', 'list', 'watch']

const all = permissionsOf({
  apiGroups: ['*'],
  resources: ['*'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update'],
})

/** Whether these permissions allow everything, as cluster-admin does. */
export function allowsEverything(permissions: readonly Permissions[]): boolean {
  return allows(permissions, all)
}

const binding: PolicyRule = {
  apiGroups: [rbacGroup],
  resources: ['clusterroles', 'roles'],
  verbs: ['bind', 'escalate'],
}
const impersonation: PolicyRule = { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }
const clusterRoles: PolicyRule = {
  apiGroups: [rbacGroup],
  resources: ['clusterroles', 'clusterrolebindings'],
  verbs: ['create', 'patch', 'update'],
}
const kubelet: PolicyRule = { apiGroups: [''], resources: ['nodes/proxy'], verbs: ['create', 'get'] }
const roles: PolicyRule = {
  apiGroups: [rbacGroup],
  resources: ['roles', 'rolebindings'],
  verbs: ['create', 'patch', 'update'],
}
const secrets: PolicyRule = {
  apiGroups: [''],
  resources: ['secrets', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'services/proxy'],
  verbs: reading,
}

/** The permissions that the user-facing roles withhold; each role includes the ones before. */
const kept: Readonly<Record<string, readonly PolicyRule[]>> = {
  admin: [binding, impersonation, clusterRoles, kubelet],
  edit: [binding, impersonation, clusterRoles, kubelet, roles],
  view: [binding, impersonation, clusterRoles, kubelet, roles, secrets],
}

/**
 * The permissions that are added to `admin`, `edit` or `view` although these roles are meant to withhold them.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#user-facing-roles
 */
export function leaksInto(gatherer: string, permissions: readonly Permissions[]): Permissions[] {
  const leaked = (entryOf(kept, gatherer) ?? []).flatMap((rule) => within(rule, permissions))
  return gatherer === 'view' ? [...leaked, ...changing(permissions)] : leaked
}

/** The parts of a rule that permissions allow, each at its rule. */
function within(rule: PolicyRule, permissions: readonly Permissions[]): Permissions[] {
  return permissions.flatMap((allowed) =>
    shared(permissionsOf(rule), [allowed]).map((part) => ({ ...part, at: allowed.at })),
  )
}

/** The permissions to read Secrets of any name. */
export function readingSecrets(permissions: readonly Permissions[]): Permissions[] {
  const rule = { apiGroups: [''], resources: ['secrets'], verbs: reading }
  return within(rule, permissions).filter(({ name }) => name.has(''))
}

/** The permissions beyond reading; to `use` a policy changes nothing by itself. */
function changing(permissions: readonly Permissions[]): Permissions[] {
  return permissions.flatMap((allowed) => {
    const verb = new Set([...allowed.verb].filter((one) => ![...reading, 'use'].includes(one)))
    return allowed.url.has('') && verb.size > 0 ? [{ ...allowed, verb }] : []
  })
}

/** Whether permissions only allow reading, and no Secrets. */
export function onlyReads(permissions: readonly Permissions[]): boolean {
  return leaksInto('view', permissions).length === 0
}

const basicUser = permissionsOf({
  apiGroups: ['authentication.k8s.io', 'authorization.k8s.io'],
  resources: ['selfsubjectaccessreviews', 'selfsubjectreviews', 'selfsubjectrulesreviews'],
  verbs: ['create'],
})

/**
 * Whether permissions reveal only what API servers show to everyone: URLs, and to logged-in users their own
 * permissions. Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#discovery-roles
 */
export function isPublic(permissions: readonly Permissions[], isOpen: boolean): boolean {
  return uncovered(isOpen ? [] : basicUser, permissions).every(({ url }) => !url.has(''))
}

/**
 * Permissions that allow privilege escalation.
 * Source: https://kubernetes.io/docs/concepts/security/rbac-good-practices/#privilege-escalation-risks
 */
export function escalations(permissions: readonly Permissions[]): Permissions[] {
  const accounts = { ...impersonation, resources: ['users', 'groups', 'serviceaccounts'] }
  return [binding, accounts].flatMap((rule) => within(rule, permissions))
}

const anyBinding: PolicyRule = { apiGroups: [rbacGroup], resources: ['clusterroles'], verbs: ['bind', 'escalate'] }
const execution: PolicyRule = { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] }
const secretReading: PolicyRule = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }

/**
 * Permissions by which a subject gets all others: to bind or escalate any role, to impersonate any user or group, and,
 * in kube-system, to read Secrets and to run commands in Pods.
 *
 * @param isWhole whether they hold in the whole cluster
 */
export function detoursIn(permissions: readonly Permissions[], isWhole: boolean): Permissions[] {
  const onAny = permissions.filter(({ name }) => name.has(''))
  if (isWhole) return [anyBinding, impersonation].flatMap((rule) => within(rule, onAny))
  const [reads, runs] = [secretReading, execution].map((rule) => within(rule, onAny))
  return reads?.length && runs?.length ? [...reads, ...runs] : []
}

/** Whether a subject is the account of Pods that name none. */
export function isDefaultAccount({ kind, name }: Subject): boolean {
  return (
    (kind === 'User' && /^system:serviceaccount:[^:]*:default$/.test(name)) ||
    (kind === 'Group' && name.startsWith('system:serviceaccounts:'))
  )
}

/** The Pods that log in as a default account, as a clause. */
export function podsOf({ kind, name }: Subject): string {
  const [, , namespace = ''] = name.split(':')
  const where = namespace === '' ? 'its namespace' : `namespace ${namespace}`
  return kind === 'Group'
    ? `every Pod of ${where} is in that group`
    : `every Pod of ${where} that names no account of its own uses ServiceAccount ${namespace ? `${namespace}/` : ''}default`
}

const everybody: Readonly<Record<string, string>> = {
  'Group system:authenticated': 'everyone who logs in, every Pod included',
  'Group system:authenticated:oauth': 'everyone who logs in',
  'Group system:serviceaccounts': 'every Pod of the cluster',
  'Group system:unauthenticated': 'everyone who reaches the API server',
  'User system:anonymous': 'everyone who reaches the API server',
}

/** The subjects that include everyone, each with a description. */
export function everybodyIn({ kind, name }: Subject): string | undefined {
  return entryOf(everybody, `${kind} ${name}`)
}

/** Whether a subject needs no login. */
export function isAnonymous({ name }: Subject): boolean {
  return name === 'system:unauthenticated' || name === 'system:anonymous'
}
