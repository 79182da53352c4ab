import { expect, test } from '@jest/globals'
import { newestVersions } from '../harness'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

/** A chart that renders its Ingress only for a cluster with some APIs. */
const chart = (guard: string): Files => ({
  'c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
  'c/values.yaml': 'host: a.example.com\n',
  'c/templates/ingress.yaml': `${guard}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  tls: [{hosts: [a.example.com], secretName: web-tls}]
  rules: [{host: {{ .Values.host }}}]
`,
})
const needs = (api: string, message: string) =>
  `{{ if not (.Capabilities.APIVersions.Has "${api}") }}{{ fail ${message} }}{{ end }}`

const change = { 'c/values.yaml': 'host: b.example.com\n' }
const uncovered = 'warning head/c/values.yaml:1 values ingress-tls/host-covered'

test('a chart that refuses to render without APIs, which it names, is rendered with them', async () => {
  const guards = [
    needs('monitoring.coreos.com/v1', '"ERROR: You have to deploy monitoring.coreos.com/v1 first"'),
    needs('gateway.networking.k8s.io/v1beta1', '"install (\\"gateway.networking.k8s.io/v1beta1\\")."'),
  ]
  expect(places(await judgeChange(chart(guards.join('\n')), change))).toContain(uncovered)
})

test('a chart gets no API that its message only mentions', async () => {
  const guard = needs('b.example.com/v1', '"see a.example.com/v1 and deploy b.example.com/v1 first"')
  const cut = chart(guard)['c/templates/ingress.yaml'] as string
  const template = cut.replace(
    /^( {2}tls: .*)$/m,
    '{{ if .Capabilities.APIVersions.Has "a.example.com/v1" }}\n$1\n{{ end }}',
  )
  const report = await judgeChange(chart(''), { 'c/templates/ingress.yaml': template }, 'helm', [...newestVersions])
  expect(places(report)).toContainEqual(expect.stringContaining('ingress-tls/tls-kept'))
})

test('a chart that always asks for one more is not rendered', async () => {
  const guard = '{{ fail (printf "first deploy %s.example.com/v1" (randAlpha 9 | lower)) }}'
  const { findings } = await judgeChange(chart(''), { ...change, ...chart(guard) })
  expect(findings.map(({ rule, text }) => `${rule} ${text.includes('first deploy')}`)).toContain(
    'source/unrendered true',
  )
})

test('a chart that refuses for another reason is not rendered', async () => {
  const guard = '{{ fail "see charts.example.com/v1/notes" }}'
  const { findings } = await judgeChange(chart(''), { ...change, ...chart(guard) })
  expect(findings.map(({ rule }) => rule)).toContain('source/unrendered')
})
