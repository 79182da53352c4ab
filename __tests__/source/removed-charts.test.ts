import { describe, expect, test } from '@jest/globals'
import { checkJson } from '../cli/guard'
import { type Files, TestRepository } from './repository'

const issuer =
  'apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: letsencrypt}\nspec: {selfSigned: {}}\n'
const chart: Files = {
  'charts/issuers/Chart.yaml': 'apiVersion: v2\nname: issuers\nversion: 1.0.0\n',
  'charts/issuers/templates/issuer.yaml': issuer,
}
const files: Files = {
  ...chart,
  'certificate.yaml':
    'apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web, namespace: shop}\nspec: {secretName: web, dnsNames: [a.example.com], issuerRef: {kind: ClusterIssuer, name: letsencrypt}}\n',
}
const gone: Files = Object.fromEntries(Object.keys(chart).map((file) => [file, null]))
const elsewhere = (name: string): Files => ({
  'helmfile.yaml': `repositories: [{name: acme, url: https://charts.example.com}]\nreleases: [{name: issuers, chart: acme/${name}}]\n`,
})

async function found(base: Files, head: Files) {
  const repo = new TestRepository()
  repo.commit(base)
  repo.commit(head)
  const revisions = ['--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD']
  const { findings } = await checkJson(...revisions, '--policy', 'ingress-tls@1.22.0')
  return findings.filter(({ rule }) => rule.startsWith('ingress-tls/')).map(({ level, text }) => `${level} ${text}`)
}

const removal =
  'This change removes ClusterIssuer letsencrypt, but Certificate shop/web still names it, so its certificate is neither issued nor renewed. Keep the issuer, or change Certificate shop/web to another one.'
const assumed = `warning ${removal} This assumes a release of charts/issuers with its own values, as nothing here installs it.`

describe('a chart whose folder the change removes', () => {
  test.each<[string, Files, Files, string[]]>([
    ['and that nothing installs is a warning', files, gone, [assumed]],
    [
      'is nothing to a release from elsewhere, on both sides',
      { ...files, ...elsewhere('issuers') },
      { ...gone, 'README.md': 'a' },
      [],
    ],
    ['that only the head installs from elsewhere', files, { ...gone, ...elsewhere('issuers') }, [assumed]],
    ['where another chart is installed from elsewhere', { ...files, ...elsewhere('web') }, gone, [assumed]],
    [
      'and that a release installs is an error',
      { ...files, 'helmfile.yaml': 'releases: [{name: issuers, chart: ./charts/issuers}]\n' },
      { ...gone, 'helmfile.yaml': null },
      [`error ${removal}`],
    ],
  ])('%s', async (_, base, head, expected) => {
    expect(await found(base, head)).toEqual(expected)
  })

  test('is another thing than an object that a chart no longer has', async () => {
    const all = { ...files, 'charts/issuers/templates/other.yaml': issuer.replace('letsencrypt', 'other') }
    expect(await found(all, { 'charts/issuers/templates/issuer.yaml': null })).toEqual([`error ${removal}`])
  })
})
