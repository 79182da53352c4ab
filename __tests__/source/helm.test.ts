import { expect, test } from '@jest/globals'
import { chart, config, declared, helmReleases } from './helm-releases'
import { role } from './objects'
import { judgeChange, places } from './rendered'

helmReleases('helm')

test('without helm a change that needs none is judged, and one that needs it is stopped in one sentence', async () => {
  const report = await judgeChange(declared, { 'plain.yaml': role('plain') }, '/no/such/helm')
  expect([report.status, places(report)]).toEqual([0, []])
  const stopped = await judgeChange(declared, { 'two.yaml': 'replicas: 2\n' }, '/no/such/helm')
  expect([stopped.status, places(stopped)]).toEqual([1, [`head/${config}:4 exact source/unrendered`]])
  expect(stopped.findings[0]?.text).toBe(
    `Release two/two of chart with two.yaml could not be checked: /no/such/helm, which the input or option helm names, does not exist.`,
  )
})

test('keys that a template writes twice are found at the line of the template', async () => {
  const template = chart['chart/templates/ingress.yaml']
  const report = await judgeChange(declared, {
    'chart/templates/ingress.yaml': template.replace('spec:\n', 'metadata:\n  name: {{ .Release.Name }}\nspec:\n'),
  })
  expect(places(report)).toEqual(['warning head/chart/templates/ingress.yaml:6 template source/duplicate-key'])
})

test('and are no news in one more release of it', async () => {
  const template = chart['chart/templates/ingress.yaml']
  const twice = template.replace('spec:\n', 'metadata:\n  name: {{ .Release.Name }}\nspec:\n')
  const report = await judgeChange(
    { ...chart, 'chart/templates/ingress.yaml': twice },
    { 'chart/ci/two-values.yaml': 'hosts: []\n' },
  )
  expect(report.findings.map(({ rule, status }) => `${status} ${rule}`)).toEqual(['existing source/duplicate-key'])
})
