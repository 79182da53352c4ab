import { expect, test } from '@jest/globals'
import { change } from './probe'
import type { Files } from './repository'

const sound = 'ingress: {enabled: true}\nhost: a.example.com\n'
/** A `*` begins an alias of YAML. */
const broken = 'ingress: {enabled: true}\nhost: *.example.com\n'

async function unreadable(base: Files, head: Files): Promise<string[]> {
  const { findings } = await change(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/unreadable')
    .map(
      ({ level, status, location: { path, region }, text }) => `${status} ${level} ${path}:${region.startLine} ${text}`,
    )
}

/** A chart whose dependency is not vendored. */
const umbrella: Files = {
  'charts/web/Chart.yaml':
    'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: postgresql, version: 15.2.5, repository: "https://charts.example.com"}]\n',
  'charts/web/values.yaml': sound,
  'charts/web/templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n',
}

test('values of a chart that does not render anyway, which the change leaves unreadable', async () => {
  expect(await unreadable(umbrella, { 'charts/web/values.yaml': broken })).toEqual([
    expect.stringMatching(
      /^introduced error charts\/web\/values\.yaml:2 This values file cannot be read: .*alias.* A release uses it, so the values of that release are unknown; fix the file\.$/,
    ),
  ])
})

test('values that were not readable before are no news', async () => {
  const before = { ...umbrella, 'charts/web/values.yaml': broken }
  expect(await unreadable(before, { 'charts/web/values.yaml': `${broken}more: true\n` })).toEqual([])
})

/** An Application of a chart from elsewhere with values of this repository. */
const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: shop, server: https://kubernetes.default.svc}
  sources:
    - {repoURL: 'https://charts.example.com', chart: web, targetRevision: 1.2.3, helm: {valueFiles: [$here/values/web.yaml]}}
    - {repoURL: 'https://github.com/acme/platform.git', ref: here}
`

test('values of a chart from elsewhere, which the change leaves unreadable', async () => {
  const base = { 'apps/web.yaml': application, 'values/web.yaml': sound }
  expect(await unreadable(base, { 'values/web.yaml': broken })).toEqual([
    expect.stringMatching(
      /^introduced error values\/web\.yaml:2 This values file cannot be read: .*alias.* A release uses it, so the values of that release are unknown; fix the file\.$/,
    ),
  ])
  const before = { ...base, 'values/web.yaml': broken }
  expect(await unreadable(before, { 'values/web.yaml': `${broken}more: true\n` })).toEqual([])
  const template = '{% if eu %}\nhost: *.example.com\n{% endif %}\n'
  expect(await unreadable({ 'apps/web.yaml': application }, { 'values/web.yaml': template })).toEqual([])
})
