import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import { configMap } from './objects'
import { url } from './probe'
import type { Files } from './repository'

const change = (base: Files, head: Files) => checkOpened(opened(base, head, url))

const open = (report: Awaited<ReturnType<typeof change>>) => lines(report).filter((line) => line.includes('not-judged'))

describe('a release of a chart from elsewhere whose Ingress is judged by its values', () => {
  const release = (values: string) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  chart: {spec: {chart: site, sourceRef: {kind: HelmRepository, name: charts}}}
  values:
${values.replace(/^/gm, '    ')}
`
  const values = (host: string, tls: string, more = 'replicas: 1') =>
    `ingress:\n  enabled: true\n  hosts: [{host: ${host}}]\n  tls: [{secretName: web, hosts: [${tls}]}]\n${more}`

  test('says of its Ingress what the rules say, and the rest is a notice', async () => {
    const report = await change(
      { 'web.yaml': release(values('a.example.com', 'a.example.com')) },
      { 'web.yaml': release(values('a.example.com', 'b.example.com')) },
    )
    expect(open(report)).toEqual(['introduced notice head/web.yaml:10 source/not-judged'])
    expect(lines(report)).toContain('introduced warning head/web.yaml:9 ingress-tls/host-covered')
  })

  test('is a warning where another key of routes, TLS or permissions differs', async () => {
    const before = values('a.example.com', 'a.example.com', 'gateway: {host: a.example.com}')
    for (const more of ['gateway: {host: b.example.com}', 'rbac: {create: true}', 'extra: {host: b.example.com}']) {
      const after = values('a.example.com', 'a.example.com', more)
      const report = await change({ 'web.yaml': release(before) }, { 'web.yaml': release(after) })
      expect(open(report)).toEqual(['introduced warning head/web.yaml:11 source/not-judged'])
    }
  })

  test('is a warning where the Ingress is assumed no more', async () => {
    const before = release(values('a.example.com', 'a.example.com'))
    const report = await change({ 'web.yaml': before }, { 'web.yaml': before.replace('enabled: true', 'use: true') })
    expect(open(report)).toEqual(['introduced warning head/web.yaml:8 source/not-judged'])
  })

  test('holds for the values of a dependency too', async () => {
    const chart = (host: string): Files => ({
      'Chart.yaml':
        'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: site, version: 1.0.0, repository: "https://charts.example.com"}]\n',
      'values.yaml': `site:\n${values('a.example.com', host).replace(/^/gm, '  ')}\n`,
      'templates/map.yaml': configMap('web'),
    })
    const report = await change(chart('a.example.com'), chart('b.example.com'))
    expect(open(report)).toEqual(['introduced notice head/values.yaml:5 source/not-judged'])
    expect(lines(report)).toContain('introduced warning head/values.yaml:4 ingress-tls/host-covered')
  })
})

test('a patch of an object from elsewhere that is found to take TLS away is judged', async () => {
  const patch = (spec: string) =>
    `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: ${spec}\n`
  const base = {
    'app/kustomization.yaml':
      'resources:\n  - https://github.com/example/base//deploy?ref=v1\n  - map.yaml\npatches:\n  - path: patch.yaml\n',
    'app/map.yaml': configMap('map'),
    'app/patch.yaml': patch('{ingressClassName: nginx}'),
  }
  const { findings, inspected } = await change(base, { 'app/patch.yaml': patch('{tls: []}') })
  expect(findings.map(({ rule, message }) => `${rule} ${message}`)).toEqual(['source/unrendered patch-tls'])
  expect(inspected.files).toEqual([
    {
      path: 'app/patch.yaml',
      change: 'changed',
      state: 'judged',
      reason: 'the removals of this patch from an object from elsewhere are judged',
    },
  ])
})

test('a template below a project of Kluctl has the cause and the remedy of Kluctl', async () => {
  const template = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ ${name} }}}\n`
  const { findings, inspected } = await change(
    { 'kluctl/.kluctl.yaml': 'targets: [{name: prod}]\n', 'kluctl/web/map.yaml': template('one') },
    { 'kluctl/web/map.yaml': template('two'), 'other/map.yaml': template('two') },
  )
  expect(inspected.files?.map(({ path, state, cause }) => `${path} ${state} ${cause}`)).toEqual([
    'kluctl/web/map.yaml not-judged other-tool',
    'other/map.yaml not-judged template',
  ])
  expect(findings.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('Kluctl uses it, and the objects depend on the arguments of each target'),
  )
})

test('values that a release takes through a link are used', async () => {
  const files = (replicas: number): Files => ({
    'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'chart/templates/map.yaml': configMap('web', '{{ .Values.replicas }}'),
    'shared/values-prod.yaml': `replicas: ${replicas}\n`,
    'envs/prod.yaml': { link: '../shared/values-prod.yaml' },
    'shared/values-old.yaml': `replicas: ${replicas}\n`,
    '.github/ingress-guard.yaml':
      'format: 1\nhelm:\n  - {chart: chart, values: [envs/prod.yaml], release: web, namespace: web}\n',
  })
  const { inspected } = await change(files(1), files(2))
  expect(inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
    '.github/**: ignored: 1 file',
    'shared/values-old.yaml: values that no known release uses; declare the release under `helm:`',
  ])
})
