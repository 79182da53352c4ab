import { describe, expect, test } from '@jest/globals'
import { judgeChange, places } from './rendered'

const helper =
  '{{- define "web.namespace" -}}{{ default .Release.Namespace .Values.namespaceOverride }}{{- end -}}\n{{- define "web.account" -}}{{ .Chart.Name }}{{- end -}}\n'

const account = (...lines: string[]) =>
  ['apiVersion: v1', 'kind: ServiceAccount', 'metadata:', '  name: {{ include "web.account" . }}', ...lines, ''].join(
    '\n',
  )

const binding = (namespace: string, name = '{{ template "web.account" . }}') =>
  [
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: ClusterRoleBinding',
    'metadata:',
    '  name: web',
    'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: web}',
    'subjects:',
    '  - kind: ServiceAccount',
    `    name: ${name}`,
    `    namespace: ${namespace}`,
    '',
  ].join('\n')

const files = (accountText: string, bindingText: string) => ({
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/values.yaml': 'namespaceOverride: ""\n',
  'web/templates/_helpers.tpl': helper,
  'web/templates/account.yaml': accountText,
  'web/templates/binding.yaml': bindingText,
})

const [overridden, plain] = ['{{ include "web.namespace" $ }}', '{{ .Release.Namespace | quote }}']

const found = async (before: Record<string, string>, after: Record<string, string>) => {
  const report = await judgeChange(before, after, 'helm')
  return report.findings.filter(({ rule, message }) => rule === 'source/value-unread' && message === 'subject')
}

describe('a subject of a chart', () => {
  test('that stays in the namespace of the release, unlike its account, is found at its namespace', async () => {
    const report = await judgeChange(
      files(account(), binding(plain)),
      { 'web/templates/account.yaml': account(`  namespace: ${overridden}`) },
      'helm',
    )
    expect(places(report)).toEqual(['warning head/web/templates/binding.yaml:9 exact source/value-unread'])
    expect(report.findings[0]?.text).toContain(
      'This ClusterRoleBinding names a ServiceAccount in the namespace {{ .Release.Namespace }}, and templates/account.yaml puts that account into {{ include "web.namespace" . }}. Where a release sets namespaceOverride',
    )
  })

  test('that is put elsewhere without its account is found, too', async () => {
    const [finding] = await found(files(account(), binding(plain)), {
      'web/templates/binding.yaml': binding('{{ .Values.namespaceOverride | default .Release.Namespace }}'),
    })
    expect(finding?.text).toContain('puts that account into the namespace of the release')
  })

  const moved = account(`  namespace: ${overridden}`)
  const cases: [what: string, accountText: string, bindingText: string][] = [
    ['that is where its account is', moved, binding(overridden)],
    ['of another account', moved, binding(plain, 'monitoring')],
    ['in a namespace by its name', moved, binding('monitoring')],
    ['in a namespace of an unknown template', moved, binding('{{ include "lib.namespace" . }}')],
    ['of one of two accounts', `${moved}---\n${account()}`, binding(plain)],
  ]
  test.each(cases)('%s is no finding', async (_, accountText, bindingText) => {
    const after = { 'web/templates/account.yaml': accountText, 'web/templates/binding.yaml': bindingText }
    expect(await found(files(account(), binding(plain)), after)).toEqual([])
  })

  test('that the base has so is no news', async () => {
    const before = files(moved, binding(plain))
    expect(await found(before, { 'web/templates/binding.yaml': `# A comment.\n${binding(plain)}` })).toEqual([])
  })
})
