import { afterEach, describe, expect, test } from '@jest/globals'
import { configMap as configMapOf, kustomization } from '../source/flux-objects'
import { object } from '../source/probe'
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
} from './charts'

const charts = serveCharts({ web: { '1.0.0': exposing, '1.1.0': exposing } })
afterEach(() => {
  charts.asked.length = 0
})

const release = (chart = 'web', version = '1.1.0') =>
  helmRelease('web', { namespace: 'shop', chart, version, values: 'exposed: covered.example.com\n' })

/** Another place of the server: its own is `/charts`. */
const other = () => charts.url.replace('/charts', '/others')
const port = () => new URL(charts.url).port
const chartOf = (repository: string) =>
  `apiVersion: v2\nname: own\nversion: 1.0.0\ndependencies: [{name: web, version: 1.1.0, repository: "${repository}"}]\n`

const tries: [what: string, head: () => Files][] = [
  ['a path that leads out of the trusted one', () => ({ 'charts.yaml': helmRepository(`${charts.url}/../others`) })],
  ['one in escapes', () => ({ 'charts.yaml': helmRepository(`${charts.url}/%2e%2e/others`) })],
  ['one with a backslash', () => ({ 'charts.yaml': helmRepository(`${charts.url}\\..\\others`) })],
  [
    'the trusted place as a user',
    () => ({ 'charts.yaml': helmRepository(`http://charts@127.0.0.1:${port()}/others`) }),
  ],
  ['a host with a dot behind it', () => ({ 'charts.yaml': helmRepository(`http://127.0.0.1.:${port()}/others`) })],
  ['an address as a number', () => ({ 'charts.yaml': helmRepository(`http://2130706433:${port()}/others`) })],
  ['a registry on loopback', () => ({ 'charts.yaml': helmRepository(`oci://127.0.0.1:${port()}/others`) })],
  [
    'a repository of the same name in another namespace',
    () => ({
      'more.yaml': helmRepository(other()).replace('namespace: flux-system', 'namespace: shop'),
      'web.yaml': release().replace(/namespace: flux-system/g, 'namespace: shop'),
    }),
  ],
  [
    'a variable that a ConfigMap of the change fills in',
    () => ({
      'flux/apps.yaml': kustomization(
        'apps',
        './apps',
        'postBuild: {substituteFrom: [{kind: ConfigMap, name: places}]}',
      ),
      'flux/places.yaml': configMapOf('places', 'flux-system', `place: ${other()}`),
      'apps/charts.yaml': helmRepository(`\${place}`, 'more'),
      'apps/web.yaml': release().replace('name: charts', 'name: more'),
    }),
  ],
  ['the name of a chart that leads out', () => ({ 'web.yaml': release('../others/web') })],
  [
    'the name of a chart of an Application that leads out',
    () => ({ 'app.yaml': application('app', { chart: '../others/web', version: '1.1.0', repository: charts.url }) }),
  ],
  [
    'a dependency of a chart of this repository',
    () => ({
      'own/Chart.yaml': chartOf(other()),
      'own/templates/a.yaml': configMapOf('a', 'shop', 'a: b'),
      'app.yaml': object(
        'argoproj.io/v1alpha1',
        'Application',
        'own',
        'argocd',
        'spec:\n  source: {repoURL: "https://github.com/acme/platform.git", path: own}\n  destination: {namespace: shop}\n',
      ),
    }),
  ],
  [
    'what the config of the change allows',
    () => ({ ...allowing(charts.url, other()), 'charts.yaml': helmRepository(other()) }),
  ],
]

describe('a change that leads away from the places of the base', () => {
  test.each(tries)('is asked for nothing of %s', async (_, head) => {
    const base = { ...charts.used(), 'web.yaml': release('web', '1.0.0') }
    const report = await changeOnline(base, { 'web.yaml': release(), ...head() })
    expect(charts.asked.filter((one) => !/^\/charts\/(?:index\.yaml|web-1\.[01]\.0\.tgz)$/.test(one))).toEqual([])
    expect(introduced(report).join()).toMatch(/source\/(?:not-judged|unrendered)/)
  })
})
