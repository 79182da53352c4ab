import { describe, expect, test } from '@jest/globals'
import { checkJson } from '../cli/guard'
import { type Files, TestRepository } from './repository'

describe('a release whose chart moves to a repository of charts', () => {
  const issuers: Files = {
    'charts/issuers/Chart.yaml': 'apiVersion: v2\nname: issuers\nversion: 1.0.0\n',
    'charts/issuers/templates/issuer.yaml':
      'apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: letsencrypt}\nspec: {selfSigned: {}}\n',
    'certificate.yaml':
      'apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web, namespace: shop}\nspec: {secretName: web, dnsNames: [a.example.com], issuerRef: {kind: ClusterIssuer, name: letsencrypt}}\n',
  }
  const here = (name: string) => `releases: [{name: ${name}, namespace: shop, chart: ../charts/issuers}]\n`
  const repositories = 'repositories: [{name: acme, url: https://charts.example.com}]\n'
  const there = (name: string) => `${repositories}releases: [{name: ${name}, namespace: shop, chart: acme/issuers}]\n`
  const advice =
    'To have it judged, first merge `network: {charts: ["https://charts.example.com"]}` into the config of this gate; or keep the chart in this repository.'
  const gone = Object.fromEntries(
    Object.keys(issuers).flatMap((file) => (file.startsWith('charts/') ? [[file, null]] : [])),
  )
  /** The findings of a change that also removes the folder of the chart. */
  const found = async (base: Files, head: Files) => {
    const repo = new TestRepository()
    repo.commit(base)
    repo.commit({ ...head, ...gone })
    const revisions = ['--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD']
    const { findings, inspected } = await checkJson(...revisions, '--policy', 'ingress-tls@1.22.0')
    const own = findings.map(({ location, level, rule, text }) => `${level} ${rule} ${location.path} ${text}`)
    return { own, states: inspected.files?.map(({ path, state }) => `${path} ${state}`) }
  }

  test('removes nothing: its objects are unknown', async () => {
    const { own } = await found({ ...issuers, 'a/helmfile.yaml': here('a') }, { 'a/helmfile.yaml': there('a') })
    expect(own).toEqual([
      `error source/unrendered a/helmfile.yaml The objects that release shop/a of charts/issuers deploys can no longer be rendered, so this change to them cannot be checked: the chart issuers from https://charts.example.com is not in this repository. ${advice}`,
    ])
  })

  test('is one finding with others that move there', async () => {
    const base = { ...issuers, 'a/helmfile.yaml': here('a'), 'b/helmfile.yaml': here('b') }
    const { own, states } = await found(base, { 'a/helmfile.yaml': there('a'), 'b/helmfile.yaml': there('b') })
    expect(own).toEqual([
      `error source/unrendered a/helmfile.yaml The objects that 2 releases deploy can no longer be rendered, so this change to them cannot be checked: their charts from https://charts.example.com are not in this repository. The releases are shop/a, shop/b. ${advice}`,
    ])
    expect(states).toEqual(expect.arrayContaining(['a/helmfile.yaml not-judged', 'b/helmfile.yaml not-judged']))
  })

  test('needs no entry in the config for a repository that the base names', async () => {
    const { own } = await found(
      { ...issuers, 'a/helmfile.yaml': repositories + here('a') },
      { 'a/helmfile.yaml': there('a') },
    )
    expect(own).toEqual([
      expect.stringMatching(/is not in this repository\. To have it judged, keep the chart in this repository\.$/),
    ])
  })

  test('that is removed with it removes its objects', async () => {
    const { own } = await found(
      { ...issuers, 'a/helmfile.yaml': here('a') },
      { 'a/helmfile.yaml': `${repositories}releases: []\n` },
    )
    expect(own).toEqual([
      expect.stringMatching(/^error ingress-tls\/certificate-issued .*removes ClusterIssuer letsencrypt/),
    ])
  })
})
