import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const chart = (template: string): Files => ({
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/templates/ingress.yaml': `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: ${template}
`,
  'web/values.yaml': 'host: a.example.com\n',
})

/** The values that a change of the chart's own adds and nothing reads. */
async function unread(template: string, values: string, more: Files = {}): Promise<string[]> {
  const { findings } = await judgeChange({ ...chart(template), ...more }, { 'web/values.yaml': values })
  return findings
    .filter(({ rule, status }) => rule === 'source/value-unread' && status === 'introduced')
    .map(({ level, location, text }) => `${level} ${location.path}:${location.region.startLine} ${text}`)
}

const classed = '{ingressClassName: {{ .Values.config.ingressClass | quote }}, rules: [{host: {{ .Values.host }}}]}'

describe('a value that no template of the chart reads', () => {
  test('is reported where the templates read it in another block', async () => {
    expect(await unread(classed, 'host: a.example.com\ningressClass: nginx\n')).toEqual([
      'warning web/values.yaml:2 No template of the chart web reads the value ingressClass, so helm ignores it. The templates read config.ingressClass, which nothing sets; write the value there, or have the templates read this one.',
    ])
  })

  test('is reported where the templates read the same words in another order', async () => {
    const issued = '{rules: [{host: {{ .Values.tls.createIssuer }}}]}'
    const [found = ''] = await unread(issued, 'tls: {issuer: {create: "true"}}\n')
    expect(found).toContain(
      'reads the value tls.issuer.create, so helm ignores it. The templates read tls.createIssuer',
    )
  })

  test('is reported where a template of a route reads the same words, of any subject', async () => {
    const [found = ''] = await unread(
      '{rules: [{host: "web.{{ .Values.global.clusterHubDomain }}"}]}',
      'global: {hubClusterDomain: acme.io}\n',
    )
    expect(found).toContain(
      'reads the value global.hubClusterDomain, so helm ignores it. The templates read global.clusterHubDomain',
    )
  })

  test('is reported where one letter differs', async () => {
    const [found = ''] = await unread(
      '{ingressClassName: {{ .Values.ingress.className }}}',
      'ingress: {classNames: nginx}\n',
    )
    expect(found).toContain('The templates read ingress.className')
  })

  test.each([
    ['the place is set as well', classed, 'ingressClass: nginx\nconfig: {ingressClass: nginx}\n'],
    ['the block is read whole', '{{ toYaml .Values.ingress }}', 'ingress: {className: nginx}\n'],
    ['the block is used by with', '{{ with .Values.ingress }}{a: {{ .class }}}{{ end }}', 'ingress: {tls: [a]}\n'],
    ['all values are passed on', '{{ toYaml .Values }}{{ .Values.config.ingressClass }}', 'ingressClass: nginx\n'],
    [
      'the template that is included is not here',
      '{{ include "common.ingress" . }}{{ .Values.config.ingressClass }}',
      'ingressClass: nginx\n',
    ],
    [
      'it is read by index',
      '{a: {{ index .Values "ingress" "class-name" }}, b: {{ .Values.ingress.className }}}',
      'ingress: {class-name: nginx}\n',
    ],
    ['its anchor may be used', classed, 'ingressClass: &class nginx\n'],
  ])('is not reported where %s', async (_, template, values) => {
    expect(await unread(template, values)).toEqual([])
  })

  test('is not reported where it was there before', async () => {
    const before = { 'web/values.yaml': 'ingressClass: nginx\n' }
    expect(await unread(classed, 'ingressClass: other\n', before)).toEqual([])
  })

  test('is not reported for a chart that is included', async () => {
    const included = {
      'web/Chart.yaml':
        'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: db, version: 1.0.0, repository: https://charts.example.com}]\n',
    }
    const template = '{ingressClassName: {{ .Values.ingress.className }}}'
    expect(await unread(template, 'db: {ingress: {className: nginx}}\n', included)).toEqual([])
  })
})

/** An umbrella chart with the chart `app` in its `charts/`, packed or not. */
const umbrella = (values: string): Files => ({
  'web/Chart.yaml': `apiVersion: v2
name: web
version: 1.0.0
dependencies: [{name: app, alias: shop, version: 1.2.3, repository: 'https://charts.example.com'}]
`,
  'web/values.yaml': values,
  'web/charts/app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.2.3\n',
  'web/charts/app/values.yaml': 'ingress: {enabled: false, hostname: web.example.com, tls: {}}\n',
  'web/charts/app/templates/ingress.yaml': `{{- if .Values.ingress.enabled }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, annotations: {checksum: {{ include (print $.Template.BasePath "/ingress.yaml") . | sha256sum }}}}
spec:
  rules: [{host: {{ .Values.ingress.hostname }}}]
  tls: {{ toJson .Values.ingress.tls }}
{{- end }}
`,
})

test('a value that has nothing to do with an Ingress is not reported', async () => {
  const map = { 'web/templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\ndata: {size: {{ .Values.app.size }}}\n' }
  expect(await unread('{rules: [{host: {{ .Values.host }}}]}', 'host: a.example.com\nsize: 3\n', map)).toEqual([])
})

describe('a value for a dependency that none of its templates reads', () => {
  const ofDependency = async (before: string, after: string) => {
    const { findings } = await judgeChange(umbrella(before), { 'web/values.yaml': after })
    return findings
      .filter(({ rule }) => rule === 'source/value-unread')
      .map(({ status, location, text }) => `${status} ${location.path}:${location.region.startLine} ${text}`)
  }
  const hosts = 'shop:\n  ingress:\n    hosts: [web.example.com]\n'

  test('is reported with the keys beside it', async () => {
    expect(await ofDependency('shop: {}\n', hosts)).toEqual([
      'introduced web/values.yaml:3 No template of the chart app 1.2.3, a dependency of web, reads the value shop.ingress.hosts, so helm ignores it. In the same block the chart reads enabled, hostname and tls; write one of these, or remove the value.',
    ])
  })

  test('is reported with the block that is meant', async () => {
    const [found = ''] = await ofDependency('shop: {}\n', 'shop:\n  hostname: web.example.com\n')
    expect(found).toContain('reads the value shop.hostname, so helm ignores it. The chart reads shop.ingress.hostname')
  })

  test('is no news where only the head has the chart of the dependency', async () => {
    const all = Object.entries(umbrella(hosts))
    const isOfDependency = ([file]: readonly [string, unknown]) => file.startsWith('web/charts/')
    const base = Object.fromEntries(all.filter((one) => !isOfDependency(one)))
    const { findings } = await judgeChange(base, Object.fromEntries(all.filter(isOfDependency)))
    expect(findings.filter(({ rule }) => rule === 'source/value-unread').map(({ status }) => status)).toEqual([
      'existing',
    ])
  })

  test('is no news where the base has it', async () => {
    expect(await ofDependency(hosts, `${hosts}more: 1\n`)).toEqual([expect.stringMatching(/^existing /)])
  })

  test.each([
    ['the block is read whole', 'shop: {ingress: {tls: {secret: web}}}\n'],
    ['it has nothing to do with an Ingress', 'shop: {replicas: 3}\n'],
    ['a value is a template', 'shop: {ingress: {hostname: "{{ .Values.ingress.hosts }}", hosts: [a]}}\n'],
  ])('is none where %s', async (_, after) => {
    expect(await ofDependency('shop: {}\n', after)).toEqual([])
  })
})
