import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const web: Files = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {host: "{{ .Values.server.host }}"}
`,
  'web/values.yaml': 'server:\n  host: web.example.com\n',
}
const release: Files = {
  'apps/web.yaml': `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  sources:
    - {repoURL: https://charts.acme.example, chart: web, targetRevision: 1.0.0, helm: {valueFiles: [$here/apps/web/values.yaml]}}
    - {repoURL: https://github.com/acme/shop, targetRevision: HEAD, ref: here}
  destination: {name: in-cluster, namespace: web}
`,
  'apps/web/values.yaml': 'ingress:\n  enabled: true\n',
}

async function duplicates(base: Files, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/duplicate-key')
    .map(
      ({ level, status, location: { path, region }, text }) => `${status} ${level} ${path}:${region.startLine} ${text}`,
    )
}

const lost = 'Helm takes only the last one, and all that the others set below it is lost. Merge them into one.'

test('a key that a change writes twice in the values of a chart is a warning at the second one', async () => {
  const twice = `${web['web/values.yaml']}server:\n  port: 80\n`
  expect(await duplicates(web, { 'web/values.yaml': twice })).toEqual([
    `introduced warning web/values.yaml:3 These values have the key server more than once in one map. ${lost}`,
  ])
})

test('and in the values of a release of a chart from elsewhere', async () => {
  const twice = 'ingress:\n  enabled: true\nresources: {}\ningress:\n  className: nginx\nresources: {a: 1}\n'
  expect(await duplicates(release, { 'apps/web/values.yaml': twice })).toEqual([
    `introduced warning apps/web/values.yaml:4 These values have the keys ingress, resources more than once in one map. ${lost}`,
  ])
})

test('keys that were there twice are no news, and one more of them is', async () => {
  const twice = `${web['web/values.yaml']}server:\n  port: 80\n`
  const before = { ...web, 'web/values.yaml': twice }
  expect(await duplicates(before, { 'web/values.yaml': `${twice}other: 1\n` })).toEqual([])
  expect(await duplicates(before, { 'web/values.yaml': `${twice}server: {}\n` })).toEqual([
    `introduced warning web/values.yaml:5 These values have the key server more than once in one map. ${lost}`,
  ])
})
