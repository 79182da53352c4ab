import { describe, expect, test } from '@jest/globals'
import { switchesIn } from '../../src/pipeline/opening/switches'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const template = (more = '') => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
  annotations: {example.com/team: shop}
${more}spec:
  defaultBackend: {service: {name: shop, port: {number: 80}}}
`
const file = 'shop/templates/ingress.yaml'
const chart: Files = {
  'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'shop/values.yaml': 'ingress: {enabled: false}\n',
  [file]: template(),
}
const mesh = (line: string) => `  {{- if and .Values.meshOn $.Values.meshAsked }}\n  ${line}\n  {{- end }}\n`
const policy = ['ingress-tls@^1.14.0']

describe('a value that only conditions of a changed route ask for', () => {
  test('is taken for a switch', async () => {
    const report = await judgeChange(chart, { [file]: template(mesh('example.com/upstream: "true"')) }, 'helm', policy)
    expect(places(report)).toEqual([`warning head/${file}:7 template ingress-tls/ingress-accepted`])
    expect(report.findings[0]?.text).toBe(
      'The API server rejects Ingress default/shop, because metadata has no field example.com/upstream. Write it under metadata.annotations. This assumes a release of shop with meshAsked=true, meshOn=true.',
    )
  })

  test('is none where a release with it may need other values', async () => {
    const needy = template(mesh('labels: {mesh: {{ .Values.meshes.first.name }}}'))
    expect(places(await judgeChange(chart, { [file]: needy }, 'helm', policy))).toEqual([
      `warning head/${file}:6 exact source/not-judged`,
    ])
  })

  const cases: [what: string, template: string, expected: string[]][] = [
    ['one', '{{ if .Values.a }}', ['a']],
    ['several in one condition', '{{ if and .Values.a (or .Values.b (eq .Values.c 1)) }}', ['a', 'b']],
    ['a further branch', '{{ if eq .Values.b 1 }}{{ else if .Values.a }}', ['a']],
    ['one by an index', '{{ if and (index .Values "a" "b-c") (index $.Values "d") }}', ['a.b-c', 'd']],
    ['one below another', '{{ if .Values.a }}{{ if .Values.a.b }}', ['a.b']],
    ['one that is printed, too', '{{ if .Values.a }}{{ .Values.a }}', []],
    ['one that is read below, too', '{{ if .Values.a }}{{ .Values.a.b }}', []],
    ['one that a block reads, too', '{{ if .Values.a }}{{ with .Values.a }}', []],
    ['one that is compared', '{{ if eq .Values.a "b" }}{{ if gt (len .Values.b) 1 }}', []],
    ['one with a default value in its template', '{{ if .Values.a | default true }}', []],
    ['one that is asked to be off', '{{ if not .Values.a }}{{ if and .Values.b (not .Values.b) }}', []],
    ['one with a value', '{{ if .Values.on }}{{ if .Values.text.below }}', []],
  ]
  test.each(cases)('can be %s', (_, text, expected) => {
    const of = (kind: string, isChanged: boolean) =>
      switchesIn([[{ on: true, text: 'a' }]], [{ file, text: `${text}\nkind: ${kind}`, above: [], isChanged }])
    expect(of('Ingress', true).withoutDefault).toEqual(expected)
    expect(of('Issuer', true).withoutDefault).toEqual(expected)
    expect(of('Ingress', false).withoutDefault).toEqual([])
    expect(of('Deployment', true).withoutDefault).toEqual([])
  })

  test('is none where another template reads it', () => {
    const route = { file, text: '{{ if .Values.a }}\nkind: Ingress', above: ['api'], isChanged: true }
    const other = { file, text: '{{ .Values.api.a }}', above: [], isChanged: false }
    expect(switchesIn([[{}]], [route]).withoutDefault).toEqual(['api.a'])
    expect(switchesIn([[{}]], [route, other]).withoutDefault).toEqual([])
  })
})

describe('a new chart', () => {
  const uncovered =
    `{{- if .Values.ingress.enabled }}\n${template(mesh('example.com/upstream: "true"'))}{{- end }}\n`.replace(
      'meshAsked',
      'ingress.enabled',
    )

  test('is rendered with its switches on, but not with those that have no default value', async () => {
    const page: Files = { 'README.md': 'Shop\n' }
    const quiet = { ...chart, [file]: uncovered }
    expect(places(await judgeChange(page, quiet, 'helm', policy))).toEqual([])
    const report = await judgeChange(
      page,
      { ...quiet, [file]: uncovered.replace('if and .Values.meshOn', 'if') },
      'helm',
      policy,
    )
    expect(places(report)).toEqual([`warning head/${file}:8 template ingress-tls/ingress-accepted`])
    expect(report.findings[0]?.text).toMatch(/ This assumes a release of shop with ingress\.enabled=true\.$/)
  })
})
