import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Server } from '../fetch/servers'
import { TestProxy } from '../fetch/test-proxy'
import { withEnvironment } from '../source/repository'
import { changeOnline, chartRepository, exposing, introduced, serveCharts, states } from './charts'

const charts = serveCharts({
  web: { '1.0.0': exposing, '1.1.0': { ...exposing, 'templates/more.yaml': 'apiVersion: v1\nkind: [\n' } },
  side: { '2.0.0': { 'values.yaml': '{}\n' } },
})

const allowed = () => {
  const { 'charts.yaml': _, ...config } = charts.used()
  return config
}
const chart = (...dependencies: readonly string[]) =>
  `apiVersion: v2\nname: all\nversion: 1.0.0\ndependencies:\n${dependencies.map((one) => `  - {${one}, repository: '${charts.url}'}\n`).join('')}`
const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: shop, server: https://kubernetes.default.svc}
  source: {repoURL: https://github.com/acme/platform.git, path: all, helm: {valueFiles: [prod.yaml]}}
`
const values = (host: string, key = 'web') => `${key}:\n  exposed: ${host}\n`
const based = (...dependencies: readonly string[]) => ({
  ...allowed(),
  'app.yaml': application,
  'all/Chart.yaml': chart(...dependencies),
  'all/prod.yaml': values('covered.example.com'),
})

describe('the dependency of a chart of the repository', () => {
  test('is fetched, and its objects are judged at the values that they get', async () => {
    const report = await changeOnline(based('name: web, version: 1.0.0'), {
      'all/prod.yaml': values('open.example.com'),
    })
    expect(introduced(report)).toEqual(['error head/all/prod.yaml:2 ingress-tls/host-covered'])
    expect(states(report)).toEqual(['all/prod.yaml input'])
  })

  test('is fetched below its alias, in a range of versions', async () => {
    const base = {
      ...based("name: web, alias: front, version: '~1.0'"),
      'all/prod.yaml': values('covered.example.com', 'front'),
    }
    const report = await changeOnline(base, { 'all/prod.yaml': values('open.example.com', 'front') })
    expect(introduced(report)).toEqual(['error head/all/prod.yaml:2 ingress-tls/host-covered'])
  })

  test('is fetched at the version of Chart.lock', async () => {
    const lock = 'dependencies:\n- {name: web, version: 1.0.0}\n'
    const base = { ...based("name: web, version: '>=1'"), 'all/Chart.lock': lock }
    const report = await changeOnline(base, { 'all/prod.yaml': values('open.example.com') })
    expect(introduced(report)).toEqual(['error head/all/prod.yaml:2 ingress-tls/host-covered'])
  })

  test('is no fault of a file that it has: the finding is at the line that requests it', async () => {
    const report = await changeOnline(based('name: web, version: 1.0.0'), {
      'all/Chart.yaml': chart('name: web, version: 1.1.0'),
    })
    expect(introduced(report)).toEqual(['error head/all/Chart.yaml:5 source/unrendered'])
  })

  test('does not keep the others from being judged where it cannot be fetched', async () => {
    const report = await changeOnline(based('name: web, version: 1.0.0', 'name: side, version: 9.0.0'), {
      'all/prod.yaml': values('open.example.com'),
    })
    expect(states(report)).toEqual(['all/prod.yaml input'])
    expect(introduced(report)).toEqual(['error head/all/prod.yaml:2 ingress-tls/host-covered'])
  })

  test('is not fetched from a place that the change alone names', async () => {
    charts.asked.length = 0
    const report = await changeOnline(
      { 'app.yaml': application, 'all/prod.yaml': '{}\n' },
      { 'all/Chart.yaml': chart('name: web, version: 1.0.0'), 'all/prod.yaml': values('open.example.com') },
    )
    expect(introduced(report)).toEqual(['error head/all/Chart.yaml:5 source/unrendered'])
    expect(charts.asked).toEqual([])
  })
})

describe('the repository of a dependency, which the chart of the base alone names', () => {
  const repository = 'http://charts.example.com/charts'
  const chartOf = (name: string) =>
    `apiVersion: v2\nname: all\nversion: 1.0.0\ndependencies: [{name: ${name}, version: 1.0.0, repository: '${repository}'}]\n`
  const base = (name: string) => ({
    'app.yaml': application,
    'all/Chart.yaml': chartOf(name),
    'all/prod.yaml': values('covered.example.com', name),
  })
  let proxy: TestProxy
  let server: Server
  beforeAll(async () => {
    proxy = await TestProxy.start()
    const asking = { 'templates/all.yaml': '{{ fail "Install the definitions first" }}\n' }
    server = await chartRepository({ web: { '1.0.0': exposing }, asking: { '1.0.0': asking } })
    proxy.to.set('charts.example.com', server.port)
  })
  afterAll(() => Promise.all([proxy.close(), server.close()]))
  const change = (name: string, host: string) =>
    withEnvironment({ http_proxy: proxy.url, no_proxy: undefined }, () =>
      changeOnline(base(name), { 'all/prod.yaml': values(host, name) }),
    )

  test('is asked', async () => {
    const report = await change('web', 'open.example.com')
    expect(introduced(report)).toEqual(['error head/all/prod.yaml:2 ingress-tls/host-covered'])
  })

  test('has a chart with which the base fails: both sides are rendered without it', async () => {
    const report = await change('asking', 'open.example.com')
    expect(introduced(report)).toEqual(['warning head/all/prod.yaml:2 source/not-judged'])
    const [finding] = report.findings.filter(({ rule }) => rule === 'source/not-judged')
    expect(finding?.text).toContain('is rendered without its dependency asking')
  })

  test('is named with the others that are left out with it', async () => {
    const both = chartOf('asking').replace(
      'dependencies: [',
      `dependencies: [{name: web, version: 1.0.0, repository: '${repository}'}, `,
    )
    const report = await withEnvironment({ http_proxy: proxy.url, no_proxy: undefined }, () =>
      changeOnline(
        { ...base('asking'), 'all/Chart.yaml': both },
        { 'all/prod.yaml': values('open.example.com', 'asking') },
      ),
    )
    const [finding] = report.findings.filter(({ rule }) => rule === 'source/not-judged')
    expect(finding?.text).toContain(
      'is rendered without its dependencies asking, web, as not all of them could be fetched: ',
    )
    expect(finding?.text).toContain('Install the definitions first')
  })

  test('lacks the version of one of them: the message names it, and the reason', async () => {
    const report = await change('missing', 'open.example.com')
    const [finding] = report.findings.filter(({ rule }) => rule === 'source/not-judged')
    expect(finding?.text).toContain(`its dependency missing 1.0.0 of ${repository} was not fetched: `)
  })
})
