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
