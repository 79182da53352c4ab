import { describe, expect, test } from '@jest/globals'
import { switchesIn } from '../../src/pipeline/opening/switches'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const template = (
  tls = 'tls:\n    - secretName: shop-tls\n      hosts: [{{ .Values.ingress.host }}]',
) => `{{- if .Values.ingress.enabled }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
spec:
  {{- if .Values.ingress.secure }}
  ${tls}
  {{- end }}
  rules:
    - host: {{ .Values.ingress.host }}
  defaultBackend: {service: {name: shop, port: {number: 80}}}
{{- end }}
`

const values = (more = '') => `ingress:\n  enabled: false\n  secure: false\n  host: shop.example.com\n${more}`

const chart: Files = {
  'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'shop/values.yaml': values(),
  'shop/templates/ingress.yaml': template(),
}

/** Another Secret name would be no finding; this leaves the host out. */
const uncovered = template('tls:\n    - secretName: shop-tls\n      hosts: [www.{{ .Values.ingress.host }}]')

const supposed = 'This assumes a release of shop with ingress.enabled=true, ingress.secure=true.'

describe('a chart that no known release installs', () => {
  test('is rendered with its switches on, and what they show is a warning', async () => {
    const report = await judgeChange(chart, { 'shop/templates/ingress.yaml': uncovered })
    expect(places(report)).toEqual(['warning head/shop/templates/ingress.yaml:10 template ingress-tls/host-covered'])
    expect(report.findings[0]?.text).toContain(supposed)
    expect(report.findings[0]?.cluster).toBe('shop with ingress.enabled=true, ingress.secure=true')
    expect(report.inspected.files).toMatchObject([{ path: 'shop/templates/ingress.yaml', state: 'judged' }])
    expect(report.status).toBe(0)
  })
})

describe('the switches of a chart', () => {
  const off = { ingress: { enabled: false, tls: false, host: '' }, rbac: { create: false }, debug: false, on: true }
  const cases: [what: string, template: string, expected: string[]][] = [
    ['a condition', '{{ if .Values.ingress.enabled }}', ['ingress.enabled']],
    [
      'several in one',
      '{{ if and $.Values.ingress.enabled (or .Values.debug .Values.on) }}',
      ['debug', 'ingress.enabled'],
    ],
    ['a further branch', '{{ if .a }}{{ else if .Values.debug }}', ['debug']],
    ['a block', '{{ with .Values.ingress }}{{ if .tls }}{{ end }}{{ end }}{{ if .debug }}', ['ingress.tls']],
    ['a variable', '{{ $ingress := .Values.ingress }}{{ if $ingress.tls }}', ['ingress.tls']],
    ['a named template', '{{ define "on" }}{{ .Values.rbac.create }}{{ end }}{{ if include "on" . }}', ['rbac.create']],
    ['one that asks whether it is off', '{{ if not .Values.debug }}', []],
    ['text', '{{ .Values.debug }} if .Values.debug', []],
    [
      'a value that is no switch',
      '{{ if .Values.ingress.host }}{{ if .Values.ingress }}{{ if .Values.gone.enabled }}',
      [],
    ],
    ['an inherited name', '{{ if .Values.constructor.name }}', []],
  ]
  test.each(cases)('%s', (_, text, expected) => {
    expect(switchesIn([off], [{ text, above: [], isChanged: true }]).all).toEqual(expected)
    expect(switchesIn([off], [{ text, above: [], isChanged: false }]).all).toEqual([])
  })

  test('of what the change does not touch, only routes, certificates and permissions count', () => {
    const of = (text: string) =>
      switchesIn([off], [{ text: `{{ if .Values.debug }}\n${text}`, above: [], isChanged: false }])
    expect(of('kind: Ingress')).toEqual({ all: ['debug'], ofRoutes: ['debug'] })
    expect(of('kind: "ClusterRole"')).toEqual({ all: ['debug'], ofRoutes: [] })
    expect(of('kind: Deployment')).toEqual({ all: [], ofRoutes: [] })
  })

  test('of a chart in another one are below its name', () => {
    const api = { text: '{{ if .Values.ingress.enabled }}\nkind: Ingress', above: ['api'], isChanged: false }
    const both = [{ api: { enabled: false } }, { api: { ingress: { enabled: false } } }]
    expect(switchesIn(both, [api]).all).toEqual(['api.enabled', 'api.ingress.enabled'])
  })
})
