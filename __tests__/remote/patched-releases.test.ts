import { describe, expect, test } from '@jest/globals'
import { changeOnline, helmRelease, introduced, serveCharts } from './charts'

const template = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  tls: [{hosts: {{ .Values.covered | toJson }}, secretName: web}]
  rules:
    {{- range .Values.routed }}
    - host: {{ . }}
    {{- end }}
`
const charts = serveCharts({ web: { '1.0.0': { 'templates/ingress.yaml': template } } })

const overlay = (more: string) => `resources: [../base]\n${more}`
const patch = (...covered: string[]) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: web}
spec:
  values:
    routed: [a.example.com, b.example.com]
    covered:
${covered.map((host) => `      - ${host}\n`).join('')}`
const inline = (...covered: string[]) =>
  overlay(`patches:\n  - patch: |\n${patch(...covered).replace(/^(?=.)/gm, '      ')}`)

/** A Flux home of overlays for two clusters, each with a Kustomization of its own. */
const home = () => ({
  ...charts.used('clusters/charts.yaml'),
  ...Object.fromEntries(
    ['prod', 'test'].map((cluster) => [
      `clusters/${cluster}.yaml`,
      `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${cluster}, namespace: flux-system}
spec:
  path: ./apps/${cluster}
  sourceRef: {kind: GitRepository, name: flux-system}
`,
    ]),
  ),
  'apps/base/kustomization.yaml': 'resources: [web.yaml]\n',
  'apps/base/web.yaml': helmRelease('web', {
    chart: 'web',
    version: '1.0.0',
    values: 'routed: [a.example.com]\ncovered: [a.example.com]\n',
  }),
  'apps/prod/kustomization.yaml': overlay('patches: [{path: web.yaml}]\n'),
  'apps/prod/web.yaml': patch('a.example.com', 'b.example.com'),
  'apps/test/kustomization.yaml': overlay('patches: [{path: web.yaml}]\n'),
  'apps/test/web.yaml': patch('a.example.com', 'b.example.com'),
})

describe('a release that an overlay patches is judged with the patch', () => {
  test('in a file', async () => {
    const report = await changeOnline(home(), { 'apps/prod/web.yaml': patch('a.example.com') })
    expect(introduced(report)).toEqual(['error base/apps/prod/web.yaml:9 ingress-tls/host-covered'])
  })

  test('in the kustomization.yaml', async () => {
    const base = { ...home(), 'apps/prod/kustomization.yaml': inline('a.example.com', 'b.example.com') }
    const report = await changeOnline(base, { 'apps/prod/kustomization.yaml': inline('a.example.com') })
    expect(introduced(report)).toEqual([
      expect.stringMatching(/^error \w+\/apps\/prod\/kustomization\.yaml:\d+ ingress-tls\/host-covered$/),
    ])
  })

  test('so that a base whose values all overlays replace brings nothing', async () => {
    const head = home()['apps/base/web.yaml'].replace('covered: [a.example.com]', 'covered: [other.example.com]')
    expect(introduced(await changeOnline(home(), { 'apps/base/web.yaml': head }))).toEqual([])
  })
})
