import { describe, expect, test } from '@jest/globals'
import type { Files } from '../source/repository'
import { allowing, application, changeOnline, helmRelease, introduced, nginx, serveCharts, states } from './charts'

const charts = serveCharts({ 'ingress-nginx': { '2.3.0': nginx } })

const scoped = 'controller:\n  scope:\n    enabled: true\n  publishService:\n    enabled: true\n'
const wide =
  'controller:\n  scope:\n    enabled: false\n  publishService:\n    enabled: false\n    pathOverride: two/svc\n'
const teams = (two: string) => Object.entries({ one: scoped, two, three: scoped })

const flux = (two: string): Files => ({
  ...charts.used('flux-system/charts.yaml'),
  ...Object.fromEntries(
    teams(two).map(([team, values]) => [
      `teams/${team}.yaml`,
      helmRelease('ingress-nginx', { namespace: team, chart: 'ingress-nginx', version: '2.3.0', values }),
    ]),
  ),
})

const inline = (values: string) => `valuesObject:\n${values.replace(/^(?=.)/gm, '  ')}`

const argo = (two: string): Files => ({
  ...allowing(charts.url),
  ...Object.fromEntries(
    teams(two).map(([team, values]) => [
      `teams/${team}.yaml`,
      application(`nginx-${team}`, {
        namespace: team,
        chart: 'ingress-nginx',
        version: '2.3.0',
        repository: charts.url,
        values: inline(values),
      }),
    ]),
  ),
})

/** An Application whose values are in a file of this repository. */
const filed = (two: string): Files => ({
  ...allowing(charts.url),
  ...Object.fromEntries(
    teams(two).flatMap(([team, values]) => [
      [`values/${team}.yaml`, values],
      [
        `teams/${team}.yaml`,
        `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: nginx-${team}, namespace: argocd }
spec:
  destination: { namespace: ${team} }
  sources:
    - repoURL: ${charts.url}
      chart: ingress-nginx
      targetRevision: ~2.3
      helm: { valueFiles: [$config/values/${team}.yaml] }
    - repoURL: https://github.com/acme/platform.git
      ref: config
`,
      ],
    ]),
  ),
})

describe.each([
  ['a HelmRelease', flux, 'teams/two.yaml', 19, 21],
  ['an Application', argo, 'teams/two.yaml', 17, 19],
  ['an Application with a values file', filed, 'values/two.yaml', 3, 5],
])('outage 004 as %s', (_, filesOf, file, scope, status) => {
  const places = [
    `error head/${file}:${scope} controller-scope/namespace-isolated`,
    `error head/${file}:${status} controller-scope/status-source`,
  ]

  test('is found at the two lines of the values by rendering', async () => {
    const report = await changeOnline(filesOf(scoped), filesOf(wide))
    expect(introduced(report)).toEqual(places)
    const [overlap, source] = report.findings.filter((one) => one.status === 'introduced')
    expect([overlap?.text, source?.text]).toEqual([
      expect.stringMatching(/^Deployment two\/\S+ and .* both serve the Ingresses of class nginx in namespace one/),
      expect.stringMatching(/^Deployment two\/\S+ does not set --publish-service/),
    ])
    // The finding shows the rendered object.
    expect(source?.rendered?.lines.join('\n')).toContain('args:')
    expect(states(report).filter((line) => line.includes('not-judged'))).toEqual([])
  })

  test('is found at the same lines by the values alone, where nothing is fetched', async () => {
    const before = charts.asked.length
    const report = await changeOnline(filesOf(scoped), filesOf(wide), '--offline')
    expect(introduced(report)).toEqual(places)
    expect(report.findings.map(({ text }) => text).join()).not.toContain('Deployment two/')
    expect(charts.asked.length).toBe(before)
  })

  test('passes where nothing of it is wrong', async () => {
    const report = await changeOnline(filesOf(scoped), filesOf(`${scoped}  replicaCount: 2\n`))
    expect(introduced(report)).toEqual([])
  })
})
