import { expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import { object, url } from './probe'
import type { Files } from './repository'

const chart: Files = {
  'vault/Chart.yaml': 'apiVersion: v2\nname: vault\nversion: 1.0.0\n',
  'vault/values.yaml': 'name: vault\n',
  'vault/templates/account.yaml': 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: "{{ .Values.name }}"}\n',
}

const binding = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: "{{ .Values.name }}"
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:auth-delegator}
subjects:
  - kind: ServiceAccount
    name: vault
    namespace: vault
`

const application = object(
  'argoproj.io/v1alpha1',
  'Application',
  'vault',
  'argocd',
  `spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: secrets}
  source: {repoURL: ${url}, path: vault}
`,
)

test.each<[what: string, more: Files, found: string[]]>([
  ['that nothing installs is not known', {}, []],
  [
    'of an Application is known',
    { 'argo/vault.yaml': application },
    ['introduced warning head/vault/templates/binding.yaml:9 protected-rbac/accounts-resolve'],
  ],
])('the namespace of a chart %s', async (_, more, found) => {
  const base = { ...chart, ...more }
  const report = await checkOpened(opened(base, { ...base, 'vault/templates/binding.yaml': binding }, url))
  expect(lines(report).filter((line) => line.includes('accounts-resolve'))).toEqual(found)
})
