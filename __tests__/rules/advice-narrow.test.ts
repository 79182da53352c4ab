import { expect, test } from '@jest/globals'
import { defaultRoles, defaultsOf } from '../../src/kubernetes/rbac/bootstrap-rbac'
import { allowsEverything } from '../../src/kubernetes/rbac/rbac-power'
import { nameOf } from '../../src/manifest/manifest'
import { judge } from '../harness'

const everything = /apiGroups: \["\*"\], resources: \["\*"\], verbs: \["\*"\]/

/** Roles as a manifest writes them, with rules. */
const written = (rules: string) =>
  [...defaultRoles(), { group: '', kind: 'ClusterRole', namespace: '', name: 'system:acme' }]
    .map(
      ({ kind, namespace, name }) =>
        `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata: {name: "${name}"${namespace && `, namespace: ${namespace}`}}\nrules:\n${rules}`,
    )
    .join('---\n')
const base = written('  - {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}\n')
const head = written('  - {apiGroups: [""], resources: [pods], verbs: [get]}\n')

test.each([undefined, 'format: 1\nclusters: {here: {paths: ["**"], kubernetes: "1.35"}}\n'])(
  'no advice widens a role to everything that Kubernetes does not give it: %s',
  async (guard) => {
    const { findings } = await judge(
      { base: { 'roles.yaml': base }, head: { 'roles.yaml': head }, ...(guard && { guard }) },
      'protected-rbac/permissions-kept',
    )
    const advising = findings.filter(({ text, fix }) =>
      everything.test(`${text} ${JSON.stringify(fix ?? '').replaceAll('\\', '')}`),
    )
    const ofKubernetes = defaultRoles().filter((ref) => defaultsOf(ref).some(({ always }) => allowsEverything(always)))
    expect(advising.map(({ text }) => text.split(' no longer')[0])).toEqual(ofKubernetes.map(nameOf))
    expect(ofKubernetes.map(nameOf)).toEqual(['ClusterRole cluster-admin'])
    expect(findings.length).toBeGreaterThan(50)
    expect(findings.filter(({ message }) => message === 'shrunk').map(({ text }) => text)).toEqual([
      'ClusterRole system:acme no longer allows `* *.*`; its name is reserved for the cluster, but no API server restores it. Check that everyone bound to it no longer needs that.',
    ])
  },
)

test('what Kubernetes gives a role is enough after everything', async () => {
  const role = (rules: string) =>
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: "system:basic-user"}\nrules: [${rules}]\n`
  const reviews = (resources: string) =>
    `{apiGroups: [authorization.k8s.io], resources: [${resources}], verbs: [create]}, {apiGroups: [authentication.k8s.io], resources: [selfsubjectreviews], verbs: [create]}`
  const wide = { 'a.yaml': role('{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}') }
  const found = async (rules: string) =>
    (await judge({ base: wide, head: { 'a.yaml': role(rules) } }, 'protected-rbac/permissions-kept')).findings
  expect(await found(reviews('selfsubjectaccessreviews, selfsubjectrulesreviews'))).toEqual([])
  expect((await found(reviews('selfsubjectrulesreviews'))).map(({ text }) => text)).toEqual([
    expect.stringContaining('no longer allows `create selfsubjectaccessreviews.authorization.k8s.io`'),
  ])
})
