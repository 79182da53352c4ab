import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { placeOf } from '../../src/fetch/connection/place'
import { TrustedPlaces } from '../../src/fetch/connection/trust'
import { knownPlaces } from '../../src/fetch/known-places'
import { TestProxy } from '../fetch/test-proxy'
import { configMap } from '../source/objects'
import { withEnvironment } from '../source/repository'
import { changeOnline, helmRelease, helmRepository, introduced } from './charts'

let proxy: TestProxy
beforeAll(async () => {
  proxy = await TestProxy.start()
})
afterAll(() => proxy.close())

/** The change that names a place for the first time, on a machine with a proxy that reaches nothing. */
function naming(url: string) {
  const release = helmRelease('web', { chart: 'cert-manager', version: '1.18.2' })
  const variables = { HTTPS_PROXY: proxy.url, https_proxy: undefined, NO_PROXY: undefined, no_proxy: undefined }
  return withEnvironment(variables, () =>
    changeOnline({ 'a.yaml': configMap('a') }, { 'charts.yaml': helmRepository(url), 'web.yaml': release }),
  )
}

test('a place of a well-known project is asked also where only the change names it', async () => {
  proxy.asked.length = 0
  const report = await naming('https://charts.jetstack.io')
  expect(proxy.asked).toContain('CONNECT charts.jetstack.io:443')
  expect(introduced(report)).toEqual(['notice head/charts.yaml:1 source/not-judged'])
  expect(report.findings[0]?.text).toContain(
    'the chart cert-manager of https://charts.jetstack.io could not be fetched',
  )
})

test('a place of another name is not asked', async () => {
  proxy.asked.length = 0
  const report = await naming('https://charts.jetstack.io.example.com')
  expect(proxy.asked).toEqual([])
  expect(introduced(report)).toEqual(['error head/charts.yaml:8 source/not-judged'])
})

test.each([
  ['https://charts.jetstack.io/', 'cert-manager', true],
  ['oci://ghcr.io/argoproj/argo-helm', 'argo-cd', true],
  ['oci://ghcr.io/argoproj/argo-helm/argo-cd', '', true],
  ['https://kubernetes-sigs.github.io/node-feature-discovery/charts/', 'node-feature-discovery', true],
  ['oci://ghcr.io/bjw-s-labs/helm/app-template', '', true],
  ['oci://ghcr.io/rook', 'rook-ceph-cluster', true],
  ['oci://ghcr.io/argoproj', 'other', false],
  ['oci://ghcr.io/home-operations/charts-mirror', 'keda', false],
  ['oci://registry.k8s.io', 'charts', false],
  ['https://kubernetes-sigs.github.io/node-feature-discovery', 'node-feature-discovery', false],
  ['oci://ghcr.io/argoproj/argo-helm-2', 'argo-cd', false],
  ['http://charts.jetstack.io', 'cert-manager', false],
  ['https://charts.jetstack.io:8443', 'cert-manager', false],
  ['https://charts.jetstack.io/mirror', 'cert-manager', false],
  ['https://argoproj.github.io/other', 'argo-cd', false],
])('of %s, the chart "%s" is trusted: %s', (url, chart, expected) => {
  const place = placeOf(url)
  expect(place && new TrustedPlaces(knownPlaces).trustsChart(place, chart)).toBe(expected)
})

test('the known places are in order, each once, and none is all of a registry', () => {
  expect(knownPlaces).toEqual([...new Set(knownPlaces)].sort())
  expect(new Set(knownPlaces.map((url) => placeOf(url)?.key)).size).toBe(knownPlaces.length)
  expect(knownPlaces.filter((url) => url.endsWith('/') || /^oci:\/\/[^/]+$/.test(url))).toEqual([])
})
