import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const file = 'chart/templates/public.yaml'
const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: public}
spec:
  rules:
  {{- range .Values.hosts }}
  - host: {{ . }}
  {{- end }}
`
const whole: Files = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
  'chart/values.yaml': 'hosts: []\n',
  'chart/uat.yaml': 'pods: 2\n',
  'deploy.sh': 'helm upgrade shop chart -f chart/uat.yaml --set image=$IMAGE --set hosts="{$HOST}"\n',
}
const image =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\ndata: {image: {{ required "an image" .Values.image }}}\n'
const incomplete: Files = { ...whole, 'chart/templates/map.yaml': image }
const complete: Files = {
  ...whole,
  'chart/templates/map.yaml': image.replace('required "an image" .Values.image', '"a"'),
}

async function judged(base: Files, head: Files) {
  const { findings, inspected } = await judgeChange(base, head, 'helm', ['ingress-tls@^1'])
  const refused = findings.filter(({ rule }) => rule === 'ingress-tls/ingress-accepted')
  return { found: refused.map(({ level }) => level), listed: JSON.stringify(inspected.skipped) }
}

const listed = 'it has neither rules nor a defaultBackend, unless the values of a release add it'

test('what a new Ingress lacks may be in values that are not known', async () => {
  const report = await judged(incomplete, { [file]: ingress })
  expect(report.found).toEqual([])
  expect(report.listed).toContain(listed)
})

test('it lacks it where all values are known', async () => {
  const report = await judged(complete, { [file]: ingress })
  expect(report.found).toEqual(['error'])
})

test('so does one that the change takes it from', async () => {
  const before = { ...incomplete, [file]: ingress.replace('  {{- range', '  - host: a.example.com\n  {{- range') }
  expect((await judged(before, { [file]: ingress })).found).toEqual(['warning'])
})
