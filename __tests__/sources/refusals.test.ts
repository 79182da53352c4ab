import { expect, test } from '@jest/globals'
import { onlyDefinitions, withoutRefusals } from '../../src/sources/refusals'

test.each([
  ['{{ required "Name it." .Values.app.name | quote }}', '{{ default "<app.name>" .Values.app.name | quote }}'],
  ['{{- .Values.host | required `A "host"` -}}', '{{- .Values.host | default "<host>" -}}'],
  ['{{ required "A key" (index .Values "key") }}', '{{ default "<required>" (index .Values "key") }}'],
  ['{{ fail "name a host" }}{{ fail (print .a) }}', '{{ trunc 0 "name a host" }}{{ trunc 0 (print .a) }}'],
  ['{{ printf "%s" .a | fail }}', '{{ printf "%s" .a | trunc 0 }}'],
  ['{{ print "it is required " .Values.a " or it must fail " }}', undefined],
  ['{{/* required "x" .y */}} required "x" {{ .fail }} {{ $required }}', undefined],
])('%s does not refuse', (text, expected) => {
  expect(withoutRefusals(text)).toBe(expected ?? text)
})

test('named templates stay of a template that is left out', () => {
  const named = '{{ define "name" -}}{{ if .a }}{{ range .b }}x{{ end }}{{ end }}{{ end}}'
  expect(onlyDefinitions(`kind: Secret\n{{ if .c }}\n${named}\n{{ end }}{{ .d }}`)).toBe(named)
  expect(onlyDefinitions('kind: Secret\n')).toBe('')
})
