// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { describe, expect, test } from '@jest/globals'
import { readHelmRelease } from '../../src/gitops/helm-release'
import { lines } from '../cli/guard'
import { manifestIn } from '../manifest/manifests'
import { base, configMap, release, repository, sourceRef } from './flux-objects'
import { change, hostsOf, object, whole } from './probe'

describe('a chart that a HelmRelease names', () => {
  const hosts: [what: string, written: string, expected: string][] = [
    ['values of its own', release('values: {host: own.example.com}'), 'shop/web own.example.com'],
    [
      'the API of v2beta1',
      release('values: {host: own.example.com}', { version: 'v2beta1' }),
      'shop/web own.example.com',
    ],
    [
      'the API of v2beta2',
      release('values: {host: own.example.com}', { version: 'v2beta2' }),
      'shop/web own.example.com',
    ],
    ['a release name', release('releaseName: other\nvalues: {host: a.example.com}'), 'shop/other a.example.com'],
    [
      'a target namespace, which the release is named after too',
      release('targetNamespace: far\nvalues: {host: a.example.com}'),
      'far/far-web a.example.com',
    ],
    [
      'a target namespace and a name',
      release('targetNamespace: far\nreleaseName: web\nvalues: {host: a.example.com}'),
      'far/web a.example.com',
    ],
    [
      'values files, which start at the root',
      release('', { values: 'valuesFiles: [charts/edge/values.yaml, ./teams/web.yaml]' }),
      'shop/web file.example.com',
    ],
    [
      'a ConfigMap over values files',
      release('valuesFrom: [{kind: ConfigMap, name: web-values}]', {
        values: 'valuesFiles: [charts/edge/values.yaml, teams/web.yaml]',
      }),
      'shop/web map.example.com',
    ],
    [
      'values of its own over those of a ConfigMap',
      release('valuesFrom: [{kind: ConfigMap, name: web-values}]\nvalues: {host: own.example.com}'),
      'shop/web own.example.com',
    ],
    [
      'a key of a ConfigMap at a path',
      release('valuesFrom: [{kind: ConfigMap, name: web-values, valuesKey: name, targetPath: host}]'),
      'shop/web key.example.com',
    ],
    [
      'a ConfigMap that need not be there',
      release('valuesFrom: [{kind: ConfigMap, name: none, optional: true}]\nvalues: {host: own.example.com}'),
      'shop/web own.example.com',
    ],
    ['a Secret', release('valuesFrom: [{kind: Secret, name: web-secret}]'), 'shop/web secret.example.com'],
    [
      'a HelmRelease that is suspended',
      release('suspend: true\nvalues: {host: own.example.com}'),
      'shop/web own.example.com',
    ],
  ]
  test.each(hosts)('is rendered with %s', async (_, written, expected) => {
    const secret = Buffer.from('host: secret.example.com\n').toString('base64')
    const files = {
      'teams/web.yaml': 'host: file.example.com\n',
      'teams/map.yaml': configMap(
        'web-values',
        'shop',
        'name: key.example.com\nvalues.yaml: |\n  host: map.example.com',
      ),
      'teams/other-map.yaml': configMap('web-values', 'far', 'values.yaml: "host: wrong.example.com"'),
      'teams/secret.yaml': object('v1', 'Secret', 'web-secret', 'shop', `data: {values.yaml: ${secret}}\n`),
      'web.yaml': written,
    }
    expect(await hostsOf({ ...base, ...files })).toEqual([expected])
  })

  test('is found through a HelmChart', async () => {
    const reference = object(
      'helm.toolkit.fluxcd.io/v2',
      'HelmRelease',
      'web',
      'shop',
      `spec:
  chartRef: {kind: HelmChart, name: edge, namespace: flux-system}
  values: {host: a.example.com}
`,
    )
    const helmChart = object(
      'source.toolkit.fluxcd.io/v1',
      'HelmChart',
      'edge',
      'flux-system',
      `spec: {chart: charts/edge, ${sourceRef}}\n`,
    )
    expect(await hostsOf({ ...base, 'web.yaml': reference, 'chart.yaml': helmChart })).toEqual([
      'shop/web a.example.com',
    ])
  })

  const library = { 'charts/edge/Chart.yaml': 'name: edge\ntype: library\nversion: 1.0.0\n' }
  const elsewhere = (kind: string, at: string) =>
    object('source.toolkit.fluxcd.io/v1', kind, 'far', 'flux-system', `spec: {url: "${at}"}\n`)
  const far = (kind: string) => release('').replace('kind: GitRepository, name: here', `kind: ${kind}, name: far`)
  const reasons: [what: string, written: string, source: string, reason: string][] = [
    [
      'a Helm repository has its chart',
      far('HelmRepository').replace('./charts/edge', 'edge'),
      elsewhere('HelmRepository', 'https://charts.example.com'),
      'the chart edge of https://charts.example.com is not in this repository',
    ],
    [
      'another Git repository has its chart',
      far('GitRepository'),
      elsewhere('GitRepository', 'https://github.com/acme/other'),
      'the chart ./charts/edge of https://github.com/acme/other is not in this repository',
    ],
    [
      'a registry has its chart',
      object(
        'helm.toolkit.fluxcd.io/v2',
        'HelmRelease',
        'web',
        'shop',
        'spec: {chartRef: {kind: OCIRepository, name: far, namespace: flux-system}}\n',
      ),
      elsewhere('OCIRepository', 'oci://ghcr.io/acme/edge'),
      'the chart far of oci://ghcr.io/acme/edge is not in this repository',
    ],
    [
      'a Secret of the cluster has its values',
      release('valuesFrom: [{kind: Secret, name: none}]'),
      repository(),
      'its values from Secret none are not in this repository',
    ],
    [
      'its values are encrypted',
      release('valuesFrom: [{kind: Secret, name: sealed}]'),
      object(
        'v1',
        'Secret',
        'sealed',
        'shop',
        'stringData: {values.yaml: "ENC[AES256_GCM,data:x]"}\nsops: {version: 3.9.0}\n',
      ),
      'its values from Secret sealed are not in this repository',
    ],
  ]
  test.each(reasons)('is not inspected when %s', async (_, written, source, reason) => {
    const { inspected, findings } = await whole({ ...base, ...library, 'far.yaml': source, 'web.yaml': written })
    expect(findings).toEqual([])
    expect(inspected.skipped).toEqual([{ path: 'web.yaml', reason: `HelmRelease shop/web: ${reason}` }])
  })

  test('says what is not laid over it', async () => {
    const patch = object(
      'helm.toolkit.fluxcd.io/v2',
      'HelmRelease',
      'web',
      'shop',
      'spec: {values: {host: b.example.com}}\n',
    )
    const { inspected } = await whole({ ...base, 'web.yaml': release(''), 'overlays/prod/web.yaml': patch })
    expect(inspected.skipped).toEqual([
      {
        path: 'web.yaml',
        reason: 'HelmRelease shop/web: it is rendered without the patch in overlays/prod/web.yaml',
      },
    ])
  })

  test('keeps the start of a long name and a digest of all of it', () => {
    const nameOf = (name: string) =>
      readHelmRelease(manifestIn(release('values: {}').replace('name: web', `name: ${name}`)).root).releaseName
    expect(nameOf('a'.repeat(53))).toBe('a'.repeat(53))
    expect(nameOf('a'.repeat(54))).toBe(`${'a'.repeat(40)}-a3f01b693925`)
  })
})

describe('the values inside a HelmRelease', () => {
  const scoped = (enabled: boolean) =>
    release(`values:\n  controller:\n    install: true\n    scope:\n      enabled: ${enabled}`)
  const other = release('values: {controller: {install: true}}').replace('namespace: shop', 'namespace: other')

  test('are where a controller loses its scope', async () => {
    const report = await change(
      { ...base, 'web.yaml': scoped(true), 'other.yaml': other },
      { 'web.yaml': scoped(false) },
    )
    expect(lines(report)).toEqual(['introduced error head/web.yaml:15 controller-scope/namespace-isolated'])
    expect(report.findings[0]?.text).toContain(
      'Deployment shop/controller and Deployment other/controller both serve the Ingresses of class nginx in namespace other',
    )
  })

  test('are where a protected ClusterRole goes', async () => {
    const report = await change(
      { ...base, 'web.yaml': release('values:\n  bootstrap: true') },
      { 'web.yaml': release('values:\n  bootstrap: false') },
    )
    expect(lines(report)).toEqual(['introduced error head/web.yaml:12 protected-rbac/object-kept'])
  })

  test('take everything with them when the HelmRelease goes', async () => {
    const report = await change({ ...base, 'web.yaml': release('') }, { 'web.yaml': null })
    expect(lines(report)).toEqual(['introduced error base/web.yaml:1 protected-rbac/object-kept'])
  })

  test('in a ConfigMap are where a protected ClusterRole goes', async () => {
    const map = (on: boolean) => configMap('web-values', 'shop', `values.yaml: |\n  bootstrap: ${on}`)
    const report = await change(
      { ...base, 'web.yaml': release('valuesFrom: [{kind: ConfigMap, name: web-values}]'), 'map.yaml': map(true) },
      { 'map.yaml': map(false) },
    )
    expect(lines(report)).toEqual(['introduced error head/map.yaml:8 protected-rbac/object-kept'])
  })
})
