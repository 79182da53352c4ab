import { describe, expect, test } from '@jest/globals'
import { judge, type Texts } from '../harness'
import { ingress, ingressClass, nginx, route } from './routine'

/** The levels of what a rule says of a change. */
async function levels(rule: string, base: Texts, head: Texts): Promise<string[]> {
  const { findings } = await judge({ base, head: { ...base, ...head } }, rule)
  return findings.flatMap(({ status, level, message }) => (status === 'introduced' ? [`${level} ${message}`] : []))
}

describe('a detour to all permissions', () => {
  const rules = {
    escalate: '{apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [escalate, update]}',
    bind: '{apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles, clusterrolebindings], verbs: [bind, create]}',
    impersonate: '{apiGroups: [""], resources: [users, groups], verbs: [impersonate]}',
    'all of RBAC': '{apiGroups: [rbac.authorization.k8s.io], resources: ["*"], verbs: ["*"]}',
  }
  const subjects = {
    'an account': ['{kind: ServiceAccount, name: deployer, namespace: ci}', 'warning detour'],
    'everyone who logs in': ['{kind: Group, name: "system:authenticated"}', 'error everybody'],
    'everyone who does not': ['{kind: Group, name: "system:unauthenticated"}', 'error everybody'],
    'the default account of a namespace': ['{kind: ServiceAccount, name: default, namespace: ci}', 'error detourOpen'],
  }
  const cases = Object.entries(rules).flatMap(([what, rule]) =>
    Object.entries(subjects).map(
      ([who, [subject = '', expected = '']]) => [what, who, rule, subject, expected] as const,
    ),
  )
  test.each(cases)('by %s of %s', async (_, __, rule, subject, expected) => {
    const kind = (name: string) => `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${name}\nmetadata: {name: way}\n`
    const role = `${kind('ClusterRole')}rules: [${rule}]\n`
    const binding = `${kind('ClusterRoleBinding')}roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: way}\nsubjects: [${subject}]\n`
    const found = await levels('protected-rbac/not-widened', { 'role.yaml': role }, { 'binding.yaml': binding })
    expect(found).toEqual([expected])
  })
})

describe('Secrets and commands in Pods of kube-system', () => {
  const rules = {
    both: ['{apiGroups: [""], resources: [secrets, pods/exec], verbs: [get, create]}', 'detour'],
    'everything of one kind': ['{apiGroups: [""], resources: ["*"], verbs: ["*"]}', 'detour'],
    'Secrets alone': ['{apiGroups: [""], resources: [secrets], verbs: [get, list]}', ''],
    'commands alone': ['{apiGroups: [""], resources: [pods/exec], verbs: [create]}', ''],
    'one Secret': [
      '{apiGroups: [""], resources: [secrets], verbs: [get], resourceNames: [one]}, {apiGroups: [""], resources: [pods/exec], verbs: [create]}',
      '',
    ],
  }
  const of = (subject: string, namespace: string) =>
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: way, namespace: ${namespace}}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: way}\nsubjects: [${subject}]\n`
  const account = (name: string) => `{kind: ServiceAccount, name: ${name}, namespace: ci}`

  test.each(Object.entries(rules))('%s', async (_, [rule = '', message = '']) => {
    const role = `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: way}\nrules: [${rule}]\n`
    const found = (subject: string, namespace = 'kube-system') =>
      levels('protected-rbac/not-widened', { 'role.yaml': role }, { 'b.yaml': of(subject, namespace) })
    expect(await found(account('deployer'))).toEqual(message ? [`warning ${message}`] : [])
    expect(await found(account('default'))).toEqual(message ? [`error ${message}Open`] : [])
    expect(await found(account('deployer'), 'shop')).toEqual([])
  })
})

describe('all permissions', () => {
  const kind = (name: string, metadata: string) =>
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${name}\nmetadata: ${metadata}\n`
  const roleRef = (name: string) => `roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name}}\n`
  const bound = (role: string, subjects: string) =>
    `${kind('ClusterRoleBinding', '{name: all}')}${roleRef(role)}subjects: [${subjects}]\n`
  const all = `${kind('ClusterRole', '{name: all}')}rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]\n`
  const account = '{kind: ServiceAccount, name: deployer, namespace: ci}'
  const open = '{kind: ServiceAccount, name: default, namespace: ci}'
  const subjects = [
    [account, 'warning administrator'],
    ['{kind: User, name: jane}', 'warning administrator'],
    ['{kind: Group, name: "system:authenticated"}', 'error everybody'],
    ['{kind: Group, name: "system:unauthenticated"}', 'error everybody'],
    ['{kind: User, name: "system:anonymous"}', 'error everybody'],
    [open, 'error administratorOpen'],
    ['{kind: User, name: "system:serviceaccount:ci:default"}', 'error administratorOpen'],
    ['{kind: Group, name: "system:serviceaccounts:ci"}', 'error administratorOpen'],
    [`${account}, ${open}`, 'error administratorOpen'],
  ] as const
  const cases = ['cluster-admin', 'all'].flatMap((role) =>
    subjects.map(([who, expected]) => [role, who, expected] as const),
  )
  const rule = 'protected-rbac/not-widened'
  test.each(cases)('by %s for %s', async (role, who, expected) => {
    expect(await levels(rule, { 'role.yaml': all }, { 'binding.yaml': bound(role, who) })).toEqual([expected])
  })

  test('by a role that allows everything from now on', async () => {
    const some = all.replace('resources: ["*"]', 'resources: [pods]')
    const base = { 'role.yaml': some, 'binding.yaml': bound('all', open) }
    expect(await levels(rule, base, { 'role.yaml': all })).toEqual(['error administratorOpen'])
  })

  test('in kube-system', async () => {
    const binding = (namespace: string, who: string) =>
      `${kind('RoleBinding', `{name: all, namespace: ${namespace}}`)}${roleRef('cluster-admin')}subjects: [${who}]\n`
    expect(await levels(rule, {}, { 'b.yaml': binding('kube-system', open) })).toEqual(['error administratorOpen'])
    expect(await levels(rule, {}, { 'b.yaml': binding('kube-system', account) })).toEqual([])
    expect(await levels(rule, {}, { 'b.yaml': binding('ci', open) })).toEqual([])
  })

  test('is no finding for those that had it', async () => {
    const base = { 'binding.yaml': bound('cluster-admin', open) }
    const again = bound('cluster-admin', open).replace('name: all', 'name: again')
    expect(await levels(rule, base, { 'again.yaml': again })).toEqual([])
  })

  test('is a warning for a default account too in policies before 1.4.0, in one finding with the others', async () => {
    const head = { 'binding.yaml': bound('cluster-admin', `${account}, ${open}`) }
    const guard = 'format: 1\npolicies: [{use: protected-rbac@1.3.0}]\n'
    const { findings } = await judge({ base: {}, head, guard }, rule)
    expect(findings.map(({ level, message, keys }) => [level, message, keys])).toEqual([
      ['warning', 'administrator', ['ServiceAccount ci/deployer', 'ServiceAccount ci/default']],
    ])
    expect(findings[0]?.text).toMatch(
      /makes ServiceAccount ci\/deployer and ServiceAccount ci\/default an administrator/,
    )
  })

  test('is silent when the advice is taken', async () => {
    const { findings } = await judge({ base: {}, head: { 'b.yaml': bound('cluster-admin', open) } }, rule)
    expect(findings.map(({ text }) => text)).toEqual([
      'ClusterRoleBinding all lets ServiceAccount ci/default do everything in the whole cluster, because ClusterRole cluster-admin allows everything; every Pod of namespace ci that names no account of its own uses ServiceAccount ci/default. Bind a role with only the needed permissions, and to an account that only the Pods that need it name in `serviceAccountName`.',
    ])
    expect(await levels(rule, {}, { 'b.yaml': bound('edit', account) })).toEqual([])
  })
})

test('an autoscaler that may stop a controller is a warning', async () => {
  const scaler = (least: number) =>
    `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: edge, namespace: edge}\nspec:\n  scaleTargetRef: {kind: Deployment, name: edge}\n  minReplicas: ${least}\n`
  const base = {
    'c.yaml': nginx('--controller-class=k8s.io/edge'),
    'k.yaml': ingressClass('edge', 'k8s.io/edge'),
    'i.yaml': ingress(route('/', 'Prefix'), '', 'edge'),
    's.yaml': scaler(2),
  }
  expect(await levels('controller-scope/controller-kept', base, { 's.yaml': scaler(0) })).toEqual(['warning mayStop'])
  expect(await levels('controller-scope/controller-kept', base, { 's.yaml': scaler(1) })).toEqual([])
})

test('a path that only the usual name of its class speaks against is a warning, one that no controller loads an error', async () => {
  const rule = 'controller-scope/paths-served'
  expect(await levels(rule, {}, { 'i.yaml': ingress(route('/*')) })).toEqual(['warning usual'])
  const marked = ingress(route('/a('), 'nginx.ingress.kubernetes.io/use-regex: "true"')
  expect(await levels(rule, {}, { 'i.yaml': marked })).toEqual(['error pattern'])
})
