import { afterEach, describe, expect, test } from '@jest/globals'
import { serve, status } from '../fetch/servers'
import { configMap } from '../source/objects'
import type { Files } from '../source/repository'
import {
  allowing,
  application,
  changeOnline,
  exposing,
  helmRelease,
  helmRepository,
  introduced,
  serveCharts,
  states,
} from './charts'

const holed = 'exposed: open.example.com\n'
const covered = 'exposed: covered.example.com\n'

const charts = serveCharts({ web: { '1.0.0': exposing, '1.1.0': exposing } })
afterEach(() => {
  charts.asked.length = 0
})

const release = (values: string, version = '1.0.0') =>
  helmRelease('web', { namespace: 'shop', chart: 'web', version, values })

describe('a place that the base names', () => {
  test('is asked, and what its chart makes of a value is found at the value', async () => {
    const base = { ...charts.used(), 'web.yaml': release(covered) }
    const report = await changeOnline(base, { 'web.yaml': release(holed) })
    expect(introduced(report)).toEqual(['error head/web.yaml:17 ingress-tls/host-covered'])
    expect(charts.asked).toEqual(['/charts/index.yaml', '/charts/web-1.0.0.tgz'])
  })

  test('is asked for a release that is new', async () => {
    const base = charts.used()
    const report = await changeOnline(base, { 'web.yaml': release(holed) })
    expect(introduced(report)).toEqual(['error head/web.yaml:17 ingress-tls/host-covered'])
    expect(states(report)).toEqual(['web.yaml judged'])
  })

  test('is asked for a release that goes: what it made is removed', async () => {
    const base = { ...charts.used(), 'web.yaml': release(covered) }
    const report = await changeOnline(base, { 'web.yaml': null })
    expect(report.inspected.changes).toMatchObject({ removed: 2 })
  })

  test('is not asked where the change touches no release of it', async () => {
    const base = { ...charts.used(), 'web.yaml': release(covered) }
    await changeOnline({ ...base, 'a.yaml': configMap('a') }, { 'a.yaml': configMap('b') })
    expect(charts.asked).toEqual([])
  })

  test('is not asked where the config turns fetching off', async () => {
    const config = { '.github/ingress-guard.yaml': 'format: 1\nnetwork: off\n' }
    const base = { ...config, 'charts.yaml': helmRepository(charts.url), 'web.yaml': release(covered) }
    const report = await changeOnline(base, { 'web.yaml': release(holed) })
    expect(introduced(report)).toEqual(['warning head/web.yaml:17 source/not-judged'])
    expect(states(report)).toEqual(['web.yaml not-judged chart-elsewhere'])
    expect(charts.asked).toEqual([])
  })
})

describe('a place that only the head names', () => {
  const network = (place: string) => `first merge \`network: {charts: ["${place}"]}\` into the config of this gate`

  test('of a HelmRelease is not asked: an error at the line that names it', async () => {
    const report = await changeOnline({ 'a.yaml': configMap('a') }, { ...charts.used(), 'web.yaml': release(covered) })
    const [finding] = report.findings.filter(({ rule }) => rule === 'source/not-judged')
    expect(finding).toMatchObject({ level: 'error', location: { path: 'charts.yaml', region: { startLine: 8 } } })
    expect(finding?.text).toContain(network(charts.url))
    expect(states(report)).toContain('web.yaml not-judged place-new')
    expect(report.verdict).toBe('fail')
    expect(charts.asked).toEqual([])
  })

  test('of an Application is not asked: an error at the line that names it', async () => {
    const app = application('web', { chart: 'web', version: '1.0.0', repository: charts.url })
    const report = await changeOnline({ 'a.yaml': configMap('a') }, { 'web.yaml': app })
    expect(introduced(report)).toEqual(['error head/web.yaml:10 source/not-judged'])
    expect(report.findings[0]?.text).toContain(network(charts.url))
    expect(charts.asked).toEqual([])
  })

  test('of a HelmChart of K3s is not asked: an error at the line that names it', async () => {
    const spec = `  repo: ${charts.url}\n  chart: web\n  version: 1.0.0\n`
    const chart = `apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: web, namespace: kube-system}\nspec:\n${spec}`
    const report = await changeOnline({ 'a.yaml': configMap('a') }, { 'web.yaml': chart })
    expect(introduced(report)).toEqual(['error head/web.yaml:5 source/not-judged'])
    expect(report.findings[0]?.text).toContain(network(charts.url))
    expect(charts.asked).toEqual([])
  })

  test('of a HelmChart of K3s that holds its chart itself is none: it is not judged', async () => {
    const chart = (content: string) =>
      `apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: web, namespace: kube-system}\nspec:\n  chartContent: ${content}\n`
    const report = await changeOnline({ 'web.yaml': chart('aaaa') }, { 'web.yaml': chart('bbbb') })
    expect(introduced(report)).toEqual(['notice head/web.yaml:5 source/not-judged'])
    expect(report.findings[0]?.text).toContain('its chart is an archive in `chartContent`, which is not unpacked')
  })

  test('is no more trusted for being on the host of another one', async () => {
    const base = { 'charts.yaml': helmRepository(charts.url), 'web.yaml': release(covered) }
    const report = await changeOnline(base, {
      'charts.yaml': helmRepository(charts.url.replace('/charts', '/others')),
      'web.yaml': release(covered, '1.1.0'),
    })
    expect(introduced(report)).toEqual(['error head/charts.yaml:8 source/not-judged'])
    expect(charts.asked).toEqual([])
  })

  test('is no error where nothing is fetched', async () => {
    const head = { 'charts.yaml': helmRepository(charts.url), 'web.yaml': release(covered) }
    const report = await changeOnline({ 'a.yaml': configMap('a') }, head, '--offline')
    expect(introduced(report)).toEqual(['warning head/web.yaml:17 source/not-judged'])
  })

  test('is trusted once the config names it', async () => {
    const head: Files = { 'charts.yaml': helmRepository(charts.url), 'web.yaml': release(holed) }
    const report = await changeOnline({ ...allowing(charts.url), 'a.yaml': configMap('a') }, head)
    expect(introduced(report)).toEqual(['error head/web.yaml:17 ingress-tls/host-covered'])
  })
})

describe('a place that does not give the chart', () => {
  /** A change of a value that no rule weighs, and one of a host. */
  const values = ['replicas: 2\n', holed]
  const change = (place: string, its: string, ...options: readonly string[]) => {
    const base = { ...allowing(place), 'charts.yaml': helmRepository(place), 'web.yaml': release(covered) }
    return changeOnline(base, { 'web.yaml': release(its) }, ...options)
  }

  test.each(values)(
    'and is down leaves both sides to their values, as loud as without the network: %j',
    async (its) => {
      const other = await serve()
      await other.close()
      const place = `${other.url}/charts`
      const report = await change(place, its)
      expect(introduced(report)).toEqual(introduced(await change(place, its, '--offline')))
      expect(states(report)).toEqual(['web.yaml not-judged place-unreachable'])
      expect(report.findings[0]?.text).toContain(`the chart web of ${place} could not be fetched: `)
      expect(report.inspected.changes).toMatchObject({ added: 0, changed: 1, removed: 0 })
    },
  )

  test.each(values)('without credentials is a warning: %j', async (its) => {
    const other = await serve({ '/charts/index.yaml': status(401) })
    const report = await change(`${other.url}/charts`, its)
    await other.close()
    expect(introduced(report)).toEqual(['warning head/web.yaml:17 source/not-judged'])
    expect(states(report)).toEqual(['web.yaml not-judged place-denied'])
  })

  test('at the base alone leaves both sides to their values', async () => {
    const base = { ...charts.used(), 'web.yaml': release(covered, '0.9.0') }
    const report = await changeOnline(base, { 'web.yaml': release(covered, '1.1.0') })
    expect(introduced(report)).toEqual(['warning head/web.yaml:11 source/not-judged'])
    expect(states(report)).toEqual(['web.yaml not-judged version-missing'])
    expect(report.inspected.changes).toMatchObject({ added: 0, changed: 1, removed: 0 })
  })
})
