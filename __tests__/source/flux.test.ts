// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { describe, expect, test } from '@jest/globals'
import { releaseName } from '../../src/source/flux'
import { checkJson, lines } from '../cli/guard'
import { change, chart, hostsOf, object, probe, repositoryOf, role, url, whole } from './probe'
import { policies } from './rendered'
import { type Files, withEnvironment } from './repository'

const indented = (text: string, by: number) => text.replace(/^(?=.)/gm, ' '.repeat(by))

const repository = (at = url) =>
  object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'here', 'flux-system', `spec: {url: "${at}"}\n`)

const sourceRef = 'sourceRef: {kind: GitRepository, name: here, namespace: flux-system}'

function release(more: string, { version = 'v2', chart = './charts/edge', values = '' } = {}): string {
  const spec = `spec:\n  chart:\n    spec:\n      chart: ${chart}\n      ${sourceRef}\n${values && `      ${values}\n`}`
  return object(`helm.toolkit.fluxcd.io/${version}`, 'HelmRelease', 'web', 'shop', spec + indented(`${more}\n`, 2))
}

const kustomization = (name: string, place: string, more = '', namespace = 'flux-system') =>
  object(
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    name,
    namespace,
    `spec:\n  path: ${place}\n  ${sourceRef}\n${indented(`${more}\n`, 2)}`,
  )

const configMap = (name: string, namespace: string, data: string) =>
  object('v1', 'ConfigMap', name, namespace, `data:\n${indented(`${data}\n`, 2)}`)

const base: Files = { ...chart, 'flux/source.yaml': repository() }

describe('a chart that a HelmRelease names', () => {
  const hosts: [what: string, written: string, expected: string][] = [
    ['values of its own', release('values: {host: own.example.com}'), 'shop/web own.example.com'],
    [
      'the API of v2beta1',
      release('values: {host: own.example.com}', { version: 'v2beta1' }),
      'shop/web own.example.com',
    ],
    [
      'the API of v2beta2',
      release('values: {host: own.example.com}', { version: 'v2beta2' }),
      'shop/web own.example.com',
    ],
    ['a release name', release('releaseName: other\nvalues: {host: a.example.com}'), 'shop/other a.example.com'],
    [
      'a target namespace, which the release is named after too',
      release('targetNamespace: far\nvalues: {host: a.example.com}'),
      'far/far-web a.example.com',
    ],
    [
      'a target namespace and a name',
      release('targetNamespace: far\nreleaseName: web\nvalues: {host: a.example.com}'),
      'far/web a.example.com',
    ],
    [
      'values files, which start at the root',
      release('', { values: 'valuesFiles: [charts/edge/values.yaml, ./teams/web.yaml]' }),
      'shop/web file.example.com',
    ],
    [
      'a ConfigMap over values files',
      release('valuesFrom: [{kind: ConfigMap, name: web-values}]', {
        values: 'valuesFiles: [charts/edge/values.yaml, teams/web.yaml]',
      }),
      'shop/web map.example.com',
    ],
    [
      'values of its own over those of a ConfigMap',
      release('valuesFrom: [{kind: ConfigMap, name: web-values}]\nvalues: {host: own.example.com}'),
      'shop/web own.example.com',
    ],
    [
      'a key of a ConfigMap at a path',
      release('valuesFrom: [{kind: ConfigMap, name: web-values, valuesKey: name, targetPath: host}]'),
      'shop/web key.example.com',
    ],
    [
      'a ConfigMap that need not be there',
      release('valuesFrom: [{kind: ConfigMap, name: none, optional: true}]\nvalues: {host: own.example.com}'),
      'shop/web own.example.com',
    ],
    ['a Secret', release('valuesFrom: [{kind: Secret, name: web-secret}]'), 'shop/web secret.example.com'],
    [
      'a HelmRelease that is suspended',
      release('suspend: true\nvalues: {host: own.example.com}'),
      'shop/web own.example.com',
    ],
  ]
  test.each(hosts)('is rendered with %s', async (_, written, expected) => {
    const secret = Buffer.from('host: secret.example.com\n').toString('base64')
    const files = {
      'teams/web.yaml': 'host: file.example.com\n',
      'teams/map.yaml': configMap(
        'web-values',
        'shop',
        'name: key.example.com\nvalues.yaml: |\n  host: map.example.com',
      ),
      'teams/other-map.yaml': configMap('web-values', 'far', 'values.yaml: "host: wrong.example.com"'),
      'teams/secret.yaml': object('v1', 'Secret', 'web-secret', 'shop', `data: {values.yaml: ${secret}}\n`),
      'web.yaml': written,
    }
    expect(await hostsOf({ ...base, ...files })).toEqual([expected])
  })

  test('is found through a HelmChart', async () => {
    const reference = object(
      'helm.toolkit.fluxcd.io/v2',
      'HelmRelease',
      'web',
      'shop',
      `spec:
  chartRef: {kind: HelmChart, name: edge, namespace: flux-system}
  values: {host: a.example.com}
`,
    )
    const helmChart = object(
      'source.toolkit.fluxcd.io/v1',
      'HelmChart',
      'edge',
      'flux-system',
      `spec: {chart: charts/edge, ${sourceRef}}\n`,
    )
    expect(await hostsOf({ ...base, 'web.yaml': reference, 'chart.yaml': helmChart })).toEqual([
      'shop/web a.example.com',
    ])
  })

  const library = { 'charts/edge/Chart.yaml': 'name: edge\ntype: library\nversion: 1.0.0\n' }
  const elsewhere = (kind: string, at: string) =>
    object('source.toolkit.fluxcd.io/v1', kind, 'far', 'flux-system', `spec: {url: "${at}"}\n`)
  const far = (kind: string) => release('').replace('kind: GitRepository, name: here', `kind: ${kind}, name: far`)
  const reasons: [what: string, written: string, source: string, reason: string][] = [
    [
      'a Helm repository has its chart',
      far('HelmRepository').replace('./charts/edge', 'edge'),
      elsewhere('HelmRepository', 'https://charts.example.com'),
      'the chart edge of https://charts.example.com is not in this repository',
    ],
    [
      'another Git repository has its chart',
      far('GitRepository'),
      elsewhere('GitRepository', 'https://github.com/acme/other'),
      'the chart ./charts/edge of https://github.com/acme/other is not in this repository',
    ],
    [
      'a registry has its chart',
      object(
        'helm.toolkit.fluxcd.io/v2',
        'HelmRelease',
        'web',
        'shop',
        'spec: {chartRef: {kind: OCIRepository, name: far, namespace: flux-system}}\n',
      ),
      elsewhere('OCIRepository', 'oci://ghcr.io/acme/edge'),
      'the chart far of oci://ghcr.io/acme/edge is not in this repository',
    ],
    [
      'a Secret of the cluster has its values',
      release('valuesFrom: [{kind: Secret, name: none}]'),
      repository(),
      'its values of Secret none are not in this repository',
    ],
    [
      'its values are encrypted',
      release('valuesFrom: [{kind: Secret, name: sealed}]'),
      object(
        'v1',
        'Secret',
        'sealed',
        'shop',
        'stringData: {values.yaml: "ENC[AES256_GCM,data:x]"}\nsops: {version: 3.9.0}\n',
      ),
      'its values of Secret sealed are not in this repository',
    ],
  ]
  test.each(reasons)('is not inspected when %s', async (_, written, source, reason) => {
    const { inspected, findings } = await whole({ ...base, ...library, 'far.yaml': source, 'web.yaml': written })
    expect(findings).toEqual([])
    expect(inspected.skipped).toEqual([{ path: 'web.yaml', reason: `HelmRelease shop/web: ${reason}` }])
  })

  test('says what is not laid over it', async () => {
    const patch = object(
      'helm.toolkit.fluxcd.io/v2',
      'HelmRelease',
      'web',
      'shop',
      'spec: {values: {host: b.example.com}}\n',
    )
    const { inspected } = await whole({ ...base, 'web.yaml': release(''), 'overlays/prod/web.yaml': patch })
    expect(inspected.skipped).toEqual([
      {
        path: 'web.yaml',
        reason: 'HelmRelease shop/web: it is rendered as it is written, without the patch in overlays/prod/web.yaml',
      },
    ])
  })

  test('says that its postRenderers are not run', async () => {
    const written = release('postRenderers: [{kustomize: {patches: [{patch: "$patch: delete"}]}}]')
    const { inspected } = await whole({ ...base, 'web.yaml': written })
    const reason = 'HelmRelease shop/web: it is rendered as its chart has it, without its postRenderers'
    expect(inspected.skipped).toEqual([{ path: 'web.yaml', reason }])
  })

  test('keeps the start of a long name and a digest of all of it', () => {
    expect(releaseName('a'.repeat(53))).toBe('a'.repeat(53))
    expect(releaseName('a'.repeat(54))).toBe(`${'a'.repeat(40)}-a3f01b693925`)
  })
})

describe('the values inside a HelmRelease', () => {
  const scoped = (enabled: boolean) =>
    release(`values:\n  controller:\n    install: true\n    scope:\n      enabled: ${enabled}`)
  const other = release('values: {controller: {install: true}}').replace('namespace: shop', 'namespace: other')

  test('are where a controller loses its scope', async () => {
    const report = await change(
      { ...base, 'web.yaml': scoped(true), 'other.yaml': other },
      { 'web.yaml': scoped(false) },
    )
    expect(lines(report)).toEqual(['introduced error head/web.yaml:15 controller-scope/namespace-isolated'])
    expect(report.findings[0]?.text).toContain(
      'Deployment shop/controller and Deployment other/controller both take the Ingresses of class nginx in namespace other',
    )
  })

  test('are where a protected ClusterRole goes', async () => {
    const report = await change(
      { ...base, 'web.yaml': release('values:\n  bootstrap: true') },
      { 'web.yaml': release('values:\n  bootstrap: false') },
    )
    expect(lines(report)).toEqual(['introduced error head/web.yaml:12 protected-rbac/object-kept'])
  })

  test('take everything with them when the HelmRelease goes', async () => {
    const report = await change({ ...base, 'web.yaml': release('') }, { 'web.yaml': null })
    expect(lines(report)).toEqual(['introduced error base/web.yaml:1 protected-rbac/object-kept'])
  })

  test('in a ConfigMap are where a protected ClusterRole goes', async () => {
    const map = (on: boolean) => configMap('web-values', 'shop', `values.yaml: |\n  bootstrap: ${on}`)
    const report = await change(
      { ...base, 'web.yaml': release('valuesFrom: [{kind: ConfigMap, name: web-values}]'), 'map.yaml': map(true) },
      { 'map.yaml': map(false) },
    )
    expect(lines(report)).toEqual(['introduced error head/map.yaml:8 protected-rbac/object-kept'])
  })
})

describe('a folder that a Flux Kustomization names', () => {
  const web = {
    'flux/source.yaml': repository(),
    'web/kustomization.yaml': 'resources: [web.yaml]\n',
    'web/web.yaml': probe('web', '"web.${domain}"'),
  }

  const hosts: [what: string, more: string, expected: string][] = [
    [
      'variables',
      'targetNamespace: shop\npostBuild: {substitute: {domain: a.example.com}}',
      'shop/web web.a.example.com',
    ],
    [
      'variables of a ConfigMap',
      'postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}',
      '/web web.map.example.com',
    ],
    [
      'its own variables over those of a ConfigMap',
      'postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}], substitute: {domain: a.example.com}}',
      '/web web.a.example.com',
    ],
    [
      'names of its own',
      'namePrefix: a-\nnameSuffix: -b\npostBuild: {substitute: {domain: a.example.com}}',
      '/a-web-b web.a.example.com',
    ],
    [
      'patches',
      `patches: [{target: {kind: Ingress}, patch: '[{"op": "replace", "path": "/spec/rules/0/host", "value": "b.example.com"}]'}]`,
      '/web b.example.com',
    ],
  ]
  test.each([
    ['when it asks for nothing', 'targetNamespace: shop'],
    ['that only the cluster knows', 'postBuild: {substituteFrom: [{kind: Secret, name: none}]}'],
  ])('keeps variables as they are written %s', async (_, more) => {
    const { findings, inspected } = await whole({ ...web, 'flux/web.yaml': kustomization('web', './web', more) })
    // A host that is still to be filled in is no host to judge.
    expect([findings, inspected.head.rendered]).toEqual([[], 1])
  })

  test.each(hosts)('is built with %s', async (_, more, expected) => {
    const files = {
      'vars/vars.yaml': configMap('vars', 'flux-system', 'domain: map.example.com'),
      'flux/web.yaml': kustomization('web', './web', more),
    }
    expect(await hostsOf({ ...web, ...files })).toEqual([expected])
  })

  test('takes components in', async () => {
    const component = {
      'extra/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [more.yaml]\n',
      'extra/more.yaml': probe('more', 'more.example.com'),
      'flux/web.yaml': kustomization(
        'web',
        './web',
        'components: [../extra]\npostBuild: {substitute: {domain: a.example.com}}',
      ),
    }
    expect(await hostsOf({ ...web, ...component })).toEqual(['/more more.example.com', '/web web.a.example.com'])
  })

  test('may be all of the repository', async () => {
    const files = { 'kustomization.yaml': 'resources: [web.yaml]\n', 'web.yaml': probe('web', 'a.example.com') }
    const flux = {
      'flux/source.yaml': repository(),
      'flux/all.yaml': kustomization('all', './', 'targetNamespace: shop'),
    }
    expect(await hostsOf({ ...files, ...flux })).toEqual(['shop/web a.example.com'])
  })

  test('may move, with a HelmRelease of its own name whose chart is elsewhere', async () => {
    const far = object(
      'source.toolkit.fluxcd.io/v1',
      'HelmRepository',
      'far',
      'flux-system',
      'spec: {url: https://charts.example.com}\n',
    )
    const edge = object(
      'helm.toolkit.fluxcd.io/v2',
      'HelmRelease',
      'edge',
      'shop',
      'spec: {chart: {spec: {chart: edge, sourceRef: {kind: HelmRepository, name: far, namespace: flux-system}}}}\n',
    )
    const files = (folder: string) => ({
      [`${folder}/kustomization.yaml`]: 'resources: [release.yaml]\n',
      [`${folder}/release.yaml`]: edge,
      [`flux/${folder}.yaml`]: kustomization('edge', `./${folder}`),
    })
    const gone = { 'old/kustomization.yaml': null, 'old/release.yaml': null, 'flux/old.yaml': null }
    const flux = { 'flux/source.yaml': repository(), 'flux/far.yaml': far }
    expect(lines(await change({ ...flux, ...files('old') }, { ...gone, ...files('new') }))).toEqual([])
  })

  test('needs no kustomization.yaml', async () => {
    const files = {
      'plain/a.yaml': probe('a', 'a.example.com'),
      'plain/deep/b.yaml': probe('b', 'b.example.com'),
      'plain/own/kustomization.yaml': 'namePrefix: own-\nresources: [c.yaml]\n',
      'plain/own/c.yaml': probe('c', 'c.example.com'),
      'plain/own/orphan.yaml': probe('orphan', 'orphan.example.com'),
      'flux/source.yaml': repository(),
      'flux/plain.yaml': kustomization('plain', './plain', 'targetNamespace: shop'),
    }
    const report = await whole(files)
    expect(lines(report)).toEqual([
      'existing error head/plain/a.yaml:10 ingress-tls/host-covered',
      'existing error head/plain/deep/b.yaml:10 ingress-tls/host-covered',
      'existing error head/plain/own/c.yaml:10 ingress-tls/host-covered',
    ])
    expect(report.findings.map(({ object: its }) => `${its?.namespace}/${its?.name}`)).toEqual([
      'shop/a',
      'shop/b',
      'shop/own-c',
    ])
  })

  test.each([
    ['with a kustomization.yaml', { 'web/kustomization.yaml': 'resources: [role.yaml]\n' }],
    ['without one', { 'other/kustomization.yaml': 'resources: []\n' }],
  ])('%s is deployed no longer when the Flux Kustomization goes', async (_, files) => {
    const report = await change(
      {
        'flux/source.yaml': repository(),
        'web/role.yaml': role,
        'flux/web.yaml': kustomization('web', './web'),
        ...files,
      },
      { 'flux/web.yaml': null },
    )
    expect(lines(report)).toEqual(['introduced error base/flux/web.yaml:1 protected-rbac/object-kept'])
  })

  test.each([
    ['GitRepository', 'https://github.com/acme/other', 'https://github.com/acme/other ./web is not in this repository'],
    ['OCIRepository', 'oci://ghcr.io/acme/web', 'oci://ghcr.io/acme/web ./web is not in this repository'],
  ])('of a %s of %s is not inspected', async (kind, at, reason) => {
    const files = {
      'flux/source.yaml': repository(at).replace('GitRepository', kind),
      'flux/web.yaml': kustomization('web', './web').replace('GitRepository', kind),
      'other/kustomization.yaml': 'resources: []\n',
    }
    expect((await whole(files)).inspected.skipped).toEqual([
      { path: 'flux/web.yaml', reason: `Kustomization flux-system/web: ${reason}` },
    ])
  })
})

test('a Flux Kustomization gets its source by a patch of what takes it in', async () => {
  const web = object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'web', 'flux-system', 'spec:\n  path: ./web\n')
  const files = {
    'cluster/kustomization.yaml': 'resources: [../apps]\n',
    'apps/kustomization.yaml': 'resources: [web.yaml]\n',
    'apps/web.yaml': web,
    'web/kustomization.yaml': 'resources: [role.yaml]\n',
    'web/role.yaml': role,
  }
  const report = await change(files, {
    'apps/web.yaml': null,
    'apps/kustomization.yaml': 'resources: []\nnamespace: x\n',
  })
  expect(lines(report)).toEqual(['introduced error base/web/role.yaml:1 protected-rbac/object-kept'])
  // What nothing takes in is a patch, or nobody's.
  const { 'apps/web.yaml': _, ...rest } = files
  const patch = { ...rest, 'apps/kustomization.yaml': 'resources: []\nnamespace: x\n', 'apps/web.yaml': web }
  expect((await whole(patch)).inspected.head.rendered).toBe(1)
})

test('a Flux Kustomization takes files in that lie beside its folder, as long as they are in the repository', async () => {
  const files = (...resources: string[]) => ({
    'flux/source.yaml': repository(),
    'flux/web.yaml': kustomization('web', './overlays/prod', 'postBuild: {substitute: {domain: a.example.com}}'),
    'overlays/prod/kustomization.yaml': `resources: [${resources}]\n`,
    'base/web.yaml': probe('web', '"web.${domain}"'),
  })
  expect(await hostsOf(files('../../base/web.yaml'))).toEqual(['/web web.a.example.com'])
  // So it may where the repository comes to Flux by a registry.
  const { 'flux/source.yaml': _, ...far } = files('../../base/web.yaml')
  const oci = { 'flux/web.yaml': far['flux/web.yaml'].replace('kind: GitRepository', 'kind: OCIRepository') }
  expect((await whole({ ...far, ...oci })).inspected.head.rendered).toBe(1)
  const { findings } = await whole(files('../../base/web.yaml', '../../../../etc/hosts'))
  expect(findings.map(({ text }) => text)).toEqual([
    'It takes in ../../../../etc/hosts, which is not in this repository; vendor it and name the copy.',
  ])
})

describe('a tree of Flux Kustomizations', () => {
  const cluster = (name: string, domain: string): Files => ({
    [`clusters/${name}/flux-system/kustomization.yaml`]: 'resources: [sync.yaml]\n',
    [`clusters/${name}/flux-system/sync.yaml`]: `${repository()}---\n${kustomization('flux-system', `./clusters/${name}`)}`,
    [`clusters/${name}/apps.yaml`]: kustomization('apps', './apps', `postBuild: {substitute: {domain: ${domain}}}`),
  })
  const files: Files = {
    ...chart,
    ...cluster('prod', 'prod.example.com'),
    ...cluster('test', 'test.example.com'),
    'apps/kustomization.yaml': 'resources: [web.yaml, release.yaml]\n',
    'apps/web.yaml': probe('web', '"web.${domain}"'),
    'apps/release.yaml': release('values: {host: release.example.com}'),
  }

  test('goes to the cluster that its root stands in', async () => {
    const { findings } = await whole(files)
    expect(findings.flatMap(({ keys, sources }) => sources.map(({ cluster: its }) => `${its} ${keys}`)).sort()).toEqual(
      [
        'clusters/prod release.example.com',
        'clusters/prod web.prod.example.com,web.test.example.com',
        'clusters/test release.example.com',
        'clusters/test web.prod.example.com,web.test.example.com',
      ],
    )
  })

  test('loses what hangs on a branch that goes', async () => {
    const report = await change(
      { ...files, 'apps/release.yaml': release('values: {bootstrap: false}'), 'apps/web.yaml': role },
      { 'clusters/prod/apps.yaml': null },
    )
    expect(lines(report)).toEqual(['introduced error base/clusters/prod/apps.yaml:1 protected-rbac/object-kept'])
    expect(report.findings[0]?.cluster).toBe('clusters/prod')
  })

  test('loses a HelmRelease on the line that no longer takes it in', async () => {
    const listed = (list: string) => ({ 'apps/kustomization.yaml': `resources:\n${list}` })
    const report = await change(
      { ...files, 'apps/web.yaml': probe('x', 'covered.example.com'), ...listed('  - web.yaml\n  - release.yaml\n') },
      listed('  - web.yaml\n'),
    )
    expect(lines(report).filter((line) => line.includes('introduced'))).toEqual([
      'introduced error base/apps/kustomization.yaml:3 protected-rbac/object-kept',
    ])
  })

  test('loses all of it when its root goes', async () => {
    const report = await change(
      {
        ...files,
        'apps/release.yaml': release('values: {bootstrap: true}'),
        'apps/web.yaml': probe('x', 'covered.example.com'),
      },
      { 'clusters/prod/flux-system/sync.yaml': repository() },
    )
    expect(lines(report)).toEqual([
      'introduced error base/clusters/prod/flux-system/sync.yaml:7 protected-rbac/object-kept',
    ])
    expect(report.findings[0]?.cluster).toBe('clusters/prod')
  })
})

describe('which repository is this one', () => {
  test.each([
    'ssh://git@github.com/acme/platform',
    'git@github.com:Acme/Platform.git',
    'https://github.com/acme/platform/',
  ])('%s', async (at) => {
    const files = { 'flux/source.yaml': repository(at), 'web.yaml': release('values: {host: a.example.com}') }
    expect(await hostsOf({ ...base, ...files })).toEqual(['shop/web a.example.com'])
  })

  test.each([
    ['there is no remote', ['remote', 'remove', 'origin']],
    ['the remote is a folder', ['remote', 'set-url', 'origin', '/srv/git/platform.git']],
  ])('any, when %s and the path exists', async (_, remote) => {
    const repo = repositoryOf({ ...base, 'web.yaml': release('values: {host: a.example.com}') })
    repo.git(...remote)
    const report = await withEnvironment({ GITHUB_REPOSITORY: undefined }, () =>
      checkJson('--repo', repo.dir, '--all', '--head', 'HEAD', '--policy', ...policies),
    )
    expect(report.findings.map(({ keys }) => keys)).toEqual([['a.example.com']])
  })

  test('what the job says it is, too', async () => {
    const repo = repositoryOf({ ...base, 'web.yaml': release('values: {host: a.example.com}') })
    repo.git('remote', 'set-url', 'origin', 'https://github.com/fork/platform')
    const judge = () => checkJson('--repo', repo.dir, '--all', '--head', 'HEAD', '--policy', ...policies)
    const job = (name: string | undefined) => withEnvironment({ GITHUB_REPOSITORY: name }, judge)
    expect((await job('acme/platform')).findings.map(({ keys }) => keys)).toEqual([['a.example.com']])
    expect((await job(undefined)).findings).toEqual([])
  })
})
