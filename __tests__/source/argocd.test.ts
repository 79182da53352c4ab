import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { change, chart, hostsOf, object, probe, role, url, whole } from './probe'
import type { Files } from './repository'

const application = (name: string, source: string, destination = 'namespace: shop') =>
  object('argoproj.io/v1alpha1', 'Application', name, 'argocd', `spec:\n  destination: {${destination}}\n${source}`)

const edge = (helm: string, name = 'web') =>
  application(
    name,
    `  source:\n    repoURL: ${url}\n    path: charts/edge\n    helm:\n${helm.replace(/^/gm, '      ')}\n`,
  )

const values = (host: string) => `host: ${host}.example.com\n`

describe('a chart that an Application names', () => {
  const hosts: [what: string, helm: string, expected: string][] = [
    ['values files, from the chart and from the root', 'valueFiles: [prod.yaml]', 'shop/web chart.example.com'],
    ['a path from the root', 'valueFiles: [/teams/web.yaml]', 'shop/web root.example.com'],
    ['a path out of the chart', 'valueFiles: [../../teams/web.yaml]', 'shop/web root.example.com'],
    ['the last values file', 'valueFiles: [/teams/web.yaml, prod.yaml]', 'shop/web chart.example.com'],
    ['values over files', 'valueFiles: [prod.yaml]\nvalues: |\n  host: text.example.com', 'shop/web text.example.com'],
    [
      'valuesObject in place of values',
      'values: "host: no"\nvaluesObject: {host: object.example.com}',
      'shop/web object.example.com',
    ],
    [
      'parameters over valuesObject',
      'valuesObject: {host: no.example.com}\nparameters: [{name: host, value: set.example.com}]',
      'shop/web set.example.com',
    ],
    ['a release name', 'releaseName: other\nvaluesObject: {host: a.example.com}', 'shop/other a.example.com'],
    [
      'missing values files that may be missing',
      'ignoreMissingValueFiles: true\nvalueFiles: [prod.yaml, none.yaml]',
      'shop/web chart.example.com',
    ],
  ]
  test.each(hosts)('is rendered with %s', async (_, helm, expected) => {
    const files = { 'charts/edge/prod.yaml': values('chart'), 'teams/web.yaml': values('root'), 'app.yaml': edge(helm) }
    expect(await hostsOf({ ...chart, ...files })).toEqual([expected])
  })

  test('takes values from this repository by the name of another source', async () => {
    const sources = `  sources:
    - repoURL: ${url}
      path: charts/edge
      helm:
        valueFiles: [$own/teams/web.yaml]
    - repoURL: git@github.com:acme/platform
      ref: own
`
    const files = { 'teams/web.yaml': values('own'), 'app.yaml': application('web', sources) }
    expect(await hostsOf({ ...chart, ...files })).toEqual(['shop/web own.example.com'])
  })

  const reasons: [what: string, app: string, reason: string][] = [
    [
      'the repository of its values is another',
      application(
        'web',
        `  sources:\n    - {repoURL: ${url}, path: charts/edge, helm: {valueFiles: [$own/a.yaml]}}\n    - {repoURL: https://github.com/acme/other, ref: own}\n`,
      ),
      'its values $own/a.yaml are not in this repository',
    ],
    [
      'its values are fetched',
      edge('valueFiles: ["https://example.com/a.yaml"]'),
      'its values https://example.com/a.yaml are not in this repository',
    ],
    [
      'its values are outside',
      edge('valueFiles: ["../../../a.yaml"]'),
      'its values ../../../a.yaml are outside this repository',
    ],
    [
      'its chart is in a Helm repository',
      application('web', '  source: {repoURL: https://charts.example.com, chart: edge, targetRevision: 1.0.0}\n'),
      'the chart edge of https://charts.example.com is not in this repository',
    ],
    [
      'its path is in another repository',
      application('web', '  source: {repoURL: https://github.com/acme/other, path: charts/edge}\n'),
      'https://github.com/acme/other charts/edge is not in this repository',
    ],
    [
      'a plugin makes it',
      application('web', `  source: {repoURL: ${url}, path: tools, plugin: {name: x}}\n`),
      'a plugin generates its manifests from tools, so they are unknown',
    ],
    [
      'files are parameters',
      edge('fileParameters: [{name: host, path: host.txt}]'),
      'its fileParameters are not supported',
    ],
  ]
  test.each(reasons)('is not inspected when %s', async (_, app, reason) => {
    const { inspected, findings } = await whole({
      ...chart,
      'charts/edge/Chart.yaml': 'name: edge\ntype: library\nversion: 1.0.0\n',
      'app.yaml': app,
    })
    expect(findings).toEqual([])
    expect(inspected.skipped).toEqual([{ path: 'app.yaml', reason: `Application argocd/web: ${reason}` }])
  })

  test('goes to the cluster of its destination', async () => {
    const of = (name: string, server: string) =>
      application(
        name,
        `  source:\n    repoURL: ${url}\n    path: charts/edge\n    helm: {valuesObject: {host: a.example.com}}\n`,
        server,
      )
    const { findings } = await whole({
      ...chart,
      'apps/one.yaml': of('web', 'namespace: shop, name: one'),
      'apps/two.yaml': of('web', 'namespace: shop, server: "https://two.example.com"'),
      'apps/here.yaml': of('web', 'namespace: shop, server: "https://kubernetes.default.svc"'),
    })
    expect(findings.flatMap(({ sources }) => sources.map(({ cluster }) => cluster)).sort()).toEqual([
      '',
      'https://two.example.com',
      'one',
    ])
  })
})

describe('a values file that only an Application names', () => {
  const app = edge('valueFiles: [/teams/web.yaml]')
  const base = (text: string): Files => ({ ...chart, 'apps/web.yaml': app, 'teams/web.yaml': text })

  test('is where a controller loses its scope', async () => {
    const scoped = (enabled: boolean) => `controller:\n  install: true\n  scope:\n    enabled: ${enabled}\n`
    const other = edge('valuesObject: {controller: {install: true}}', 'other').replace('shop', 'other')
    const report = await change(
      { ...base(scoped(true)), 'apps/other.yaml': other },
      { 'teams/web.yaml': scoped(false) },
    )
    expect(lines(report)).toEqual(['introduced error head/teams/web.yaml:4 controller-scope/namespace-isolated'])
    expect(report.findings[0]?.text).toEqual(
      expect.stringContaining(
        'Deployment shop/controller and Deployment other/controller both serve the Ingresses of class nginx in namespace other',
      ),
    )
    expect(report.findings[0]?.location.precision).toBe('values')
  })

  test('is where a protected ClusterRole goes', async () => {
    const report = await change(base('bootstrap: true\n'), { 'teams/web.yaml': '# not ours\nbootstrap: false\n' })
    expect(lines(report)).toEqual(['introduced error head/teams/web.yaml:2 protected-rbac/object-kept'])
    expect(report.findings[0]?.sources).toEqual([
      { kind: 'helm', path: 'charts/edge', release: 'web', namespace: 'shop', values: ['teams/web.yaml'], cluster: '' },
    ])
  })

  test('takes everything with it when the Application goes', async () => {
    const report = await change(base(''), { 'apps/web.yaml': null })
    expect(lines(report)).toEqual(['introduced error base/apps/web.yaml:1 protected-rbac/object-kept'])
  })
})

describe('a Kustomization that an Application names', () => {
  const files = {
    'web/kustomization.yaml': 'resources: [web.yaml]\n',
    'web/web.yaml': probe('web', 'a.example.com'),
  }
  const named = (kustomize: string, destination?: string) =>
    application('web', `  source:\n    repoURL: ${url}\n    path: ./web\n    kustomize: {${kustomize}}\n`, destination)

  test('is built with what the Application lays over it', async () => {
    const patch = `patches: [{target: {kind: Ingress}, patch: '[{"op": "replace", "path": "/spec/rules/0/host", "value": "b.example.com"}]'}]`
    expect(await hostsOf({ ...files, 'app.yaml': named(`namePrefix: pre-, ${patch}`) })).toEqual([
      'shop/pre-web b.example.com',
    ])
  })

  test('takes components in', async () => {
    const component = {
      'extra/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [more.yaml]\n',
      'extra/more.yaml': probe('more', 'more.example.com'),
    }
    expect(await hostsOf({ ...files, ...component, 'app.yaml': named('components: [../extra]') })).toEqual([
      'shop/more more.example.com',
      'shop/web a.example.com',
    ])
  })

  test.each(['https://github.com/acme/parts//tls?ref=v1', '../../../parts', '/parts'])(
    'is not built without the component %s, which is not in this repository',
    async (component) => {
      const report = await change(
        { ...files, 'app.yaml': named('') },
        { 'app.yaml': named(`components: ["${component}"]`) },
      )
      expect(lines(report)).toEqual(['introduced error head/app.yaml:1 source/unrendered'])
      expect(report.findings[0]?.text).toContain(
        `It includes ${component}, which is not in this repository; copy it into this repository and name the copy`,
      )
    },
  )

  test('is built without a component that may be missing', async () => {
    expect(
      await hostsOf({ ...files, 'app.yaml': named('components: [../extra], ignoreMissingComponents: true') }),
    ).toEqual(['shop/web a.example.com'])
  })

  test('is deployed no longer when the Application goes', async () => {
    const base = { 'web/kustomization.yaml': 'resources: [role.yaml]\n', 'web/role.yaml': role, 'app.yaml': named('') }
    const report = await change({ ...base, 'other.yaml': probe('x', 'covered.example.com') }, { 'app.yaml': null })
    expect(lines(report)).toEqual(['introduced error base/app.yaml:1 protected-rbac/object-kept'])
  })

  test('is not taken away by the Application that names it first', async () => {
    const base = { 'overlays/a/kustomization.yaml': 'resources: [role.yaml]\n', 'overlays/a/role.yaml': role }
    const app = application('web', `  source: {repoURL: ${url}, path: overlays/a}\n`, 'namespace: x, name: far')
    expect(lines(await change(base, { 'app.yaml': app }))).toEqual([])
  })
})

test('a folder of plain files is deployed no longer when its Application goes', async () => {
  const app = application('web', `  source: {repoURL: ${url}, path: plain}\n`)
  const report = await change(
    { ...chart, 'plain/role.yaml': role.replace('system:kube-controller-manager', 'view'), 'app.yaml': app },
    { 'app.yaml': null },
  )
  expect(lines(report)).toEqual(['introduced error base/app.yaml:1 protected-rbac/object-kept'])
  expect(report.inspected.skipped).toEqual([
    { path: 'plain/role.yaml', reason: 'an orphan: the Application web no longer deploys it' },
  ])
})

test('a file that its Application leaves is still read for a part that the change breaks', async () => {
  const app = application('web', `  source: {repoURL: ${url}, path: plain}\n`)
  const own =
    'v1alpha1apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: { name: shop, namespace: argocd }\n'
  const report = await change(
    { ...chart, 'plain/apps.yaml': `${own.replace('v1alpha1', '')}---\n${role}`, 'app.yaml': app },
    { 'app.yaml': null, 'plain/apps.yaml': `${own}---\n${role}` },
  )
  expect(lines(report)).toContain('introduced error head/plain/apps.yaml:1 source/unreadable')
  expect(report.findings.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('v1alpha1apiVersion of Application shop must be apiVersion'),
  )
})

describe('an ApplicationSet', () => {
  const set = (spec: string, template: string) =>
    object(
      'argoproj.io/v1alpha1',
      'ApplicationSet',
      'all',
      'argocd',
      `spec:\n${spec.replace(/^/gm, '  ')}\n  template:\n${template.replace(/^/gm, '    ')}\n`,
    )
  const fromList = `metadata: {name: 'web-{{name}}'}
spec:
  source:
    repoURL: ${url}
    path: charts/edge
    helm: {valuesObject: {host: '{{name}}.example.com'}}
  destination: {namespace: '{{values.where}}'}`

  test('of a list makes an Application of each element', async () => {
    const elements =
      'generators: [{list: {elements: [{name: a, values: {where: one}}, {name: b, values: {where: two}}]}}]'
    const { findings } = await whole({ ...chart, 'set.yaml': set(elements, fromList) })
    expect(findings.map(({ keys }) => keys)).toEqual([['a.example.com', 'b.example.com']])
    expect(findings[0]?.sources).toMatchObject([
      { release: 'web-a', namespace: 'one', values: ['the values in set.yaml'] },
      { release: 'web-b', namespace: 'two', values: ['the values in set.yaml'] },
    ])
  })

  const folders = {
    'apps/a/kustomization.yaml': 'resources: [i.yaml]\n',
    'apps/a/i.yaml': probe('i', 'a.example.com'),
    'apps/b/kustomization.yaml': 'resources: [i.yaml]\n',
    'apps/b/i.yaml': probe('i', 'b.example.com'),
    'apps/.c/x.yaml': 'x: 1\n',
  }
  const directories = (rules: string) => `generators: [{git: {repoURL: ${url}, directories: [${rules}]}}]`
  const template = (at: string, name: string) =>
    `metadata: {name: '${name}'}\nspec:\n  source: {repoURL: ${url}, path: '${at}'}\n  destination: {namespace: 'ns-${name}'}`

  test.each([
    ['as plain text', '', template('{{path}}', '{{path.basename}}')],
    ['as a Go template', 'goTemplate: true\n', template('{{.path.path}}', '{{.path.basename}}')],
  ])('of git directories makes one of each, filled %s', async (_, go, filled) => {
    expect(await hostsOf({ ...folders, 'set.yaml': set(`${go}${directories('{path: apps/*}')}`, filled) })).toEqual([
      'ns-a/i a.example.com',
      'ns-b/i b.example.com',
    ])
  })

  test('leaves out what it excludes, which then is tried by itself', async () => {
    const rules = directories('{path: apps/*}, {path: apps/b, exclude: true}')
    expect(await hostsOf({ ...folders, 'set.yaml': set(rules, template('{{path}}', '{{path.basename}}')) })).toEqual([
      'ns-a/i a.example.com',
      '/i b.example.com',
    ])
  })

  test('that excludes a folder takes away what it deployed', async () => {
    const files = { 'apps/a/kustomization.yaml': 'resources: [i.yaml]\n', 'apps/a/i.yaml': role }
    const of = (rules: string) => ({ 'set.yaml': set(directories(rules), template('{{path}}', '{{path.basename}}')) })
    const report = await change(
      { ...files, ...of('{path: "apps/*"}') },
      of('{path: "apps/*"}, {path: apps/a, exclude: true}'),
    )
    expect(lines(report)).toEqual(['introduced error head/set.yaml:7 protected-rbac/object-kept'])
  })

  test.each([
    [
      'generators: [{clusters: {}, selector: {matchLabels: {env: prod}}}]',
      'the clusters of its generator `clusters` are known to Argo CD alone, and not to this repository',
    ],
    ['generators: [{list: {elementsYaml: x}}]', 'the `elementsYaml` of its generator `list` cannot be read'],
    [
      'generators: [{plugin: {configMapRef: {name: a}}}]',
      'its generator `plugin` is not supported, only `list`, `git`, `clusters`, `matrix` and `merge` with their fields are',
    ],
    [
      'generators: [{matrix: {generators: [{list: {elements: [{}]}}]}}]',
      'its generator `matrix` does not have two generators, as Argo CD requires',
    ],
    [
      'generators: [{merge: {mergeKeys: [], generators: [{list: {elements: [{}]}}, {list: {elements: [{}]}}]}}]',
      'its generator `merge` does not have `mergeKeys` and two generators, as Argo CD requires',
    ],
    [
      'generators: [{list: {elements: []}, selector: {matchExpressions: [{key: a, operator: Gt, values: ["1"]}]}}]',
      'the selector of its generator has an unknown operator',
    ],
    ['templatePatch: x\ngenerators: [{list: {elements: [{}]}}]', 'its templatePatch cannot be read'],
    [
      'templatePatch: "a: {{b}}"\ngenerators: [{list: {elements: [{}]}}]',
      '{{b}} in its templatePatch cannot be filled in',
    ],
    ['generators: [{list: {elements: [{x: a}]}}]', '{{name}} in its template cannot be filled in'],
    [
      'generators: [{git: {repoURL: https://github.com/acme/other, directories: [{path: "*"}]}}]',
      'the directories of https://github.com/acme/other are not in this repository',
    ],
  ])('that says %s is not inspected', async (spec, reason) => {
    const { inspected } = await whole({ ...chart, 'set.yaml': set(spec, fromList) })
    expect(inspected.skipped).toEqual([{ path: 'set.yaml', reason: `ApplicationSet argocd/all: ${reason}` }])
  })
})

describe('plain manifests, in a repository that has nothing to render', () => {
  const files = {
    'apps/portal/role.yaml':
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: "system:portal"}\n',
    'argocd/portal.yaml': `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: portal}\nspec:\n  source: {repoURL: ${url}, path: apps/portal}\n`,
  }

  test('are deployed no longer when the Application goes', async () => {
    const report = await change(files, { 'argocd/portal.yaml': null })
    expect(lines(report)).toEqual(['introduced error base/argocd/portal.yaml:1 protected-rbac/object-kept'])
    expect(report.findings[0]?.location.note).toBe('this change deletes the file')
  })

  test('nor when it names a path that is not there', async () => {
    const typo = files['argocd/portal.yaml'].replace('apps/portal', 'apps/portl')
    const report = await change(files, { 'argocd/portal.yaml': typo })
    expect(lines(report)).toEqual([
      'introduced error head/argocd/portal.yaml:5 protected-rbac/object-kept',
      'introduced error head/argocd/portal.yaml:5 source/unrendered',
    ])
    expect(report.findings[1]?.text).toBe(
      'There is no folder apps/portl in this repository, so the objects deployed from it are no longer updated or removed; name an existing folder, or remove the object.',
    )
  })
})

describe('a folder whose manifests a plugin makes', () => {
  const app = (more: string) => application('portal', `  source: {repoURL: ${url}, path: apps/portal${more}}\n`)
  const base: Files = {
    'apps/portal/kustomization.yaml': 'resources: [role.yaml]\n',
    'apps/portal/role.yaml':
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: "system:portal"}\n',
    'argocd/portal.yaml': app(', plugin: {name: kustomize-with-helm}'),
  }

  test('is built as it is, but is reported when a plugin takes it over', async () => {
    expect(lines(await change(base, { 'argocd/portal.yaml': app('') }))).toEqual([])
    const report = await change({ ...base, 'argocd/portal.yaml': app('') }, base)
    expect(lines(report)).toEqual(['introduced error head/argocd/portal.yaml:8 source/unrendered'])
    expect(report.findings[0]?.text).toBe(
      'The objects that Application argocd/portal deploys can no longer be rendered, so this change to them cannot be checked: a plugin generates its manifests from apps/portal, so they are unknown.',
    )
  })

  test('loses what it no longer names', async () => {
    const report = await change(base, { 'apps/portal/kustomization.yaml': 'resources: []\nnamespace: portal\n' })
    expect(lines(report)).toEqual(['introduced error head/apps/portal/kustomization.yaml:1 protected-rbac/object-kept'])
  })

  test('is deployed no longer when its Application goes', async () => {
    const report = await change(base, { 'argocd/portal.yaml': null })
    expect(lines(report)).toEqual(['introduced error base/argocd/portal.yaml:1 protected-rbac/object-kept'])
  })
})
