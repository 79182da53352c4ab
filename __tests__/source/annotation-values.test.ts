import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'

const bundle = (annotations: string) => `defaultNamespace: cloud
helm:
  chart: nextcloud
  repo: https://nextcloud.github.io/helm/
  version: 6.3.0
  values:
    ingress:
      enabled: true
      annotations: ${annotations}
`
const sound = bundle('{ nginx.ingress.kubernetes.io/proxy-body-size: "0" }')

async function findings(head: Record<string, string>, base: Record<string, string> = { 'fleet.yaml': sound }) {
  const { findings } = await judgeChange(base, head, 'helm', ['ingress-tls@1.8.0'])
  return findings
    .filter(({ status, rule }) => status === 'introduced' && rule === 'ingress-tls/annotations-accepted')
    .map(({ level, text, location: { path, region } }) => `${level} ${path}:${region.startLine} ${text}`)
}

test('a number in the values of a bundle of Fleet, which applies the object without its annotations', async () => {
  const head = bundle('\n        nginx.ingress.kubernetes.io/proxy-read-timeout: 3600')
  expect(await findings({ 'fleet.yaml': head })).toEqual([
    expect.stringMatching(/^warning fleet\.yaml:10 .* without any of its annotations\. Put the value in quotes\.$/),
  ])
})

test('annotations as a list in the values of a bundle of Fleet', async () => {
  const head = bundle('[\n        cert-manager.io/cluster-issuer: letsencrypt,\n      ]')
  expect(await findings({ 'fleet.yaml': head })).toEqual([
    expect.stringMatching(/^warning fleet\.yaml:9 .* give ingress\.annotations as a list, /),
  ])
})

test('a boolean in the values file of a release of a helmfile', async () => {
  const helmfile = `releases:
  - { name: cloud, namespace: cloud, chart: nextcloud/nextcloud, version: 6.3.0, values: [cloud.yaml] }
repositories: [{ name: nextcloud, url: https://nextcloud.github.io/helm/ }]
`
  const values = (tls: string) => `ingress:
  enabled: true
  annotations:
    kubernetes.io/tls-acme: ${tls}
`
  const base = { 'helmfile.yaml': helmfile, 'cloud.yaml': values('"true"') }
  expect(await findings({ 'cloud.yaml': values('true') }, base)).toEqual([
    expect.stringMatching(/^warning cloud\.yaml:4 .* the API server rejects the object, so the release fails\./),
  ])
})
