import { describe, expect, test } from '@jest/globals'
import { Snapshot } from '../../src/cluster/snapshot'
import { permissionText, singles } from '../../src/kubernetes/rbac/rbac'
import {
  includes,
  permissionsOfSubject,
  roleRefOf,
  type Subject,
  serviceAccount,
  subjectName,
  subjectsOf,
} from '../../src/kubernetes/rbac/rbac-binding'
import { manifestIn, manifestsIn } from '../manifest/manifests'

const binding = (subjects: string) =>
  manifestIn(
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b, namespace: shop}\nroleRef: {kind: Role, name: r}\nsubjects: [${subjects}]\n`,
  )
const group = (name: string): Subject => ({ kind: 'Group', name })
const user = (name: string): Subject => ({ kind: 'User', name })

test('a ServiceAccount is the user it logs in as, of the binding’s namespace when it names none', () => {
  const subjects = subjectsOf(
    binding('{kind: ServiceAccount, name: a}, {kind: ServiceAccount, name: a, namespace: x}, {kind: Group, name: g}'),
  )
  expect(subjects.map(({ name }) => name)).toEqual(['system:serviceaccount:shop:a', 'system:serviceaccount:x:a', 'g'])
  expect(subjects.map(subjectName)).toEqual(['ServiceAccount shop/a', 'ServiceAccount x/a', 'Group g'])
  expect(subjects[1] && includes(serviceAccount('x', 'a'), subjects[1])).toBe(true)
})

test('a Role is looked for in the namespace of its binding', () => {
  expect(roleRefOf(binding(''))?.ref).toEqual({
    group: 'rbac.authorization.k8s.io',
    kind: 'Role',
    namespace: 'shop',
    name: 'r',
  })
})

describe('subjects that are in a group by definition', () => {
  test.each<[outer: Subject, inner: Subject, included: boolean]>([
    [group('system:authenticated'), user('ann'), true],
    [group('system:authenticated'), group('devs'), true],
    [group('system:authenticated'), serviceAccount('a', 'b'), true],
    [group('system:serviceaccounts'), serviceAccount('a', 'b'), true],
    [group('system:serviceaccounts:a'), serviceAccount('a', 'b'), true],
    [group('system:serviceaccounts:b'), serviceAccount('a', 'b'), false],
    [group('system:serviceaccounts'), group('system:serviceaccounts:a'), true],
    [group('system:serviceaccounts'), user('ann'), false],
    [group('system:authenticated'), user('system:anonymous'), false],
    [group('system:unauthenticated'), user('system:anonymous'), true],
    [group('system:authenticated'), group('system:unauthenticated'), false],
    [group('devs'), user('ann'), false],
    [user('ann'), user('ann'), true],
    [user('devs'), group('devs'), false],
  ])('%j holds %j: %s', (outer, inner, included) => {
    expect(includes(outer, inner)).toBe(included)
  })
})

test('the permissions of a subject are those of all its bindings, each in its scope', () => {
  const snapshot = new Snapshot(
    '',
    manifestsIn(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: whole}
aggregationRule:
  clusterRoleSelectors:
    - matchLabels: {to-whole: "true"}
    - matchExpressions: [{key: to-whole, operator: In, values: ["maybe"]}]
rules:
  - {apiGroups: [""], resources: [ignored], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: part, labels: {to-whole: "true"}}
rules:
  - {apiGroups: [""], resources: [pods], verbs: [get]}
  - {nonResourceURLs: [/metrics], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: other-part, labels: {to-whole: maybe}}
rules:
  - {apiGroups: [apps], resources: [deployments], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: inside, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: whole}
subjects: [{kind: ServiceAccount, name: web}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: everywhere}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: part}
subjects: [{kind: Group, name: "system:serviceaccounts:shop"}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: elsewhere}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gone}
subjects: [{kind: ServiceAccount, name: web, namespace: shop}]
`),
  )
  const words = [...singles(permissionsOfSubject(serviceAccount('shop', 'web'), snapshot))].map(permissionText)
  expect(words.sort()).toEqual(['get /metrics', 'get pods', 'get pods -n shop', 'list deployments.apps -n shop'])
})
