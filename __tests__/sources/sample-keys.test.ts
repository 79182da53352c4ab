import { describe, expect, test } from '@jest/globals'
import { templateWithoutKeys } from '../../src/sources/sample-keys'

const pair = 'dict "Cert" "<generated>" "Key" "<generated>"'

describe('a template that makes keys', () => {
  test.each([
    ['{{- $ca := genCA "web" 365 -}}', `{{- $ca := ${pair} -}}`],
    [
      '{{- $cert := genSignedCert .Values.host nil (list .Values.host (include "a" .)) 365 $ca }}{{ $cert.Cert | b64enc }}',
      `{{- $cert := ${pair} }}{{ $cert.Cert | b64enc }}`,
    ],
    ['{{ (genSelfSignedCert "a" nil nil 1).Key | b64enc }}', `{{ (${pair}).Key | b64enc }}`],
    ['key: {{ genPrivateKey "rsa" | quote }}', 'key: {{ "<generated>" | quote }}'],
    ['{{ $ca := genCA "a" 1 }}\n{{ $b := genCA "b" 1 }}', `{{ $ca := ${pair} }}\n{{ $b := ${pair} }}`],
  ])('%s has placeholders', (template, expected) => {
    expect(templateWithoutKeys(template)).toBe(expected)
  })

  test.each(['{{ "a" | genPrivateKey }}', 'genCA', '{{ include "web.genCA" . }}', '{{/* genCA "a" 1 */}}'])(
    '%s stays',
    (template) => {
      expect(templateWithoutKeys(template)).toBe(template)
    },
  )
})
