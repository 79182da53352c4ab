import { expect, test } from '@jest/globals'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const rule = 'version-matrix/release-serves'
const file = 'eso/templates/store.yaml'

const umbrella = (version: string) =>
  [
    'apiVersion: v2',
    'name: eso',
    'version: 0.1.0',
    'dependencies:',
    `  - { name: external-secrets, version: ${version}, repository: https://charts.example.org }`,
    '',
  ].join('\n')

const store = (version: string) =>
  `apiVersion: external-secrets.io/${version}\nkind: ClusterSecretStore\nmetadata: { name: vault }\n`

const found = async (base: Files, head: Files) =>
  places(await judgeChange(base, head, 'helm', ['version-matrix@1.9.0'])).filter((place) => place.endsWith(rule))

test('a chart that another chart includes brings the release of a component', async () => {
  const base = { [file]: store('v1'), 'eso/Chart.yaml': umbrella('2.4.1'), 'eso/values.yaml': '{}\n' }
  expect(await found(base, { [file]: store('v1beta1') })).toEqual([`warning head/${file}:1 template ${rule}`])
  expect(await found(base, { [file]: `${store('v1')}spec: {}\n` })).toEqual([])
})

test('a change of its version is one of the release', async () => {
  const base = { [file]: store('v1beta1'), 'eso/Chart.yaml': umbrella('0.16.2'), 'eso/values.yaml': '{}\n' }
  expect(await found(base, { 'eso/Chart.yaml': umbrella('0.17.0') })).toEqual([
    `warning head/eso/Chart.yaml:5 exact ${rule}`,
  ])
  expect(await found(base, { 'eso/Chart.yaml': umbrella('0.16.1') })).toEqual([])
})
