import { expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { base, release, repository } from './flux-objects'
import { change, chart, object, url } from './probe'
import type { Files } from './repository'

const files = { ...base, 'flux/release.yaml': release('') }
const role = 'charts/edge/templates/role.yaml'
const values = 'charts/edge/values.yaml'
const given = (field: string) => repository().replace('spec: {', `spec: {${field}, `)
const kept = 'introduced error base/charts/edge/templates/role.yaml:1 protected-rbac/object-kept'

test.each<[string, Files, string]>([
  ['by a .sourceignore', { '.sourceignore': `/${role}\n` }, 'head/.sourceignore:1'],
  ['by one within the chart', { 'charts/edge/.sourceignore': 'role.*\n' }, 'head/charts/edge/.sourceignore:1'],
  ['by `ignore` of its GitRepository', { 'flux/source.yaml': given('ignore: role.yaml') }, 'head/flux/source.yaml:6'],
])('a template that Flux does not pack any more is removed %s', async (_, head, at) => {
  expect(lines(await change(files, head))).toEqual([`introduced error ${at} protected-rbac/object-kept`])
})

test('a link in place of a template, or of values, is not packed', async () => {
  const moved = { [role]: { link: '../moved.txt' }, 'charts/edge/moved.txt': chart[role] ?? '' }
  expect(lines(await change(files, moved))).toContain(
    'introduced error head/charts/edge/templates/role.yaml:1 protected-rbac/object-kept',
  )
  const report = await change(files, {
    [values]: { link: 'moved.yaml' },
    'charts/edge/moved.yaml': chart[values] ?? '',
  })
  expect(report.findings.map(({ rule, location }) => [rule, location.path])).toEqual([
    ['source/unrendered', 'charts/edge/templates/controller.yaml'],
  ])
})

test('a template that is not packed on either side changes nothing', async () => {
  const report = await change({ ...files, '.sourceignore': `/${role}\n` }, { [role]: null })
  expect(lines(report)).toEqual([])
})

test('a file that is left out by default is no file of the chart', async () => {
  const asking = `{{- if .Files.Get "logo.png" }}\n${chart[role]}{{- end }}\n`
  const packed = { ...files, [role]: asking, 'charts/edge/logo.txt': '' }
  expect(lines(await change({ ...packed, 'charts/edge/logo.png': 'x' }, { 'charts/edge/logo.png': null }))).toEqual([])
})

test('what is left out of the artifact is in the chart that Argo CD renders', async () => {
  const application = object(
    'argoproj.io/v1alpha1',
    'Application',
    'edge',
    'argocd',
    `spec:\n  source: {repoURL: "${url}", path: charts/edge, targetRevision: HEAD}\n  destination: {namespace: shop, server: https://kubernetes.default.svc}\n`,
  )
  const both = { ...files, 'argo/edge.yaml': application, '.sourceignore': `/${role}\n` }
  expect(lines(await change(both, { [role]: null }))).toEqual([kept])
})

test('a version to which Flux appends a revision is not as it is written', async () => {
  const asking = `{{- if eq .Chart.Version "1.0.0" }}\n${chart[role]}{{- end }}\n`
  const tracking = { ...files, 'flux/release.yaml': release('', { values: 'reconcileStrategy: Revision' }) }
  expect(lines(await change(tracking, { [role]: asking }))).toEqual([
    'introduced error head/charts/edge/templates/role.yaml:1 protected-rbac/object-kept',
  ])
  expect(lines(await change(files, { [role]: asking }))).toEqual([])
  // The version in a label is no reason for an alarm.
  const labelled = String(chart[role]).replace(
    'rules:',
    '  labels: {chart: "{{ .Chart.Version | replace "+" "_" }}"}\nrules:',
  )
  expect(lines(await change(tracking, { [role]: labelled }))).toEqual([])
})

test('a chart whose Chart.yaml is left out, or whose values file is, is not packed', async () => {
  const report = await change(files, { '.sourceignore': 'Chart.yaml\n' })
  expect(report.findings.map(({ rule, text }) => [rule, text])).toContainEqual([
    'source/unrendered',
    'The objects that HelmRelease shop/web deploys can no longer be rendered, so this change to them cannot be checked: Flux does not get charts/edge/Chart.yaml: a .sourceignore, or ignore or sparseCheckout of its GitRepository, excludes it.',
  ])
  const named = { ...files, 'flux/release.yaml': release('', { values: 'valuesFiles: [charts/edge/values.yaml]' }) }
  const lost = await change(named, { '.sourceignore': 'values.yaml\n' })
  expect(lost.findings.map(({ rule, text }) => [rule, text])).toEqual([
    [
      'source/unrendered',
      'Flux does not get charts/edge/values.yaml: a .sourceignore, or ignore or sparseCheckout of its GitRepository, excludes it. It is unknown whether this change keeps ClusterRole system:kube-controller-manager.',
    ],
  ])
})
