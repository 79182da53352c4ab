import { expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import { object, url } from './probe'
import type { Files } from './repository'

const mirror = url.replace('github.com', 'git.home.example')
const application = (repoURL: string, path = 'edge') =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    'edge',
    'argocd',
    `spec:\n  project: default\n  destination: {name: in-cluster, namespace: shop}\n  source: {repoURL: "${repoURL}", path: ${path}, targetRevision: HEAD}\n`,
  )
const role = (verbs: string) =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: system:kube-scheduler}\nrules:\n  - {apiGroups: [""], resources: [pods], verbs: [${verbs}]}\n`
const filesAt = (repoURL: string): Files => ({ 'argo/app.yaml': application(repoURL), 'edge/role.yaml': role('list') })

test('a server at home that has this repository under the same name is this repository', async () => {
  expect(mirror).not.toBe(url)
  const report = await checkOpened(opened(filesAt(mirror), { 'argo/app.yaml': application(mirror, 'core') }, url))
  expect(lines(report)).toEqual([
    'introduced error head/argo/app.yaml:9 protected-rbac/object-kept',
    'introduced error head/argo/app.yaml:9 source/unrendered',
  ])
})

test.each([
  ['by a change', filesAt(url), mirror],
  ['with another owner', filesAt(mirror.replace(/[^/]+(?=\/[^/]+$)/, 'other')), undefined],
])('one that is named %s is another repository', async (_, base, repoURL) => {
  const head = repoURL
    ? { 'argo/app.yaml': application(repoURL) }
    : { 'argo/app.yaml': `# Edited.\n${base['argo/app.yaml']}` }
  const report = await checkOpened(opened(base, head, url))
  expect(JSON.stringify(report)).toContain('is not in this repository')
})
