import { expect, test } from '@jest/globals'
import { url } from '../source/probe'
import type { Files } from '../source/repository'
import { changeOnline, exposing, helmRelease, introduced, serveCharts } from './charts'

const charts = serveCharts({ web: { '1.0.0': exposing } })

const values = (host: string) => `exposed: ${host}\n`
const holder = (kind: string, host: string) => `apiVersion: v1
kind: ${kind}
metadata: {name: values, namespace: shop}
${kind === 'Secret' ? 'stringData' : 'data'}:
  values.yaml: |
    exposed: ${host}
`
const release = (kind: string) =>
  `${helmRelease('web', { namespace: 'shop', chart: 'web', version: '1.0.0' })}  valuesFrom: [{kind: ${kind}, name: values}]\n`

const generated: Files = {
  'apps/kustomization.yaml': `namespace: shop
resources: [web.yaml]
configMapGenerator: [{name: values, files: [values.yaml=host.yaml]}]
configurations: [names.yaml]
`,
  'apps/names.yaml':
    'nameReference: [{kind: ConfigMap, version: v1, fieldSpecs: [{path: spec/valuesFrom/name, kind: HelmRelease}]}]\n',
}
const application = () => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {server: "https://kubernetes.default.svc", namespace: shop}
  sources:
    - repoURL: ${charts.url}
      chart: web
      targetRevision: 1.0.0
      helm: {valueFiles: [$values/host.yaml]}
    - {repoURL: "${url}", ref: values}
`

/** Values that belong to a release whose own file the change does not touch. */
const kinds: readonly [what: string, line: number, own: () => Files, changed: (host: string) => Files][] = [
  ['a ConfigMap', 6, () => ({ 'web.yaml': release('ConfigMap') }), (host) => ({ 'v.yaml': holder('ConfigMap', host) })],
  ['a Secret', 6, () => ({ 'web.yaml': release('Secret') }), (host) => ({ 'v.yaml': holder('Secret', host) })],
  ['a file of a reference', 1, () => ({ 'web.yaml': application() }), (host) => ({ 'host.yaml': values(host) })],
  [
    'a generated ConfigMap',
    1,
    () => ({ ...generated, 'apps/web.yaml': release('ConfigMap') }),
    (host) => ({ 'apps/host.yaml': values(host) }),
  ],
]

test.each(kinds)('values in %s are judged by rendering the release', async (_, line, own, changed) => {
  const base = { ...charts.used(), ...own(), ...changed('covered.example.com') }
  const head = changed('open.example.com')
  const report = await changeOnline(base, head)
  const [file] = Object.keys(head)
  expect(introduced(report)).toEqual([`error head/${file}:${line} ingress-tls/host-covered`])
  expect(report.inspected.changes.changed).toBeGreaterThan(0)
})
