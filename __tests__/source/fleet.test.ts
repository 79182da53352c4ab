import { describe, expect, test } from '@jest/globals'
import { checkJson, checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import { change, chart, hostsOf, probe, repositoryOf, whole } from './probe'
import type { Files } from './repository'

const values = (host: string) => `host: ${host}.example.com\n`

/** The chart of the probe inside a bundle, and a `fleet.yaml` next to it. */
const bundle = (fleet: string, more: Files = {}): Files => ({
  ...Object.fromEntries(
    Object.entries(chart).map(([file, text]) => [file.replace('charts/edge', 'lib/web/edge'), text]),
  ),
  'lib/web/fleet.yaml': fleet,
  ...more,
})

const skippedIn = async (files: Files) =>
  (await whole(files)).inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)

describe('a chart of a Fleet bundle', () => {
  const hosts: [what: string, fleet: string, expected: string[]][] = [
    [
      'its namespace, release name and values',
      'defaultNamespace: shop\nhelm:\n  chart: edge\n  releaseName: front\n  values: {host: a.example.com}\n',
      ['shop/front a.example.com'],
    ],
    [
      'the namespace that it forces',
      'defaultNamespace: no\nnamespace: shop\nhelm: {chart: ./edge, releaseName: front, values: {host: a.example.com}}\n',
      ['shop/front a.example.com'],
    ],
    [
      'its path for a name, and files over values',
      'helm:\n  chart: edge\n  values: {host: no.example.com}\n  valuesFiles: [one.yaml, two.yaml]\n',
      ['default/lib-web two.example.com'],
    ],
    [
      'keys in any letter case',
      'DefaultNamespace: shop\nHELM: {Chart: edge, RELEASENAME: front, values: {host: a.example.com}}\n',
      ['shop/front a.example.com'],
    ],
    [
      'the first target of several for the same clusters, and none that is not deployed',
      `defaultNamespace: shop
helm: {chart: edge, releaseName: front}
targetCustomizations:
  - {clusterName: east, helm: {values: {host: first.example.com}}}
  - {clusterName: east, helm: {values: {host: second.example.com}}}
  - {clusterName: west, doNotDeploy: true, helm: {values: {host: west.example.com}}}
  - {name: nowhere, helm: {values: {host: nowhere.example.com}}}
`,
      ['shop/front first.example.com'],
    ],
    [
      'the target that takes all clusters in place of itself',
      `defaultNamespace: shop
helm: {chart: edge, releaseName: front, values: {host: no.example.com}}
targetCustomizations:
  - {clusterSelector: {}, helm: {values: {host: all.example.com}}}
`,
      ['shop/front all.example.com'],
    ],
  ]
  test.each(hosts)('is rendered with %s', async (_, fleet, expected) => {
    const files = { 'lib/web/one.yaml': values('one'), 'lib/web/two.yaml': values('two') }
    expect((await hostsOf(bundle(fleet, files))).sort()).toEqual(expected)
  })

  test('is the folder of the bundle itself', async () => {
    const fleet = 'defaultNamespace: shop\nhelm: {releaseName: front, values: {host: a.example.com}}\n'
    expect(await hostsOf({ ...chart, 'charts/edge/fleet.yaml': fleet })).toEqual(['shop/front a.example.com'])
  })

  test('goes to the clusters of its target', async () => {
    const fleet = `helm: {chart: edge, values: {host: a.example.com}}
targetCustomizations:
  - {clusterName: east}
  - clusterSelector: {matchLabels: {site: dev}, matchExpressions: [{key: zone, operator: In, values: [a, b]}]}
  - {clusterGroup: edge}
`
    const { findings } = await whole(bundle(fleet))
    const clusters = findings.flatMap(({ sources }) => sources.map(({ cluster }) => cluster)).sort()
    expect(clusters).toEqual(['', 'east', 'group edge', 'site=dev, zone in (a, b)'])
  })

  test('is rendered for each target with its values over the others', async () => {
    const fleet = `defaultNamespace: shop
helm: {chart: edge, releaseName: front, valuesFiles: [one.yaml]}
targetCustomizations:
  - {clusterName: east, helm: {values: {host: east.example.com}}}
  - {clusterName: west, defaultNamespace: other, helm: {valuesFiles: [two.yaml]}}
`
    const files = { 'lib/web/one.yaml': values('one'), 'lib/web/two.yaml': values('two') }
    const { findings } = await whole(bundle(fleet, files))
    const sources = findings.flatMap((finding) => finding.sources)
    expect(
      sources.map((one) => [one.cluster, 'namespace' in one && one.namespace, 'values' in one && one.values]),
    ).toEqual([
      ['east', 'shop', ['lib/web/one.yaml', 'the values in lib/web/fleet.yaml']],
      ['west', 'other', ['lib/web/one.yaml', 'lib/web/two.yaml']],
      ['', 'shop', ['lib/web/one.yaml']],
    ])
    expect(findings[0]?.text).toContain('lists east.example.com')
  })

  const refused: [what: string, fleet: string, reason: string][] = [
    [
      'its chart is outside',
      'helm: {chart: ../../../edge}\n',
      'its chart ../../../edge leads out of this repository, and is not followed',
    ],
    [
      'its values are outside',
      'helm: {chart: edge, valuesFiles: [../../../secret.yaml]}\n',
      'its values ../../../secret.yaml lead out of this repository, and are not followed',
    ],
    [
      'its Kustomization is outside',
      'kustomize: {dir: ../../..}\n',
      'its kustomize.dir leads out of this repository, and is not followed',
    ],
    [
      'its overlay is outside',
      'yaml: {overlays: [../../../../etc]}\n',
      'its overlay ../../../../etc leads out of the folder overlays, and is not followed',
    ],
    [
      'its fleet.yaml is no YAML',
      'helm: {chart: [\n',
      'not readable: a value is missing here, or a bracket is not closed',
    ],
  ]
  test.each(refused)('is listed and not rendered when %s', async (_, fleet, reason) => {
    const skipped = await skippedIn({ 'lib/web/fleet.yaml': fleet })
    expect(skipped).toEqual([expect.stringContaining(`lib/web/fleet.yaml: ${reason}`)])
  })

  test('through a symbolic link out of the repository is not followed', async () => {
    const { findings, inspected } = await whole({
      'lib/web/fleet.yaml': 'helm: {chart: edge}\n',
      'lib/web/edge': { link: '/etc' },
    })
    expect(findings.map(({ rule, text }) => `${rule}: ${text}`)).toEqual([
      'source/unrendered: There is no chart lib/web/edge in this repository.',
    ])
    expect(inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toContain(
      'lib/web/edge: a symbolic link out of the repository, which is not followed',
    )
  })

  test('with a value that only the cluster knows is rendered without it, and may fail', async () => {
    const fleet = 'helm: {chart: edge, valuesFrom: [{secretKeyRef: {name: x}}], values: {host: a.example.com}}\n'
    const { findings, inspected } = await whole(bundle(fleet))
    expect(findings.map(({ rule }) => rule)).toEqual(['ingress-tls/host-covered'])
    expect(inspected.skipped).toEqual([
      { path: 'lib/web/fleet.yaml', reason: 'it is rendered without helm.valuesFrom, which only the cluster knows' },
    ])
    const broken = { 'lib/web/edge/templates/x.yaml': '{{ required "no name" .Values.name }}\n' }
    const failing = await whole(bundle(fleet, broken))
    expect(failing.findings).toEqual([])
    expect(failing.inspected.skipped.map(({ reason }) => reason)).toContainEqual(expect.stringContaining('no name'))
  })

  test('is judged at the line of fleet.yaml that changes it', async () => {
    const fleet = (host: string) =>
      `defaultNamespace: shop\nhelm:\n  chart: edge\n  values:\n    host: ${host}.example.com\n`
    const report = await change(bundle(fleet('covered')), { 'lib/web/fleet.yaml': fleet('other') })
    expect(lines(report)).toEqual(['introduced error head/lib/web/fleet.yaml:5 ingress-tls/host-covered'])
  })

  test('that leaves the repository in the change is an error', async () => {
    const fleet = 'helm: {chart: edge, releaseName: web, values: {host: covered.example.com}}\n'
    const elsewhere = 'helm: {chart: edge, releaseName: web, repo: https://charts.example.com, version: 1.0.0}\n'
    const { findings } = await change(bundle(fleet), { 'lib/web/fleet.yaml': elsewhere })
    const own = findings.filter(({ rule }) => rule === 'source/unrendered')
    expect(own.map(({ location, text }) => `${location.path}:${location.region.startLine} ${text}`)).toEqual([
      'lib/web/fleet.yaml:1 The objects that release default/web of lib/web/edge with the values in lib/web/fleet.yaml deploys can no longer be rendered, so this change to them cannot be checked: the chart edge from https://charts.example.com is not in this repository. To have it judged, first merge `network: {charts: ["https://charts.example.com"]}` into the config of this gate; or keep the chart in this repository.',
    ])
  })
})

describe('a Kustomization of a Fleet bundle', () => {
  const overlays: Files = {
    'lib/web/base/kustomization.yaml': 'resources: [ingress.yaml]\n',
    'lib/web/base/ingress.yaml': probe('web', 'base.example.com'),
    'lib/web/overlays/east/kustomization.yaml': 'resources: [../../base]\nnamePrefix: east-\n',
  }

  test('is built for each target, with its namespace', async () => {
    const fleet = `defaultNamespace: shop
kustomize: {dir: base}
targetCustomizations:
  - {clusterName: east, kustomize: {dir: overlays/east}}
`
    const { findings } = await whole({ ...overlays, 'lib/web/fleet.yaml': fleet })
    expect(findings.map(({ object, location }) => `${object?.namespace} ${location.path}`)).toEqual([
      'shop lib/web/base/ingress.yaml',
    ])
    expect(findings[0]?.sources.map(({ path, cluster }) => `${cluster}: ${path}`)).toEqual([
      'east: lib/web/overlays/east',
      ': lib/web/base',
    ])
  })

  test('gets the namespace that Fleet forces, and its Namespaces keep their names', async () => {
    const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`
    const files = {
      'lib/web/base/ingress.yaml': probe('web', 'base.example.com'),
      'lib/web/base/kustomization.yaml': 'resources: [ingress.yaml, namespace.yaml]\n',
      'lib/web/base/namespace.yaml': namespace('kube-public'),
      'lib/web/fleet.yaml': 'defaultNamespace: default\nnamespace: default\nkustomize: {dir: base}\n',
    }
    expect(await hostsOf(files)).toEqual(['default/web base.example.com'])
    const judged = (head: Files) => checkOpened(opened(files, head), '--policy', 'protected-rbac@1.3.0')
    const free = await judged({ 'lib/web/fleet.yaml': 'defaultNamespace: default\nkustomize: {dir: base}\n' })
    expect(lines(free)).toEqual([])
    const gone = await judged({
      'lib/web/base/kustomization.yaml': 'resources: [ingress.yaml]\n',
      'lib/web/base/namespace.yaml': null,
    })
    expect(lines(gone)).toEqual([
      'introduced error head/lib/web/base/kustomization.yaml:1 protected-rbac/cluster-object-kept',
    ])
  })

  test('over a chart from elsewhere is built alone, and may fail', async () => {
    const fleet = 'helm: {chart: x, repo: https://charts.example.com}\nkustomize: {dir: base}\n'
    const patch = { 'lib/web/base/kustomization.yaml': 'patches: [{path: ingress.yaml}]\n' }
    const { findings, inspected } = await whole({
      ...overlays,
      ...patch,
      'lib/web/fleet.yaml': fleet,
      'lib/web/overlays/east/kustomization.yaml': null,
    })
    expect(findings).toEqual([])
    expect(inspected.skipped.map(({ reason }) => reason)).toContainEqual(
      'Fleet applies the Kustomization lib/web/base to the chart x, which is not in this repository, so it is built alone',
    )
  })
})

describe('plain YAML of a Fleet bundle', () => {
  test('of a file fleet.yaml of another tool is not taken for a bundle', async () => {
    const fleet = 'apiVersion: v1\nkind: config\nhelm: {values: {host: no.example.com}}\n'
    expect(
      await hostsOf({ ...chart, 'charts/edge/fleet.yaml': fleet, 'other/fleet.yml': 'server: {port: 1}\n' }),
    ).toEqual([])
  })
})

describe('a chart from elsewhere in a Fleet bundle', () => {
  const fleet = (scoped: boolean, version = '4.12.1') => `defaultNamespace: ingress
helm:
  chart: ingress-nginx
  repo: https://kubernetes.github.io/ingress-nginx
  version: ${version}
  releaseName: one
  values:
    controller:
      scope:
        enabled: ${scoped}
`
  const other = (namespace: string) =>
    fleet(true).replace('ingress\n', `${namespace}\n`).replace('name: one', 'name: two')
  const compare = (base: Files, head: Files) =>
    checkJson(
      '--repo',
      repositoryOf(base, head).dir,
      '--base',
      'HEAD~1',
      '--head',
      'HEAD',
      '--policy',
      'controller-scope@1.1.0',
    )
  const both = { 'lib/one/fleet.yaml': fleet(true), 'lib/two/fleet.yaml': other('second') }

  test('is judged by its values, at their line', async () => {
    const report = await compare(both, { 'lib/one/fleet.yaml': fleet(false) })
    expect(lines(report)).toContain('introduced error head/lib/one/fleet.yaml:10 controller-scope/namespace-isolated')
  })

  test('is judged by the values of a file', async () => {
    const named = fleet(true).replace(/ {2}values:[\s\S]*/, '  valuesFiles: [values.yaml]\n')
    const scoped = (is: boolean) => `controller:\n  scope:\n    enabled: ${is}\n`
    const report = await compare(
      { ...both, 'lib/one/fleet.yaml': named, 'lib/one/values.yaml': scoped(true) },
      { 'lib/one/values.yaml': scoped(false) },
    )
    expect(lines(report)).toContain('introduced error head/lib/one/values.yaml:3 controller-scope/namespace-isolated')
  })

  test('is compared with no release of another cluster', async () => {
    const only = (name: string, text: string) =>
      `${text}targetCustomizations: [{clusterName: ${name}}, {clusterSelector: {}, doNotDeploy: true}]\n`
    const base = {
      'lib/one/fleet.yaml': only('west', fleet(true)),
      'lib/two/fleet.yaml': only('east', other('second')),
    }
    const report = await compare(base, { 'lib/one/fleet.yaml': only('west', fleet(false)) })
    expect(lines(report).filter((line) => line.includes('introduced error'))).toEqual([])
  })

  test('is listed with its values files where the change touches them', async () => {
    const remote = 'helm: {chart: shop, releaseName: web, repo: https://charts.example.com, valuesFiles: [prod.yaml]}\n'
    const base = { 'lib/web/fleet.yaml': remote, 'lib/web/prod.yaml': values('a'), 'README.md': 'x' }
    const touched = await change(base, { 'lib/web/prod.yaml': values('b') })
    expect(touched.inspected.skipped).toEqual([
      {
        path: 'lib/web/prod.yaml',
        reason:
          'values of the chart shop from https://charts.example.com of the release web, which is not in this repository',
      },
    ])
    const bumped = await change(base, { 'lib/web/fleet.yaml': remote.replace('prod.yaml', 'other.yaml') })
    expect(bumped.inspected.skipped).toEqual([
      {
        path: 'lib/web/fleet.yaml',
        reason: 'not in this repository: the chart shop from https://charts.example.com of the release web',
      },
    ])
    expect((await change(base, { 'README.md': 'y' })).inspected.skipped).toEqual([])
  })
})

test('a link to a bundle that the change adds is listed', async () => {
  const base = bundle('helm: {chart: edge}\n')
  const { inspected } = await change(base, { 'clusters/east/web': { link: '../../lib/web' } })
  expect(inspected.skipped).toContainEqual({
    path: 'clusters/east/web',
    reason: 'a link to the Fleet bundle lib/web: which clusters get it is not judged',
  })
})

test('a bundle in a folder that is ignored by default is judged', async () => {
  const moved = Object.entries(
    bundle('defaultNamespace: shop\nhelm: {chart: edge, releaseName: front, values: {host: a.example.com}}\n'),
  )
  const files = Object.fromEntries(moved.map(([file, text]) => [file.replace('lib/', 'vendor/'), text]))
  expect(await hostsOf(files)).toEqual(['shop/front a.example.com'])
})

test('of a bundle with too many targets the first are read', async () => {
  const targets = Array.from({ length: 302 }, (_, index) => `  - {clusterName: c${index}, doNotDeploy: true}\n`)
  const skipped = await skippedIn({ 'lib/web/fleet.yaml': `targetCustomizations:\n${targets.join('')}` })
  expect(skipped).toEqual(['lib/web/fleet.yaml: it has 302 targets; only the first 300 are read'])
})

test('the account of a changed bundle says what it is rendered to, and what is not judged of it', async () => {
  const accounts = async (base: Files, head: Files) =>
    (await change(base, head)).inspected.files?.map(({ path, state }) => `${path} ${state}`)
  const fleet = (host: string) => `helm: {chart: edge, values: {host: ${host}.example.com}}\n`
  expect(await accounts(bundle(fleet('a')), { 'lib/web/fleet.yaml': fleet('b') })).toEqual(['lib/web/fleet.yaml input'])
  const plain = { 'raw/fleet.yaml': 'defaultNamespace: a\n', 'raw/a.yaml': 'apiVersion: v1\nkind: ConfigMap\n' }
  expect(await accounts(plain, { 'raw/fleet.yaml': 'defaultNamespace: b\n' })).toEqual(['raw/fleet.yaml input'])
  const remote = (host: string) => `helm: {chart: web, repo: https://charts.example.com, values: {host: ${host}}}\n`
  expect(await accounts({ 'r/fleet.yaml': remote('a') }, { 'r/fleet.yaml': remote('b') })).toEqual([
    'r/fleet.yaml not-judged',
  ])
})
