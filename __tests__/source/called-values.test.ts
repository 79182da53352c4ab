import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const issuer = (range: string) => `{{- if .Values.acme.enabled }}
{{- range $name, $issuer := ${range} }}
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: {{ $name }}}
spec:
  acme: {server: {{ $issuer.server }}, privateKeySecretRef: {name: {{ $name }}}}
{{- end }}
{{- end }}
`
const file = 'issuers/templates/issuers.yaml'
const right = issuer('.Values.acme.issuers')
const chart: Files = {
  'issuers/Chart.yaml': 'apiVersion: v2\nname: issuers\nversion: 1.0.0\n',
  'issuers/values.yaml': 'acme: {enabled: "", issuers: {}}\n',
  [file]: right,
}

async function unrendered(head: string, base = right): Promise<string[]> {
  const { findings } = await judgeChange({ ...chart, [file]: base }, { [file]: head })
  return findings
    .filter(({ rule }) => rule === 'source/unrendered')
    .map(({ status, level, location, text }) => {
      const { startLine, startColumn } = location.region
      return `${status} ${level} ${location.path}:${startLine}:${startColumn} ${text}`
    })
}

const says = (value: string, argument: string) =>
  `Helm cannot render this line, because ${value} is a value and no function, but ${argument} follows it as an argument. Each release that reaches the line fails. Write the function first (\`index\`, \`and\`, \`default\`), or \`|\` before ${argument}.`

describe('a value that a template calls', () => {
  test('is a warning at its line, where no known values reach it', async () => {
    expect(await unrendered(issuer('$.Values "acme" "issuers"'))).toEqual([
      `introduced warning ${file}:2:29 ${says('$.Values', '"acme"')}`,
    ])
    expect(await unrendered(issuer('.Values.acme.issuers and .Values.acme.email'))).toEqual([
      `introduced warning ${file}:2:29 ${says('.Values.acme.issuers', 'and')}`,
    ])
    expect(await unrendered(issuer('dict "a" (.Values.acme.enabled (eq 1 2))'))).toEqual([
      `introduced warning ${file}:2:39 ${says('.Values.acme.enabled', 'an expression in parentheses')}`,
    ])
  })

  test('is none of this change where it was there before', async () => {
    const old = issuer('$.Values "acme" "issuers"')
    expect(await unrendered(`${old}# more\n`, old)).toEqual([])
  })

  test('is reported once where a rendering fails at it', async () => {
    const reached = right.replace('if .Values.acme.enabled', 'if .Release.Name "web"')
    expect(await unrendered(reached)).toEqual([
      expect.stringContaining(`introduced error ${file}:1:`) as unknown as string,
    ])
  })

  test.each([
    ['an argument of a function', 'index $.Values "acme" "issuers"'],
    ['the input of a function', '.Values.acme.issuers | default dict'],
    ['a value in parentheses', '(.Values.acme).issuers'],
    ['one of a string', '`.Values "acme"` | fromYaml'],
    ['a method', '(.Files.Get "a" | fromYaml)'],
  ])('is not %s', async (_, range) => {
    expect(await unrendered(issuer(range))).toEqual([])
  })
})
