import { describe, expect, test } from '@jest/globals'
import { newestVersions } from '../harness'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const host = 'ingress:\n  enabled: true\n  hosts: [{host: web.example.com, paths: [{path: /}]}]\n'
const covered = `${host}  tls: [{hosts: [web.example.com], secretName: web-tls}]\n`
const assumed =
  'This Ingress is assumed: `ingress` in these values, which no known release uses, is read as charts made with `helm create` read it, and the chart itself was not rendered.'

async function introduced(base: Files, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head, 'helm', [...newestVersions])
  return findings
    .filter(({ status }) => status === 'introduced')
    .map(({ level, rule, location: { path, region }, text }) => `${level} ${rule} ${path}:${region.startLine} ${text}`)
}

describe('values that no known release uses', () => {
  test('are judged as those of an unknown chart', async () => {
    expect(await introduced({ 'web/values-prod.yaml': covered }, { 'web/values-prod.yaml': host })).toEqual([
      `warning ingress-tls/tls-kept web/values-prod.yaml:3 This change removes TLS from web.example.com, which is still routed. Add it back to the hosts of a TLS entry, or remove its rule. ${assumed}`,
    ])
  })

  test('are each alone: one host in two files is no clash, and objects beside them are of others', async () => {
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: other, namespace: web}\ntype: kubernetes.io/tls\n'
    const base: Files = { 'web/values-dev.yaml': host, 'web/secret.yaml': secret }
    const head: Files = { 'web/values-dev.yaml': covered, 'web/values-prod.yaml': covered }
    expect(await introduced(base, head)).toEqual([])
  })

  test('are no news where they are only moved', async () => {
    expect(
      await introduced({ 'web/values.yaml': host }, { 'web/values.yaml': null, 'shop/values.yaml': host }),
    ).toEqual([])
  })

  test('are passed over where another tool fills them in, and where they cannot be read', async () => {
    const name = 'web/values.yaml'
    expect(await introduced({ [name]: covered }, { [name]: `${host}{{ .more }}\n` })).toEqual([])
    expect(await introduced({ [name]: covered }, { [name]: `${host}a: [\n` })).toEqual([])
    expect(await introduced({ [name]: covered }, { [name]: '' })).toEqual([])
  })

  test('are left to the release that uses them', async () => {
    const release = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  sources:
    - {repoURL: https://charts.acme.example, chart: web, targetRevision: 1.0.0, helm: {valueFiles: [$here/web/values.yaml]}}
    - {repoURL: https://github.com/acme/shop, targetRevision: HEAD, ref: here}
  destination: {name: in-cluster, namespace: web}
`
    const base = { 'apps/web.yaml': release, 'web/values.yaml': covered }
    const found = (await introduced(base, { 'web/values.yaml': host })).filter((one) => one.includes('tls-kept'))
    expect(found).toEqual([expect.stringContaining('in the values of Application argocd/web is read')])
  })

  const values = (key: string) => `controller:\n  ${key}:\n    name: edge\n`
  const base = { 'infra/edge.values.yaml': values('ingressClassResource') }
  const head = { 'infra/edge.values.yaml': values('ingressClasResource') }
  const misspelled = (files: Files) =>
    introduced({ ...base, ...files }, head).then((all) => all.filter((one) => one.includes('values-read')))

  test.each<[string, string]>([
    [
      'of a named repository',
      'helm repo add nginx https://kubernetes.github.io/ingress-nginx\nhelm upgrade -i edge nginx/ingress-nginx --version 4.12.0 -n infra -f infra/edge.values.yaml\n',
    ],
    [
      'of a URL',
      'helm install edge ingress-nginx --repo https://kubernetes.github.io/ingress-nginx -n infra -f edge.values.yaml\n',
    ],
  ])('are those of the chart %s that a script installs with them', async (_, text) => {
    expect(await misspelled({ 'infra/up.sh': text })).toEqual([
      expect.stringContaining(
        'infra/edge.values.yaml:2 The values of Release infra/edge set controller.ingressClasResource, which no release of the chart ingress-nginx reads',
      ),
    ])
  })

  test.each<[string, string]>([
    ['sets values beside them', 'helm install edge nginx/ingress-nginx -f infra/edge.values.yaml --set a=b\n'],
    ['has more of them', 'helm install edge nginx/ingress-nginx -f infra/edge.values.yaml -f other.yaml\n'],
    ['names the chart by a variable', 'helm install edge $CHART -f infra/edge.values.yaml\n'],
  ])('are those of an unknown chart where the command %s', async (_, text) => {
    expect(await misspelled({ 'infra/up.sh': text })).toEqual([])
  })
})
