import { describe, expect, test } from '@jest/globals'
import { definitionsOfMissing } from '../../src/sources/missing-templates'

describe('named templates of a library that is not here', () => {
  test('are placeholders where they give a name, and empty where they give fields', () => {
    const texts = [
      'name: {{ include "lib.name" . }}\nlabels: {{- include "lib.labels" . | nindent 2 }}\n',
      'url: {{ include "own.url" . }}\n{{ define "own.url" }}http://{{ end }}',
    ]
    expect(definitionsOfMissing(texts)).toBe(
      '{{- define "lib.name" -}}<lib.name>{{- end -}}\n{{- define "lib.labels" -}}{{- end -}}\n',
    )
  })

  test('are empty where a template of the chart gives fields by them alone', () => {
    const helpers =
      '{{- define "own.secrets" -}}\n{{- include "lib.secrets" . -}}\n{{- end -}}\n{{- define "own.labels" -}}\napp: {{ include "lib.app" . }}\n{{- end -}}\n{{- define "own.name" -}}\n{{ include "lib.name" . }}\n{{- end -}}\n'
    const pod =
      '{{ include "own.secrets" . | nindent 2 }}\n{{ include "own.labels" . | indent 2 }}\nname: {{ include "own.name" . }}\n'
    expect(definitionsOfMissing([helpers, pod])).toBe(
      '{{- define "lib.secrets" -}}{{- end -}}\n{{- define "lib.app" -}}<lib.app>{{- end -}}\n{{- define "lib.name" -}}<lib.name>{{- end -}}\n',
    )
  })

  test('are none in the text of another tool', () => {
    expect(definitionsOfMissing(['kubectl get svc --template "{{"{{ range .items }}"}}"'])).toBeUndefined()
  })
})
