import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

/** Values as charts made with `helm create` take them; the second host is at line 6. */
const values = (hosts: readonly string[], tls: readonly string[]) => `ingress:
  enabled: true
  hosts:
${hosts.map((host) => `    - host: ${host}\n`).join('')}  tls:
    - secretName: web-tls
      hosts: [${tls.join(', ')}]
`

async function findings(base: Files, head: Files, policy = 'ingress-tls'): Promise<string[]> {
  const { findings } = await judgeChange(base, head, 'helm', [policy])
  return findings
    .filter(({ status, rule }) => status === 'introduced' && rule.startsWith('ingress-tls/'))
    .map(({ rule, level, location: { path, region } }) => `${level} ${rule} ${path}:${region.startLine}`)
}

const [a, b] = ['a.example.com', 'b.example.com']
const sound = values([a], [a])
const uncovered = values([a, b], [a])

const helmfile = (more = '') => `repositories:
  - {name: acme, url: https://charts.example.com}
releases:
  - name: web
    namespace: shop
    chart: acme/web
    version: 1.2.0
    values: [web.yaml]
${more}`

test('the values file of a release of a helmfile', async () => {
  const base = { 'helmfile.yaml': helmfile(), 'web.yaml': sound }
  expect(await findings(base, { 'web.yaml': uncovered })).toEqual(['warning ingress-tls/host-covered web.yaml:5'])
})

test('a release that comes with its values, beside secrets that only helmfile reads', async () => {
  const head = { 'helmfile.yaml': helmfile('    secrets: [secrets.yaml]\n'), 'web.yaml': uncovered }
  expect(await findings({ 'readme.yaml': 'a: b\n' }, head)).toEqual(['warning ingress-tls/host-covered web.yaml:5'])
})

test('a single value of a helmfile is laid over its files', async () => {
  const off = '    set: [{name: ingress.enabled, value: false}]\n'
  const base = { 'helmfile.yaml': helmfile(off), 'web.yaml': sound }
  expect(await findings(base, { 'web.yaml': uncovered })).toEqual([])
})

test('the values of a Fleet bundle, in its file and beside it', async () => {
  const fleet = (more: string) =>
    `defaultNamespace: shop\nhelm:\n  releaseName: web\n  chart: web\n  repo: https://charts.example.com\n${more}`
  const inFile = (text: string) => fleet(`  values:\n${text.replace(/^(?=.)/gm, '    ')}`)
  expect(await findings({ 'lib/web/fleet.yaml': inFile(sound) }, { 'lib/web/fleet.yaml': inFile(uncovered) })).toEqual([
    'warning ingress-tls/host-covered lib/web/fleet.yaml:11',
  ])
  const beside = { 'lib/web/fleet.yaml': fleet('  valuesFiles: [web.yaml]\n'), 'lib/web/web.yaml': sound }
  expect(await findings(beside, { 'lib/web/web.yaml': uncovered })).toEqual([
    'warning ingress-tls/host-covered lib/web/web.yaml:5',
  ])
})

/** A helmfile that is no YAML: a line of it is an action, and a value is one that is not in quotes. */
const template = `repositories:
  - {name: acme, url: https://charts.example.com}
helmDefaults:
  args: [--kubeconfig, x]
  wait: {{ .Values | get "wait" true }}
releases:
{{- if .Values.web }}
  - name: web
    namespace: shop
    chart: acme/web
    values:
      - web.yaml # its own
      - web-{{ .Environment.Name }}.yaml
{{- end }}
`

test('the values that a helmfile which is a template names in plain YAML', async () => {
  const base = { 'helmfile.yaml': template, 'web.yaml': sound }
  expect(await findings(base, { 'web.yaml': uncovered })).toEqual(['warning ingress-tls/host-covered web.yaml:5'])
})

test('a template of helmfile whose values may be given elsewhere says nothing of what they leave out', async () => {
  const base = { 'helmfile.yaml': template, 'web.yaml': sound }
  expect(await findings(base, { 'web.yaml': values([a, b], []).replace(/ {2}tls:[\s\S]*$/, '') })).toEqual([])
})

const requesting = (host: string, secret: string) => `ingress:
  enabled: true
  annotations: {cert-manager.io/cluster-issuer: letsencrypt}
  hosts: [{host: ${host}}]
  tls: [{secretName: ${secret}, hosts: [${host}]}]
`

test('one Secret that two releases request for different hosts', async () => {
  const other = '  - {name: api, namespace: shop, chart: acme/api, values: [api.yaml]}\n'
  const base = { 'helmfile.yaml': helmfile(), 'web.yaml': requesting(a, 'shop-tls') }
  const head = (secret: string) => ({ 'helmfile.yaml': helmfile(other), 'api.yaml': requesting(b, secret) })
  for (const policy of ['ingress-tls', 'ingress-tls@1.5.0'])
    expect(await findings(base, head('shop-tls'), policy)).toEqual([
      'warning ingress-tls/certificate-issued api.yaml:5',
    ])
  expect(await findings(base, head('api-tls'))).toEqual([])
})
