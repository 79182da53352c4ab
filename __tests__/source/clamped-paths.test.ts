import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { kustomization, release, repository, sourceRef } from './flux-objects'
import { opened } from './in-memory'
import { change, chart, hostsOf, probe, url, whole } from './probe'
import type { Files } from './repository'

const flux: Files = { 'flux/source.yaml': repository() }

const web: Files = {
  'web/kustomization.yaml': 'resources: [web.yaml]\n',
  'web/web.yaml': probe('web', 'a.example.com'),
}

describe('a path of Flux that leads above its artifact stops at the root', () => {
  test.each(['../web', '../../web/', './flux/../../web', '/../web'])('of a Kustomization: %s', async (written) => {
    const files = { ...flux, ...web, 'flux/web.yaml': kustomization('web', written) }
    expect(await hostsOf(files)).toEqual(['/web a.example.com'])
    expect((await whole(files)).inspected.skipped).toEqual([])
  })

  test('of a chart, and of its values files', async () => {
    const values = 'valuesFiles: [../charts/edge/values.yaml, ../../env/prod.yaml]'
    const files = {
      ...flux,
      ...chart,
      'env/prod.yaml': 'host: a.example.com\nbootstrap: false\n',
      'flux/web.yaml': release('', { chart: '../charts/edge', values }),
    }
    expect(await hostsOf(files)).toEqual(['shop/web a.example.com'])
  })

  test('with a variable', async () => {
    const files = { ...flux, ...web, 'flux/web.yaml': kustomization('web', `../\${NAME}`) }
    expect(await hostsOf(files)).toContain('/web a.example.com')
  })

  test('of a folder that a change comes to name in this way, whose objects stay', async () => {
    const base = { ...flux, ...web, 'flux/web.yaml': kustomization('web', './web') }
    expect(lines(await change(base, { 'flux/web.yaml': kustomization('web', '../web') }))).toEqual([])
  })

  test('and is missing where the folder is not there', async () => {
    const base = { ...flux, ...web, 'flux/web.yaml': kustomization('web', './web') }
    const found = await change(base, { 'flux/web.yaml': kustomization('web', '../wbe') })
    expect(found.findings.map(({ rule }) => rule)).toContain('source/unrendered')
    expect(found.findings.map(({ text }) => text).join()).toContain('There is no folder wbe')
  })
})

describe('the objects of a deployer whose source comes out of sight', () => {
  const issuer = `apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: letsencrypt}\nspec: {selfSigned: {}}\n`
  const certificate = `apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web, namespace: web}\nspec:\n  secretName: web-tls\n  dnsNames: [a.example.com]\n  issuerRef: {name: letsencrypt, kind: ClusterIssuer}\n`
  const other = repository('https://example.com/elsewhere/other').replace('name: here', 'name: other')
  const base: Files = {
    'flux/source.yaml': `${repository()}---\n${other}`,
    'flux/issuers.yaml': kustomization('issuers', './issuers'),
    'flux/web.yaml': kustomization('web', './web'),
    'issuers/kustomization.yaml': 'resources: [issuer.yaml]\n',
    'issuers/issuer.yaml': issuer,
    'web/kustomization.yaml': 'resources: [certificate.yaml]\n',
    'web/certificate.yaml': certificate,
  }
  const judged = async (head: Files) =>
    lines(await checkOpened(opened(base, head, url), '--policy', 'ingress-tls@1.28.0'))
  const moved = kustomization('issuers', './issuers').replace(sourceRef, sourceRef.replace('name: here', 'name: other'))

  test('are unknown and not removed, and the finding is at the line that changed', async () => {
    expect(await judged({ 'flux/issuers.yaml': moved })).toEqual([
      'introduced error head/flux/issuers.yaml:8 source/unrendered',
    ])
  })

  test('of a HelmRelease, too', async () => {
    const files = { ...base, ...chart, 'flux/edge.yaml': release('values: {bootstrap: true}') }
    const head = release('values: {bootstrap: true}').replace('name: here', 'name: other')
    expect(lines(await change(files, { 'flux/edge.yaml': head }))).toEqual([
      'introduced error head/flux/edge.yaml:10 source/unrendered',
    ])
  })

  test('are removed where the deployer goes as well', async () => {
    const gone = { 'flux/issuers.yaml': null, 'issuers/issuer.yaml': null, 'issuers/kustomization.yaml': null }
    expect((await judged(gone)).join()).toContain('ingress-tls/certificate-issued')
  })

  test('are removed where it has nothing to apply', async () => {
    const emptied = { 'issuers/issuer.yaml': null, 'issuers/kustomization.yaml': null, 'issuers/README.md': 'empty' }
    expect((await judged(emptied)).join()).toContain('ingress-tls/certificate-issued')
  })
})
