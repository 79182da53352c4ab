import { describe, expect, test } from '@jest/globals'
import { renderedLines } from './rendered-lines'

const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\n'

/** The rendered lines below a ConfigMap's head of three lines, each with its line of the template. */
async function below(helm: 'helm' | 'helm3', template: string, files: Readonly<Record<string, string>> = {}) {
  const found = await renderedLines(helm, { 'templates/web.yaml': head + template, ...files })
  expect(found.slice(0, 3)).toEqual([
    'templates/web.yaml:1 apiVersion: v1',
    'templates/web.yaml:2 kind: ConfigMap',
    'templates/web.yaml:3 metadata: { name: web }',
  ])
  return found.slice(3).map((line) => line.replace('templates/web.yaml:', ''))
}

/** The lines of templates from which a helm renders lines. */
export function markedLines(helm: 'helm' | 'helm3'): void {
  describe('a rendered line comes from', () => {
    test('its own line, between actions that print nothing', async () => {
      const template = `data:
{{- if true }}
  a: one
{{- else }}
  a: two
{{- end }}
  b: three
`
      expect(await below(helm, template)).toEqual(['4 data:', '6   a: one', '10   b: three'])
    })

    test('the line of the action that begins on it and goes on over the next ones', async () => {
      const template = `data:
  a: {{ printf "%s-%s"
    "one"
    "two" }}
  b: three
  c: {{ list
    "}}" "{{" | join "" | quote }}
  d: four
`
      expect(await below(helm, template)).toEqual([
        '4 data:',
        '5   a: one-two',
        '8   b: three',
        '9   c: "}}{{"',
        '11   d: four',
      ])
    })

    test('the line after a comment, of one line or of several, with an action in it', async () => {
      const template = `{{- /* one */ -}}
{{/*
  a: {{ .Values.nothing }}
*/}}
# kept
data:
  a: one {{/* two */}}
{{- /*
  three
*/}}
  b: four
`
      expect(await below(helm, `\n${template}`)).toEqual(['9 # kept', '10 data:', '11   a: one', '15   b: four'])
    })

    test('its own line after strings with braces, quotes and backslashes', async () => {
      const template = `data:
  a: {{ "}}" | quote }}
  b: {{ \`{{ "raw" }}\` | quote }}
  c: {{ "a\\"}}\\\\" | quote }}
  d: {{ '}' }}
  e: { f: "}}" }
`
      expect(await below(helm, template)).toEqual([
        '4 data:',
        '5   a: "}}"',
        '6   b: "{{ \\"raw\\" }}"',
        '7   c: "a\\"}}\\\\"',
        '8   d: 125',
        '9   e: { f: "}}" }',
      ])
    })

    test('the line of the include or template, for what a named template prints', async () => {
      const template = `data:
  {{- define "own.pair" }}
  a: one
  {{- if true }}
  b: two
  {{- end }}
  {{- end }}
  {{- template "own.pair" . }}
  {{- include "helper.pair" . | nindent 2 }}
  {{- block "own.last" . }}
  e: five
  {{- end }}
  f: six
`
      const helper = '{{- define "helper.pair" -}}\nc: three\nd: four\n{{- end -}}\n'
      expect(await below(helm, template, { 'templates/_helpers.tpl': helper })).toEqual([
        '4 data:',
        '11   a: one',
        '11   b: two',
        '12   c: three',
        '12   d: four',
        '13   e: five',
        '16   f: six',
      ])
    })

    test('the line in the loop, each time round', async () => {
      const template = `data:
{{- range $key, $value := dict "a" 1 "b" 2 }}
  {{ $key }}: {{ $value | quote }}
  {{ $key }}-next: |
    text
{{- end }}
  z: last
`
      expect(await below(helm, template)).toEqual([
        '4 data:',
        '6   a: "1"',
        '7   a-next: |',
        '8     text',
        '6   b: "2"',
        '7   b-next: |',
        '8     text',
        '10   z: last',
      ])
    })

    test('its own line after the end of a branch or of an action on the same line', async () => {
      const template = `data:
{{ if false }}
  a: one
{{ else if true }}  b: two
{{ end }}  c: three
{{ define "own" }}
  d: four
{{ end }}  e: five
{{ if and true
  (eq 1 1) }}
{{ end }}{{ if
  true }}  f: six
  {{- end }}
  g: {{ if true }}seven{{ else }}eight{{ end }}
{{ if false -}}
{{ fail "no" }}
{{- end }}  h: {{ "nine" }}
`
      expect(await below(helm, template)).toEqual([
        ...['4 data:', '7   b: two', '8   c: three', '11   e: five', '15   f: six', '17   g: seven', '20   h: nine'],
      ])
    })

    test('its own line beside values that are made at random each time', async () => {
      const found = await below(helm, `data:\n  a: {{ randAlphaNum 12 | b64enc | quote }}\n  b: two\n`)
      expect(found.map((line) => line.replace(/".*"/, '…'))).toEqual(['4 data:', '5   a: …', '6   b: two'])
    })

    test('its own line where actions trim on both sides, or after', async () => {
      const template = `data:
  {{- if true -}}
  {{- $one := 1 -}}
  {{- end }}
  a: {{ 1 | quote -}}
  {{ "" }}
  b: {{- " two" }}
  {{ if true -}}
  c: three
  {{ end -}}
  d: four
`
      expect(await below(helm, template)).toEqual([
        '4 data:',
        '8   a: "1"',
        '10   b: two',
        '12   c: three',
        '14   d: four',
      ])
    })

    test('its document, where a template prints several, the lines with --- and empty documents among them', async () => {
      const template = `---
# nothing
---
{{- range list "b" "c" }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ . }}
{{- end }}
--- # the last
apiVersion: v1
kind: ConfigMap
metadata:
  name: d
`
      expect(await below(helm, template)).toEqual([
        ...['9 apiVersion: v1', '10 kind: ConfigMap', '11 metadata:', '12   name: b'],
        ...['9 apiVersion: v1', '10 kind: ConfigMap', '11 metadata:', '12   name: c'],
        ...['14 # the last', '15 apiVersion: v1', '16 kind: ConfigMap', '17 metadata:', '18   name: d'],
      ])
    })

    test('the line that prints values, whatever is in them', async () => {
      const values = `text: |
  one
  ${'0'.repeat(16)}:7
  {{ .Values.more }}
more: two
map:
  v: 1
  w: 2
`
      const template = `data:
  a: |
    {{- .Values.text | nindent 4 }}
  b: |
    {{- tpl .Values.text . | nindent 4 }}
  {{- toYaml .Values.map | nindent 2 }}
`
      expect(await below(helm, template, { 'values.yaml': values })).toEqual([
        '4 data:',
        '5   a: |',
        ...['6     one', `6     ${'0'.repeat(16)}:7`, '6     {{ .Values.more }}'],
        '7   b: |',
        ...['8     one', `8     ${'0'.repeat(16)}:7`, '8     two'],
        ...['9   v: 1', '9   w: 2'],
      ])
    })

    test('its own line beside the checksum of a marked template', async () => {
      const template = `data:
  before: one
  checksum: {{ include (print $.Template.BasePath "/other.yaml") . | sha256sum }}
  after: two
`
      const other = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: z\n'
      const found = await below(helm, template, { 'templates/other.yaml': other })
      expect(found.slice(0, 4).map((line) => line.replace(/[0-9a-f]{64}/, '…'))).toEqual([
        ...['4 data:', '5   before: one', '6   checksum: …', '7   after: two'],
      ])
    })

    test('its own line in files with CRLF, and without a last line end', async () => {
      const template = `${head}data:\n{{- if true }}\n  a: one\n{{- end }}\n  b: {{ 2 | quote }}`
      expect(await renderedLines(helm, { 'templates/web.yaml': template.replaceAll('\n', '\r\n') })).toEqual(
        [
          ...['1 apiVersion: v1', '2 kind: ConfigMap', '3 metadata: { name: web }', '4 data:', '6   a: one'],
          '8   b: "2"',
        ].map((line) => `templates/web.yaml:${line}`),
      )
    })

    test('the template that is named .tpl or .yml, or lies deeper, and no NOTES.txt', async () => {
      const map = (name: string) => head.replace('web', name)
      expect(
        await renderedLines(helm, {
          'templates/a.tpl': map('a'),
          'templates/deep/er/b.yml': `{{ if true }}\n${map('b')}{{ end }}`,
          'templates/NOTES.txt': 'kind: Nothing\n',
        }),
      ).toEqual([
        'templates/a.tpl:1 apiVersion: v1',
        'templates/a.tpl:2 kind: ConfigMap',
        'templates/a.tpl:3 metadata: { name: a }',
        'templates/deep/er/b.yml:2 apiVersion: v1',
        'templates/deep/er/b.yml:3 kind: ConfigMap',
        'templates/deep/er/b.yml:4 metadata: { name: b }',
      ])
    })

    test('the file of CRDs as written, and a template of CRDs', async () => {
      const crd = (name: string) =>
        `---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${name}\n`
      const lines = (file: string, first: number, name: string) =>
        ['apiVersion: apiextensions.k8s.io/v1', 'kind: CustomResourceDefinition', 'metadata:', `  name: ${name}`].map(
          (line, index) => `${file}:${first + index} ${line}`,
        )
      expect(
        await renderedLines(helm, {
          'crds/both.yaml': crd('a') + crd('b'),
          'templates/crds/one.yaml': `{{- if true }}\n${crd('c')}{{- end }}\n`,
        }),
      ).toEqual([
        ...lines('crds/both.yaml', 2, 'a'),
        ...lines('crds/both.yaml', 7, 'b'),
        ...lines('templates/crds/one.yaml', 3, 'c'),
      ])
    })

    test('no certain line, where two documents of the template print the same', async () => {
      expect(await renderedLines(helm, { 'templates/web.yaml': `${head}---\n${head}` })).toEqual([
        'templates/web.yaml:? apiVersion: v1',
        'templates/web.yaml:? kind: ConfigMap',
        'templates/web.yaml:? metadata: { name: web }',
      ])
    })

    test.each([
      ['once it is marked', '{{ include (print $.Template.BasePath "/other.yaml") . | len }}'],
      ['where a line joins the one before', 'one\n    {{- "-two" }}'],
    ])('no certain line, where the template prints otherwise %s', async (_, value) => {
      const other = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: z\n'
      const found = await renderedLines(helm, {
        'templates/web.yaml': `${head}data:\n  a: ${value}\n`,
        'templates/other.yaml': other,
      })
      expect(found.map((line) => line.replace(/ a: .*/, ' a: …'))).toEqual([
        'templates/web.yaml:? apiVersion: v1',
        'templates/web.yaml:? kind: ConfigMap',
        'templates/web.yaml:? metadata: { name: web }',
        'templates/web.yaml:? data:',
        'templates/web.yaml:?   a: …',
        'templates/other.yaml:1 apiVersion: v1',
        'templates/other.yaml:2 kind: Service',
        'templates/other.yaml:3 metadata:',
        'templates/other.yaml:4   name: z',
      ])
    })
  })
}
