import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const base: Files = {
  'charts/common/Chart.yaml': 'apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n',
  'charts/common/templates/_host.tpl': '{{- define "common.host" -}}a.example.com{{- end -}}\n',
  'charts/web/Chart.yaml':
    'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: common, version: 1.0.0, repository: "file://../common"}]\n',
  'charts/web/charts/common': { link: '../../common' },
}

const ingress = (host: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  tls: [{hosts: [a.example.com], secretName: web-tls}]
  rules: [{host: ${host}}]
`

test('a dependency that is a link in charts/ to its chart is rendered', async () => {
  const { findings, inspected } = await judgeChange(
    { ...base, 'charts/web/templates/ingress.yaml': ingress('{{ include "common.host" . }}') },
    { 'charts/web/templates/ingress.yaml': ingress('b.example.com') },
    'helm',
    ['ingress-tls'],
  )
  expect(findings.map(({ rule, message }) => `${rule} ${message}`)).toContain('ingress-tls/host-covered uncovered')
  expect(inspected.skipped).toEqual([])
})

test('a chart that another one has only a copy of is rendered by itself', async () => {
  const chart = (name: string, more = '') => `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n${more}`
  const { findings } = await judgeChange(
    {
      'charts/part/Chart.yaml': chart('part'),
      'charts/part/templates/ingress.yaml': ingress('a.example.com'),
      'charts/web/Chart.yaml': chart(
        'web',
        'dependencies: [{name: part, version: 0.9.0, repository: "file://../part"}]\n',
      ),
      'charts/web/charts/part/Chart.yaml': chart('part'),
      'charts/web/charts/part/templates/ingress.yaml': ingress('a.example.com'),
    },
    { 'charts/part/templates/ingress.yaml': ingress('b.example.com') },
    'helm',
    ['ingress-tls'],
  )
  expect(findings.map(({ rule, location }) => `${rule} ${location.path}`)).toContain(
    'ingress-tls/host-covered charts/part/templates/ingress.yaml',
  )
})
