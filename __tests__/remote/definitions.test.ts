import { expect, test } from '@jest/globals'
import { configMap } from '../source/objects'
import type { Files } from '../source/repository'
import { application, changeOnline, helmRelease, introduced, serveCharts } from './charts'

const definition = (
  plural: string,
  kind: string,
  ...versions: readonly string[]
) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}}
  versions: [${versions.map((name) => `{name: ${name}, served: true, storage: ${name === 'v1'}, schema: {openAPIV3Schema: {type: object}}}`).join(', ')}]
`
const first = {
  'crds/shops.yaml': definition('shops', 'Shop', 'v1alpha1', 'v1'),
  'crds/carts.yaml': definition('carts', 'Cart', 'v1'),
  'templates/map.yaml': configMap('map', '{{ .Chart.Version }}'),
}
/** Shop loses a version, Cart goes, and Till comes. */
const second = {
  'crds/shops.yaml': definition('shops', 'Shop', 'v1'),
  'crds/tills.yaml': definition('tills', 'Till', 'v1'),
  'templates/map.yaml': configMap('map', '{{ .Chart.Version }}'),
}

const charts = serveCharts({ ops: { '1.0.0': first, '2.0.0': second } })

const users: Files = {
  'shop.yaml': 'apiVersion: example.com/v1alpha1\nkind: Shop\nmetadata: {name: corner, namespace: shop}\n',
  'cart.yaml': 'apiVersion: example.com/v1\nkind: Cart\nmetadata: {name: full, namespace: shop}\n',
}
const base = () => ({ ...charts.used(), ...users })
const flux = (version: string, policies: string) => `${helmRelease('ops', { chart: 'ops', version })}  ${policies}\n`
const argo = (version: string, values: string) =>
  application('ops', { chart: 'ops', version, repository: charts.url, values })
const policies = ['--policy', 'protected-rbac@^1.3.0-rc.1', 'version-matrix@^1.1.0-rc.1']

const lost = 'error head/ops.yaml:LINE version-matrix/definition-serves'
const gone = 'error head/ops.yaml:LINE protected-rbac/cluster-object-kept'
const [shops, carts, tills] = ['shops -v1alpha1', 'carts -v1', 'tills +v1']

test.each([
  ['a HelmRelease', flux, 'suspend: false', 11, [], [tills]],
  ['a HelmRelease that creates CRDs', flux, 'upgrade: {crds: Create}', 11, [], [tills]],
  ['a HelmRelease that replaces CRDs', flux, 'upgrade: {crds: CreateReplace}', 11, [lost], [shops, tills]],
  ['a HelmRelease that skips CRDs', flux, 'upgrade: {crds: Skip}', 11, [], []],
  ['a HelmRelease that skips CRDs when it is installed', flux, 'install: {crds: Skip}', 11, [], [tills]],
  ['an Application', argo, 'releaseName: ops\n', 12, [gone, lost], [shops, carts, tills]],
  ['an Application that skips CRDs', argo, 'skipCrds: true\n', 12, [], []],
] as const)(
  'a bump of %s leaves the CRDs that the cluster will have',
  async (_, written, policy, line, found, rows) => {
    const before = { ...base(), 'ops.yaml': written('1.0.0', policy) }
    const report = await changeOnline(before, { 'ops.yaml': written('2.0.0', policy) }, ...policies)
    expect(introduced(report).sort()).toEqual(found.map((one) => one.replace('LINE', String(line))))
    const brought = report.inspected.bumps?.[0]?.rows.map(({ object, goes, comes }) =>
      [object.replace(/^\w+ (\w+)\..*/, '$1'), ...goes.map((one) => `-${one}`), ...comes.map((one) => `+${one}`)].join(
        ' ',
      ),
    )
    expect(brought?.sort()).toEqual([...rows].sort())
  },
)

test('the CRDs of a HelmRelease stay when it is removed, those of an Application go with it', async () => {
  const removed = async (text: string) => {
    const report = await changeOnline({ ...base(), 'ops.yaml': text }, { 'ops.yaml': null }, ...policies)
    return report.findings.filter(({ status }) => status === 'introduced').map(({ rule }) => rule)
  }
  expect(await removed(flux('1.0.0', 'suspend: false'))).toEqual([])
  expect(await removed(argo('1.0.0', 'releaseName: ops\n'))).toContain('protected-rbac/cluster-object-kept')
})

test('a new HelmRelease that skips CRDs brings none', async () => {
  const added = async (policy: string) => {
    const { inspected } = await changeOnline(base(), { 'ops.yaml': flux('1.0.0', policy) })
    return inspected.changes.added
  }
  expect((await added('install: {crds: CreateReplace}')) - (await added('install: {crds: Skip}'))).toBe(2)
})
