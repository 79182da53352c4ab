import { expect, test } from '@jest/globals'
import type { Files } from '../source/repository'
import { allowing, changeOnline, exposing, introduced, serveCharts, states } from './charts'

const { 'values.yaml': values } = exposing
const charts = serveCharts({
  web: {
    '1.0.0': exposing,
    '2.0.0': { ...exposing, 'values.yaml': values.replace('covered', 'other') },
  },
})

const helmfile = (version: string, more = '') => `repositories:
  - name: acme
    url: ${charts.url}
releases:
  - name: web
    namespace: shop
    chart: acme/web
    version: ${version}
${more}`
const bundle = (version: string, more = '') => `defaultNamespace: shop
helm:
  releaseName: web
  repo: ${charts.url}
  chart: web
  version: ${version}
${more}`
const uncovered = 'ingress-tls/host-covered'

/** What is said of a change, with the network. */
async function said(base: Files, head: Files) {
  const report = await changeOnline({ ...allowing(charts.url), ...base }, head)
  return { found: introduced(report), files: states(report), texts: report.findings.map(({ text }) => text) }
}

test('a new version of a release of helmfile is rendered, and its findings are at the version', async () => {
  const { found, files } = await said({ 'helmfile.yaml': helmfile('1.0.0') }, { 'helmfile.yaml': helmfile('2.0.0') })
  expect(found).toEqual([`error head/helmfile.yaml:8 ${uncovered}`])
  expect(files).toEqual(['helmfile.yaml input'])
})

test('its values, files and single values are given to it', async () => {
  const its = '    values: [web.yaml, {a: 1}]\n    set: [{name: b, value: c}]\n'
  const base = { 'helmfile.yaml': helmfile('1.0.0', its), 'web.yaml': 'exposed: covered.example.com\n' }
  const { found, files } = await said(base, { 'web.yaml': '# edited\nexposed: a.example.com\n' })
  expect(found).toEqual([`error head/web.yaml:2 ${uncovered}`])
  expect(files).toEqual(['web.yaml input'])
  const set = its.replace('name: b, value: c', 'name: exposed, value: a.example.com')
  const other = await said(base, { 'helmfile.yaml': helmfile('1.0.0', set) })
  expect(other.found).toEqual([`error head/helmfile.yaml:10 ${uncovered}`])
})

test('so is a new version in a bundle of Fleet, for each target', async () => {
  const { found, files } = await said({ 'web/fleet.yaml': bundle('1.0.0') }, { 'web/fleet.yaml': bundle('2.0.0') })
  expect(found).toEqual([`error head/web/fleet.yaml:6 ${uncovered}`])
  expect(files).toEqual(['web/fleet.yaml input'])
  const target = 'targetCustomizations:\n  - clusterName: east\n    helm: {values: {exposed: a.example.com}}\n'
  const east = await said({ 'web/fleet.yaml': bundle('1.0.0') }, { 'web/fleet.yaml': bundle('1.0.0', target) })
  expect(east.found).toEqual([expect.stringContaining(uncovered)])
  expect(east.files).toEqual(['web/fleet.yaml input'])
})

test('a version that does not exist is an error at its line', async () => {
  const { found, texts } = await said({ 'helmfile.yaml': helmfile('1.0.0') }, { 'helmfile.yaml': helmfile('9.0.0') })
  expect(found).toEqual(['error head/helmfile.yaml:8 source/unrendered'])
  expect(texts[0]).toContain('cannot be installed, here or in the cluster')
})

test.each([
  ['with encrypted values', '    secrets: [secrets.yaml]\n'],
  ['with a patch', '    jsonPatches: [{target: {kind: Ingress}, patch: []}]\n'],
  ['with values that helmfile fills in', '    values: [web.yaml.gotmpl]\n'],
])('a release %s stays unjudged', async (_, more) => {
  const secrets = { 'secrets.yaml': 'a: ENC\n', 'web.yaml.gotmpl': 'a: {{ env "A" }}\n' }
  const base = { 'helmfile.yaml': helmfile('1.0.0', more), ...secrets }
  const { found, files } = await said(base, { 'helmfile.yaml': helmfile('2.0.0', more) })
  expect(found).toEqual([expect.stringContaining('source/not-judged')])
  expect(files).toEqual([expect.stringContaining('helmfile.yaml not-judged')])
})

test('a place that only the change names is not asked', async () => {
  const report = await changeOnline({ 'a.txt': '' }, { 'helmfile.yaml': helmfile('1.0.0') })
  expect(introduced(report)).toEqual([expect.stringContaining('head/helmfile.yaml:7 source/not-judged')])
  expect(report.findings[0]?.text).toContain('only this change names its place')
})

test('without a network, a release is listed as before', async () => {
  const base = { 'helmfile.yaml': helmfile('1.0.0') }
  const report = await changeOnline(base, { 'helmfile.yaml': helmfile('2.0.0') }, '--offline')
  expect(introduced(report)).toEqual([expect.stringContaining('source/not-judged')])
  expect(states(report)).toEqual(['helmfile.yaml not-judged chart-elsewhere'])
})
