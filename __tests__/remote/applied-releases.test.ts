import { expect, test } from '@jest/globals'
import { serve, status } from '../fetch/servers'
import { allowing, changeOnline, exposing, helmRelease, introduced, serveCharts, states } from './charts'

const charts = serveCharts({ web: { '1.0.0': exposing } })

const release = (exposed: string) =>
  helmRelease('web', { chart: 'web', version: '1.0.0', values: `exposed: ${exposed}\n` })
const uncovered = ({ findings }: Awaited<ReturnType<typeof changeOnline>>) =>
  findings.filter(({ rule }) => rule === 'ingress-tls/host-covered').map(({ text }) => text.match(/lists (\S+?),/)?.[1])

test('a release is rendered with the variables of the Kustomization that applies it', async () => {
  const base = {
    ...charts.used('flux/charts.yaml'),
    'flux/apps.yaml': `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  path: ./apps
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: {substitute: {DOMAIN: example.com}}
`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Flux
    'apps/web.yaml': release('covered.${DOMAIN}'),
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Flux
  const report = await changeOnline(base, { 'apps/web.yaml': release('open.${DOMAIN}') })
  expect(uncovered(report)).toEqual(['open.example.com'])
  expect(introduced(report)).toContain('error head/apps/web.yaml:17 ingress-tls/host-covered')
})

test('a version that only the cluster fills in is none that the place lacks', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Flux
  const version = '${WEB_VERSION}'
  const changed = helmRelease('web', { chart: 'web', version, values: 'exposed: open.example.com\n' })
  const report = await changeOnline(
    { ...charts.used(), 'web.yaml': release('covered.example.com') },
    { 'web.yaml': changed },
  )
  expect(introduced(report)).toEqual(['warning head/web.yaml:17 source/not-judged'])
  expect(states(report)).toEqual(['web.yaml not-judged chart-elsewhere'])
})

test('a release that moves to another file is neither added nor removed', async () => {
  const base = { ...charts.used(), 'web.yaml': release('covered.example.com') }
  const report = await changeOnline(base, { 'web.yaml': null, 'apps/web.yaml': release('covered.example.com') })
  expect(introduced(report)).toEqual([])
  expect(report.inspected.changes).toMatchObject({ added: 0, removed: 0 })
})

test('an OCIRepository whose registry wants credentials is a warning at its version', async () => {
  const registry = await serve({
    '/v2/charts/web/manifests/1.0.0': status(401),
    '/v2/charts/web/manifests/2.0.0': status(401),
  })
  const place = `oci://127.0.0.1:${registry.port}/charts/web`
  const source = (tag: string) => `apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: web, namespace: shop}
spec:
  url: ${place}
  ref:
    tag: ${tag}
`
  const web = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  chartRef: {kind: OCIRepository, name: web}
`
  const base = { ...allowing(place), 'source.yaml': source('1.0.0'), 'web.yaml': web }
  const report = await changeOnline(base, { 'source.yaml': source('2.0.0') })
  await registry.close()
  expect(introduced(report)).toEqual(['warning head/source.yaml:7 source/not-judged'])
  expect(states(report)).toEqual(['source.yaml not-judged place-denied'])
})
