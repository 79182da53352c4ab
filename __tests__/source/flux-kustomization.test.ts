// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { describe, expect, test } from '@jest/globals'
import { checkJson, lines } from '../cli/guard'
import { base, configMap, kustomization, release, repository } from './flux-objects'
import { change, chart, hostsOf, object, probe, repositoryOf, role, whole } from './probe'
import { policies } from './rendered'
import { type Files, withEnvironment } from './repository'

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

  test('is not built without a component that is outside of the repository', async () => {
    const report = await change(
      { ...web, 'flux/web.yaml': kustomization('web', './web', '') },
      { 'flux/web.yaml': kustomization('web', './web', 'components: [../../parts]') },
    )
    expect(lines(report)).toEqual(['introduced error head/flux/web.yaml:1 source/unrendered'])
    expect(report.findings[0]?.text).toContain('It includes ../../parts, which is not in this repository')
  })

  test('names no folder of this run where it cannot be built', async () => {
    const report = await change(
      { ...web, 'flux/web.yaml': kustomization('web', './web', 'namePrefix: x-') },
      { 'web/kustomization.yaml': 'resources: [web.yaml]\npatches: [patch.yaml]\n', 'web/patch.yaml': '{}\n' },
    )
    expect(report.findings.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Kustomize cannot build it: accumulating resources from 'web': .*Kustomization\.patches/),
    ])
  })

  test('may be applied by many ways that lead to it', async () => {
    const deep = 40
    const ways = Array.from({ length: deep }, (_, level) => [
      [`${level}/a.yaml`, kustomization(`a${level}`, `./${level + 1}`)],
      [`${level}/b.yaml`, kustomization(`b${level}`, `./${level + 1}`)],
    ]).flat()
    const files = {
      ...Object.fromEntries(ways),
      'source.yaml': repository(),
      [`${deep}/web.yaml`]: probe('web', 'b.example.com'),
    }
    expect(new Set(await hostsOf(files))).toEqual(new Set(['/web b.example.com']))
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
  // A file that nothing includes is a patch, or is not deployed.
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
  // The same if the repository reaches Flux through a registry.
  const { 'flux/source.yaml': _, ...far } = files('../../base/web.yaml')
  const oci = { 'flux/web.yaml': far['flux/web.yaml'].replace('kind: GitRepository', 'kind: OCIRepository') }
  expect((await whole({ ...far, ...oci })).inspected.head.rendered).toBe(1)
  const { findings } = await whole(files('../../base/web.yaml', '../../../../etc/hosts'))
  expect(findings.map(({ text }) => text)).toEqual([
    // The rest is read without it.
    expect.stringContaining('web.a.example.com'),
    'It uses ../../../../etc/hosts, which is not in this repository; copy it into this repository and name the copy.',
  ])
})

test('so does a Kustomization of releases of Flux that nothing here names, and not one beside Applications', async () => {
  const files: Files = {
    'base/services/web/base.yaml': `${release('')}---\n${probe('web', 'web.example.com')}`,
    'base/services/web/live/kustomization.yaml': 'resources: [../base.yaml]\n',
  }
  expect(await hostsOf(files)).toEqual(['/web web.example.com'])
  const application = 'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\n'
  const { findings } = await whole({ ...files, 'argocd.yaml': application })
  expect(findings.map(({ text }) => text)).toContainEqual(
    expect.stringContaining("is not in or below 'base/services/web/live'"),
  )
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

  test('goes to the cluster of its root', async () => {
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
    // Filled in when the repository of a template is set up.
    '${GIT_REPOSITORY}',
    'https://github.com/${org}/platform.git',
  ])('%s', async (at) => {
    const files = { 'flux/source.yaml': repository(at), 'web.yaml': release('values: {host: a.example.com}') }
    expect(await hostsOf({ ...base, ...files })).toEqual(['shop/web a.example.com'])
  })

  test.each(['https://github.com/acme/other', 'https://github.com/${org}/other', 'https://${host}/fork/platform'])(
    'not %s',
    async (at) => {
      const files = { 'flux/source.yaml': repository(at), 'web.yaml': release('values: {host: a.example.com}') }
      expect(await hostsOf({ ...base, ...files })).toEqual([])
    },
  )

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

  test('the revision that the job names, too', async () => {
    const repo = repositoryOf({ ...base, 'web.yaml': release('values: {host: a.example.com}') })
    repo.git('remote', 'set-url', 'origin', 'https://github.com/fork/platform')
    const judge = () => checkJson('--repo', repo.dir, '--all', '--head', 'HEAD', '--policy', ...policies)
    const job = (name: string | undefined) => withEnvironment({ GITHUB_REPOSITORY: name }, judge)
    expect((await job('acme/platform')).findings.map(({ keys }) => keys)).toEqual([['a.example.com']])
    expect((await job(undefined)).findings).toEqual([])
  })
})
