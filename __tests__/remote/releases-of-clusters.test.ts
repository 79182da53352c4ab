import { expect, test } from '@jest/globals'
import { changeOnline, helmRelease, introduced, serveCharts } from './charts'

const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  tls: [{hosts: {{ .Values.covered | toJson }}, secretName: web}]
  rules: [{host: www.example.com}]
`
const charts = serveCharts({ web: { '1.0.0': { 'templates/ingress.yaml': ingress } } })

const clusters = ['prod', 'test']

const release = (covered: string) =>
  helmRelease('web', { chart: 'web', version: '1.0.0', values: `covered: [${covered}]\n` })

/** A Flux home of two clusters, each with a release of the same name in a file of its own. */
const home = () => ({
  ...charts.used('clusters/charts.yaml'),
  ...Object.fromEntries(
    clusters.flatMap((cluster) => [
      [
        `clusters/${cluster}.yaml`,
        `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${cluster}, namespace: flux-system}
spec:
  path: ./apps/${cluster}
  sourceRef: {kind: GitRepository, name: flux-system}
`,
      ],
      [`apps/${cluster}/kustomization.yaml`, 'resources: [web.yaml]\n'],
      [`apps/${cluster}/web.yaml`, release('www.example.com')],
    ]),
  ),
})

test('a fetched release is judged, whatever the release of that name in another cluster is', async () => {
  const report = await changeOnline(home(), { 'apps/prod/web.yaml': release('') })
  expect(introduced(report)).toEqual(['warning head/apps/prod/web.yaml:17 ingress-tls/host-covered'])
  expect(report.inspected?.files?.map(({ path, state }) => [path, state])).toEqual([['apps/prod/web.yaml', 'judged']])
})
