import { describe, expect, test } from '@jest/globals'
import { kept, name } from './kustomize-objects'
import { role } from './objects'
import { judgeChange, places } from './rendered'

const account = 'apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: scaler\n  namespace: kube-system\n'
const annotated = `${account}  annotations:\n    example.com/role: {{ .Role }}\n`
const binding = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: scaler}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: scaler}
subjects: [{kind: ServiceAccount, name: scaler, namespace: kube-system}]
`
const base = {
  'manifests/rbac.yaml': account,
  'manifests/binding.yaml': binding,
  'manifests/role.yaml': role('scaler'),
}
const newest = ['protected-rbac@^1']

describe('an object that a file of the change writes which cannot be read', () => {
  test.each([
    ['a template', annotated.replace('name: scaler', "name: 'scaler'"), ''],
    ['a template with more in it', `${annotated}---\nkind: Secret\nname: {{ .Name }}\n`, ''],
    ['a file that is no YAML', `${account}  annotations: [\n`, 'head/manifests/01-rbac.yaml'],
  ])('%s: its removal is doubted', async (_, text) => {
    const head = { 'manifests/rbac.yaml': null, 'manifests/01-rbac.yaml': text }
    const { findings } = await judgeChange(base, head, 'helm', newest)
    const [found, ...more] = findings.filter(({ rule }) => rule === 'protected-rbac/binding-resolves')
    expect(more).toEqual([])
    expect(found).toMatchObject({ level: 'warning', status: 'introduced' })
    expect(found?.text).toContain(
      'manifests/01-rbac.yaml also contains ServiceAccount kube-system/scaler, but cannot be read until it is fixed or a tool fills it in, so it is unknown whether the object is gone.',
    )
  })

  test.each([
    ['another name', annotated.replace('name: scaler', 'name: scaler-2')],
    ['another kind', annotated.replace('ServiceAccount', 'Secret')],
    ['a mention alone', '{{ if .X }}\nkind: Role\nsubjects:\n  - kind: ServiceAccount\n    name: scaler\n{{ end }}\n'],
  ])('not by %s', async (_, text) => {
    const head = { 'manifests/rbac.yaml': null, 'manifests/01-rbac.yaml': text }
    const found = places(await judgeChange(base, head, 'helm', newest))
    // Another test is about the template itself; a mention in it is no object.
    expect(found.filter((place) => !place.endsWith(' source/not-judged'))).toEqual([
      'base/manifests/rbac.yaml:1 exact protected-rbac/binding-resolves',
    ])
  })

  test('nor by a template that was there before', async () => {
    const before = { ...base, 'manifests/01-rbac.yaml': annotated }
    expect(places(await judgeChange(before, { 'manifests/rbac.yaml': null }, 'helm', newest))).toEqual([
      'base/manifests/rbac.yaml:1 exact protected-rbac/binding-resolves',
    ])
  })

  test('a protected object that goes into a template stays an error', async () => {
    const head = { 'manifests/role.yaml': null, 'manifests/01-role.yaml': `{{ if false }}\n${role(name)}{{ end }}\n` }
    const report = await judgeChange({ 'manifests/role.yaml': role(name) }, head)
    expect(places(report)).toEqual([
      'warning head/manifests/01-role.yaml:1 exact source/not-judged',
      `base/manifests/role.yaml:1 exact ${kept}`,
    ])
    expect(report.findings[1]?.text).toContain('manifests/01-role.yaml also contains ClusterRole')
  })
})
