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
