import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const application = (plugin: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  source:
    repoURL: https://github.com/example/apps.git
    path: apps/web
    plugin: ${plugin}
  destination: {namespace: web, server: https://kubernetes.default.svc}
`
const ingress = (more = '') => `{{- range .Values.ingresses }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ .name }}
  annotations: {example.com/team: web}
${more}spec:
  rules: [{host: {{ .host | quote }}}]
{{- end }}
`
const timeout = '  {{- if .timeout }}\n  example.com/timeout: {{ .timeout | quote }}\n  {{- end }}\n'
const values = (host: string) => `ingresses:\n  - {name: web, timeout: 30, host: "${host}"}\n`

const base = (plugin: string): Files => ({
  'argocd/web.yaml': application(plugin),
  'apps/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'apps/web/templates/ingress.yaml': ingress(),
  'apps/web/values-prod.yaml': values('web.example.com'),
})

async function found(plugin: string, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base(plugin), head, 'helm', ['ingress-tls@^1.14.0'])
  return findings
    .filter(({ status }) => status === 'introduced')
    .map(({ level, rule, location: { path, region } }) => `${level} ${rule} ${path}:${region.startLine}`)
}

const broken = { 'apps/web/templates/ingress.yaml': ingress(timeout) }

describe('the values that a plugin gives to helm', () => {
  test.each([
    ['in a variable', '{name: vault, env: [{name: HELM_ARGS, value: "--include-crds -f values-prod.yaml"}]}'],
    ['after an equals sign', '{name: vault, env: [{name: ARGS, value: "--values=values-prod.yaml"}]}'],
    ['in a parameter', '{name: vault, parameters: [{name: args, string: "-f values-prod.yaml"}]}'],
    ['in a list', '{name: vault, parameters: [{name: args, array: [-f, values-prod.yaml]}]}'],
  ])('are read %s', async (_, plugin) => {
    expect(await found(plugin, broken)).toEqual([
      'error ingress-tls/ingress-accepted apps/web/templates/ingress.yaml:9',
    ])
  })

  test.each([
    ['a file that is not there', '-f values-dev.yaml'],
    ['a file outside of the repository', '-f ../../../values-prod.yaml'],
    ['no file', '-f'],
    ['other words', 'values-prod.yaml --values-from prod'],
  ])('are not %s', async (_, args) => {
    const plugin = `{name: vault, env: [{name: HELM_ARGS, value: "${args}"}]}`
    expect((await found(plugin, broken)).filter((one) => !one.includes('source/'))).toEqual([])
  })

  test('may have texts that the plugin replaces', async () => {
    const plugin = '{name: vault, env: [{name: HELM_ARGS, value: -f values-prod.yaml}]}'
    const host = async (written: string) =>
      (await found(plugin, { 'apps/web/values-prod.yaml': values(written) })).filter((one) =>
        one.includes('host-valid'),
      )
    expect(await host('~vault:web-host~')).toEqual([])
    expect(await host('<path:secret/data/web#host>')).toEqual([])
    expect(await host('web_a.example.com')).toEqual(['error ingress-tls/host-valid apps/web/values-prod.yaml:2'])
  })
})
