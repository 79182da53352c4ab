import { describe, expect, test } from '@jest/globals'
import { valuesAround } from '../../src/pipeline/opening/values-around'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const values = { on: true, off: false, size: 'small', parts: { a: { enabled: false } }, list: [1] }

/** What is needed for the line `changed` of a template, by the values it is needed at. */
function around(text: string, set: Record<string, unknown> = {}): Record<string, unknown>[] {
  const template = { file: 'templates/a.yaml', text, other: text.replace(/changed.*/g, 'was'), above: [] }
  const found = valuesAround([[values], [values]], [{ ...template, isChanged: true }], set)
  return found.map((one) => Object.fromEntries(one))
}

describe('the values with which helm comes to changed lines', () => {
  const cases: [what: string, template: string, expected: Record<string, unknown>[]][] = [
    ['a line in no block', 'changed', []],
    ['a condition that holds', '{{ if .Values.on }}\nchanged\n{{ end }}', []],
    ['a switch that is off', '{{ if .Values.off }}\nchanged\n{{ end }}', [{ off: true }]],
    ['what a condition refuses', '{{ if not .Values.on }}\nchanged\n{{ end }}', [{ on: false }]],
    ['an else', '{{ if .Values.on }}\nx\n{{ else }}\nchanged\n{{ end }}', [{ on: false }]],
    [
      'a further branch',
      '{{ if .Values.on }}\nx\n{{ else if .Values.off }}\nchanged\n{{ end }}',
      [{ on: false, off: true }],
    ],
    ['a text', '{{ if eq .Values.size "large" }}\nchanged\n{{ end }}', [{ size: 'large' }]],
    [
      'an API of the cluster',
      '{{ if and .Values.off (.Capabilities.APIVersions.Has "route.openshift.io/v1") }}\nchanged\n{{ end }}',
      [{ off: true, 'API:route.openshift.io/v1': true }],
    ],
    [
      'an API that the cluster lacks',
      '{{ if $.Capabilities.APIVersions.Has "a.example.com/v1" }}\nx\n{{ else }}\nchanged\n{{ end }}',
      [],
    ],
    [
      'what a named template prints',
      '{{ define "on" }}{{ if .Values.off }}true{{ else }}false{{ end }}{{ end }}{{ if eq (include "on" .) "true" }}\nchanged\n{{ end }}',
      [{ off: true }],
    ],
    [
      'that it prints anything',
      '{{- define "on" -}}\n{{- if eq .Values.size "large" -}}\n{{ "yes" }}\n{{- end }}\n{{- end }}\n{{ if include "on" . }}\nchanged\n{{ end }}',
      [{ size: 'large' }],
    ],
    [
      'that it prints something else',
      '{{ define "on" }}{{ if .Values.on }}true{{ else }}{{ false }}{{ end }}{{ end }}{{ if ne (include "on" .) "true" }}\nchanged\n{{ end }}',
      [{ on: false }],
    ],
    [
      'named templates that ask each other',
      '{{ define "a" }}{{ if include "b" . }}yes{{ end }}{{ end }}{{ define "b" }}{{ if and .Values.off (include "a" .) }}yes{{ end }}{{ end }}{{ if include "a" . }}\nchanged\n{{ end }}',
      [],
    ],
    [
      'named templates that each ask the next one many times',
      `${Array.from({ length: 60 }, (_, at) => `{{ define "t${at}" }}${`{{ if include "t${at + 1}" . }}yes{{ end }}`.repeat(60)}{{ end }}`).join('')}{{ define "t60" }}{{ if .Values.off }}yes{{ end }}{{ end }}{{ if include "t0" . }}\nchanged\n{{ end }}`,
      [{ off: true }],
    ],
    ['an unknown text', '{{ define "a" }}{{ .Values.size }}{{ end }}{{ if include "a" . }}\nchanged\n{{ end }}', []],
    ['a named template that is not here', '{{ if eq (include "lib.a" .) "true" }}\nchanged\n{{ end }}', []],
    ['a text that is as wanted', '{{ if eq "small" .Values.size }}\nchanged\n{{ end }}', []],
    [
      'a text that is refused',
      '{{ if ne .Values.size "large" }}\nx\n{{ else }}\nchanged\n{{ end }}',
      [{ size: 'large' }],
    ],
    ['a text as a switch', '{{ if eq (toString .Values.off) "true" }}\nchanged\n{{ end }}', [{ off: true }]],
    [
      'several conditions',
      '{{ if and .Values.off (eq .Values.size "large") (or .Values.on .Values.b) }}\nchanged\n{{ end }}',
      [{ off: true, size: 'large' }],
    ],
    ['any of several', '{{ if or .Values.off .Values.b }}\nchanged\n{{ end }}', [{ off: true }]],
    [
      'blocks in blocks',
      '{{ if .Values.off }}{{ if .Values.b }}\nchanged\n{{ end }}{{ end }}',
      [{ off: true, b: true }],
    ],
    ['a value that may be missing', '{{ if ((.Values.parts).b).c }}\nchanged\n{{ end }}', [{ 'parts.b.c': true }]],
    ['a key', '{{ if hasKey .Values.parts "c" }}\nchanged\n{{ end }}', [{ 'parts.c': true }]],
    [
      'a value below a dot',
      '{{ with .Values.parts.a }}{{ if .enabled }}\nchanged\n{{ end }}{{ end }}',
      [{ 'parts.a.enabled': true }],
    ],
    [
      'a value of a variable',
      '{{ $a := .Values.parts.a }}\n{{ if $a.enabled }}\nchanged\n{{ end }}',
      [{ 'parts.a.enabled': true }],
    ],
    ['a value by its key', '{{ if index .Values "a-b" "c" }}\nchanged\n{{ end }}', [{ 'a-b.c': true }]],
    ['a value of a map by its key', '{{ if get .Values.parts "a-b" }}\nchanged\n{{ end }}', [{ 'parts.a-b': true }]],
    ['a value by a key that is not known', '{{ if index .Values.parts .Values.size }}\nchanged\n{{ end }}', []],
    [
      'a text by its key, or another one',
      '{{ $a := (index .Values._b "c-d") | default "false" }}\n{{ if eq $a "true" }}\nchanged\n{{ end }}',
      [{ '_b.c-d': 'true' }],
    ],
    ['a text that a missing value has', '{{ if eq (default "x" .Values.b) "x" }}\nchanged\n{{ end }}', []],
    [
      'a variable that is set anew',
      '{{ $a := .Values.b | default "x" }}{{ $a := "y" }}{{ if eq $a "z" }}\nchanged\n{{ end }}',
      [],
    ],
    ['a text for none', '{{ if eq .Values.b "true" }}\nchanged\n{{ end }}', [{ b: 'true' }]],
    ['a block within the line', 'x\n{{ if .Values.off }}changed{{ end }}', [{ off: true }]],
    ['a line after a block', '{{ if .Values.off }}\nx\n{{ end }}\nchanged', []],
    [
      'two branches',
      '{{ if .Values.off }}\nchanged\n{{ else }}\nchanged\n{{ end }}\n{{ if .Values.on }}\nx\n{{ else }}\nchanged\n{{ end }}',
      [{ off: true, on: false }],
    ],
    [
      'branches that exclude each other',
      '{{ if eq .Values.size "a" }}\nchanged\n{{ else if eq .Values.size "b" }}\nchanged\n{{ end }}',
      [{ size: 'a' }, { size: 'b' }],
    ],
    ['a value that is printed, too', '{{ if .Values.b }}\nchanged {{ .Values.b }}\n{{ end }}', []],
    [
      'a map of which the block reads a field',
      '{{ with (.Values.parts).b }}\n{{ if .c | eq $x }}\nchanged\n{{ end }}{{ end }}',
      [],
    ],
    ['a list or a map', '{{ if not .Values.list }}\nchanged\n{{ end }}', []],
    ['a value below a text', '{{ if .Values.size.b }}\nchanged\n{{ end }}', []],
    [
      'what no values decide',
      '{{ if semverCompare ">=1.20-0" .Capabilities.KubeVersion.Version }}\nchanged\n{{ end }}',
      [],
    ],
    [
      'conditions that exclude each other',
      '{{ if eq .Values.size "a" }}{{ if eq .Values.size "b" }}\nchanged\n{{ end }}{{ end }}',
      [],
    ],
    ['a block that nothing closes', '{{ if .Values.off }}\nchanged', [{ off: true }]],
    [
      'parentheses without end',
      `{{ if ${'('.repeat(50_000)}.Values.off${')'.repeat(50_000)} }}\nchanged\n{{ end }}`,
      [],
    ],
    ['an end of no block', '{{ end }}{{ else }}\nchanged', []],
  ]
  test.each(cases)('%s', (_, template, expected) => {
    expect(around(template)).toEqual(expected)
  })

  test('are none that are set already', () => {
    const template = '{{ if and .Values.off .Values.b }}\nchanged\n{{ end }}'
    expect(around(template, { off: true })).toEqual([{ b: true }])
    expect(around(template, { off: true, b: true })).toEqual([])
  })
})

const chart: Files = {
  'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'shop/values.yaml': 'platform: kubernetes\nservice: {name: shop}\n',
  'shop/templates/role.yaml': `{{- if eq .Values.platform "openshift" }}
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: {{ .Release.Name }}}
rules:
  - apiGroups: [apps]
    resources: [deployments]
    verbs: [get]
{{- end }}
`,
  'shop/templates/service.yaml': `apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: shop}, ports: [{port: 80}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec: {defaultBackend: {service: {name: {{ .Release.Name }}, port: {number: 80}}}}
`,
}

describe('a chart that no known release installs', () => {
  test('is judged on lines that only other values show', async () => {
    const file = 'shop/templates/role.yaml'
    const report = await judgeChange(chart, { [file]: String(chart[file]).replace('[apps]', '[""]') }, 'helm', [
      'protected-rbac@^1.10.0',
    ])
    expect(places(report)).toEqual([`warning head/${file}:6 template protected-rbac/resources-known`])
    expect(report.findings[0]?.text).toMatch(/ This assumes a release of shop with platform=openshift\.$/)
  })

  test('is judged with an API that the cluster may have', async () => {
    const route = `{{- if and (eq .Values.expose "route") (.Capabilities.APIVersions.Has "route.openshift.io/v1") }}
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: web}
spec:
  termination: edge
  to: {kind: Service, name: web}
{{- end }}
`
    const added = {
      'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      'web/values.yaml': 'expose: ""\n',
      'web/templates/route.yaml': route,
    }
    const report = await judgeChange(chart, added, 'helm', ['ingress-tls@^1.18.0'])
    expect(places(report)).toEqual(['warning head/web/templates/route.yaml:6 template ingress-tls/fields-accepted'])
    expect(report.findings[0]?.text).toMatch(/ with the API route\.openshift\.io\/v1, expose="route"\.$/)
  })

  test('is judged under another name than its own', async () => {
    const file = 'shop/templates/service.yaml'
    const change = { [file]: String(chart[file]).replace('{{ .Release.Name }}', '{{ .Values.service.name }}') }
    const report = await judgeChange(chart, change, 'helm', ['controller-scope@^1.19.0'])
    expect(places(report)).toContain(`warning head/${file}:3 template controller-scope/backend-resolves`)
    expect(report.findings.map(({ text }) => text).join('\n')).toMatch(
      /Ingress default\/shop .* This assumes a release of shop with the name my-release\./,
    )
  })
})

test('a ServiceAccount that a release may name is judged under another name', async () => {
  const name = '{{ .Values.serviceAccount.name | default .Release.Name }}'
  const account = (written: string) => `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ${written}}\n`
  const binding = `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: worker}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, namespace: default, name: {{ .Release.Name }}}]
`
  const worker: Files = {
    'worker/Chart.yaml': 'apiVersion: v2\nname: worker\nversion: 1.0.0\n',
    'worker/values.yaml': 'serviceAccount: {create: true, name: ""}\n',
    'worker/templates/account.yaml': account('{{ .Release.Name }}'),
    'worker/templates/binding.yaml': binding,
  }
  const report = await judgeChange(worker, { 'worker/templates/account.yaml': account(name) }, 'helm', [
    'protected-rbac@^1.10.0',
  ])
  expect(places(report)).toEqual([
    'warning head/worker/templates/account.yaml:3 template protected-rbac/binding-resolves',
  ])
  expect(report.findings[0]?.text).toMatch(/ with the name my-release and serviceAccount\.name=my-account\.$/)
  const foreign = { ...worker, 'worker/values.yaml': 'serviceAccount: {create: false, name: ""}\n' }
  const change = { 'worker/templates/account.yaml': account(name) }
  expect(places(await judgeChange(foreign, change, 'helm', ['protected-rbac@^1.10.0']))).toEqual([])
})
