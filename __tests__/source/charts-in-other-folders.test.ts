import { describe, expect, test } from '@jest/globals'
import { change } from './probe'
import type { Files } from './repository'

/** An Ingress with TLS for one host. */
const values = (host: string, indent = '') =>
  [
    'ingress:',
    '  enabled: true',
    `  hosts: [{host: ${host}}]`,
    '  tls: [{secretName: web-tls, hosts: [a.example.com]}]',
  ]
    .map((line) => `${indent}${line}\n`)
    .join('')
const [before, after] = ['a.example.com', 'b.example.com']

async function judged(base: Files, head: Files): Promise<{ found: string[]; files: string[] }> {
  const { findings, inspected } = await change(base, head)
  return {
    found: findings
      .filter(({ rule }) => rule.startsWith('ingress-tls/'))
      .map(({ level, rule, location: { path, region } }) => `${level} ${rule} ${path}:${region.startLine}`),
    files: (inspected.files ?? []).map(({ path, state, reason }) => `${path} ${state}: ${reason}`),
  }
}

/** A chart that does not render without a value that only its releases give. */
const chart: Files = {
  'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'charts/web/templates/map.yaml': '{{ required "a name" .Values.name }}\n',
}

describe('a HelmRelease whose chart is in a folder of another repository', () => {
  const release = (host: string, of = 'GitRepository, name: charts') => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  chart: {spec: {chart: ./charts/web, sourceRef: {kind: ${of}}}}
  values:
${values(host, '    ')}`

  test.each(['GitRepository', 'Bucket'])('of a %s is judged by its values', async (kind) => {
    const of = `${kind}, name: charts`
    const { found } = await judged({ 'web.yaml': release(before, of) }, { 'web.yaml': release(after, of) })
    expect(found).toEqual(['warning ingress-tls/host-covered web.yaml:9'])
  })

  test('is not where this repository has that folder', async () => {
    const { found } = await judged({ 'web.yaml': release(before), ...chart }, { 'web.yaml': release(after) })
    expect(found).toEqual([])
  })
})

describe('an Application whose chart is in a folder of another repository', () => {
  const application = (helm: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: shop, server: https://kubernetes.default.svc}
  sources:
    - {repoURL: 'https://github.com/acme/platform.git', ref: here}
    - repoURL: https://github.com/acme/charts.git
      path: charts/web
      helm:
${helm}`
  const ofFile = application('        valueFiles: [$here/values/web.yaml]\n')
  const inline = (host: string) => application(`        valuesObject:\n${values(host, '          ')}`)

  test('is judged by its inline values', async () => {
    const { found } = await judged({ 'web.yaml': inline(before) }, { 'web.yaml': inline(after) })
    expect(found).toEqual(['warning ingress-tls/host-covered web.yaml:14'])
  })

  test('is judged by a values file of this repository, which is no longer called unused', async () => {
    const { found, files } = await judged(
      { 'apps/web.yaml': ofFile, 'values/web.yaml': values(before) },
      { 'values/web.yaml': values(after) },
    )
    expect(found).toEqual(['warning ingress-tls/host-covered values/web.yaml:3'])
    expect(files).toEqual([
      'values/web.yaml not-judged: values of Application argocd/web: https://github.com/acme/charts.git charts/web is not in this repository',
    ])
  })

  test('that an ApplicationSet makes is judged, too', async () => {
    const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all, namespace: argocd}
spec:
  generators: [{list: {elements: [{name: web}]}}]
  template:
    metadata: {name: '{{name}}'}
    spec:
      destination: {namespace: shop, server: https://kubernetes.default.svc}
      sources:
        - {repoURL: 'https://github.com/acme/platform.git', ref: here}
        - {repoURL: 'https://github.com/acme/charts.git', path: charts/web, helm: {valueFiles: ['$here/values/{{name}}.yaml']}}
`
    const { found } = await judged(
      { 'apps/all.yaml': set, 'values/web.yaml': values(before) },
      { 'values/web.yaml': values(after) },
    )
    expect(found).toEqual(['warning ingress-tls/host-covered values/web.yaml:3'])
  })

  test('is not where this repository has that folder', async () => {
    const { found } = await judged({ 'web.yaml': inline(before), ...chart }, { 'web.yaml': inline(after) })
    expect(found).toEqual([])
  })

  test('is not where Argo CD builds the folder in another way', async () => {
    const other = (host: string) => inline(host).replace('charts/web', 'charts/web\n      plugin: {name: own}')
    const { found } = await judged({ 'web.yaml': other(before) }, { 'web.yaml': other(after) })
    expect(found).toEqual([])
  })
})
