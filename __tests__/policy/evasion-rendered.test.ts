import { describe, expect, test } from '@jest/globals'
import { configMap, role } from '../source/objects'
import { judgeChange, places } from '../source/rendered'
import type { Files } from '../source/repository'

const name = 'system:kube-controller-manager'
const kept = 'protected-rbac/object-kept'
const uncovered = 'ingress-tls/host-covered'
const unrendered = 'source/unrendered'
const config = '.github/ingress-guard.yaml'

const covered = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
  namespace: shop
spec:
  tls:
    - hosts: [a.example.com]
      secretName: web-tls
  rules:
    - host: a.example.com
`
const hole = `${covered}    - host: evil.example.com\n`
const application = (path: string, more = '') => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: default}
  source:
    repoURL: https://github.com/example/web
    path: ${path}
${more}`
const declares = (...lines: string[]) =>
  `format: 1\n${lines.length > 0 ? `helm:\n${lines.map((line) => `  - ${line}\n`).join('')}` : ''}`
const resources = (...files: string[]) => `resources: [${files.join(', ')}]\n`
const component = `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n${resources('ingress.yaml')}`

const chart = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'chart/values.yaml': 'rbac: true\nhosts:\n  - a.example.com\n',
  'chart/templates/ingress.yaml': covered.replace(
    '    - host: a.example.com\n',
    '    {{- range .Values.hosts }}\n    - host: {{ . }}\n    {{- end }}\n',
  ),
  'chart/templates/role.yaml': `{{- if .Values.rbac }}\n${role(name)}{{- end }}\n`,
}
const widened = { 'chart/values.yaml': `${chart['chart/values.yaml']}  - evil.example.com\n` }
const widenedAt = `head/chart/values.yaml:4 values ${uncovered}`

/** The introduced findings but those that only say that the config changes. */
async function introduced(base: Files, head: Files): Promise<string[]> {
  return places(await judgeChange(base, head)).filter((place) => !place.includes('config/changed'))
}

describe('a host without TLS comes with a rendering in which it does not show', () => {
  const release = '{chart: chart, release: web, namespace: default}'
  const quiet = '{chart: chart, release: web, namespace: default, set: {hosts: []}}'

  test.each<[string, Files, Files]>([
    [
      'an Application gives the chart other values',
      {},
      { 'a.yaml': application('chart', '    helm: {valuesObject: {hosts: []}}\n') },
    ],
    ['the config declares a release with other values', { [config]: declares() }, { [config]: declares(quiet) }],
    ['the config gives a release other values', { [config]: declares(release) }, { [config]: declares(quiet) }],
    [
      'a set of values comes, so that the chart’s own are tried alone no more',
      {},
      { 'chart/values-x.yaml': 'hosts: []\n' },
    ],
  ])('%s', async (_, base, head) => {
    expect(await introduced({ ...chart, ...base }, { ...widened, ...head })).toEqual([widenedAt])
  })

  test('the config declares a release no longer', async () => {
    expect(await introduced({ ...chart, [config]: declares(release) }, { ...widened, [config]: declares() })).toEqual([
      `base/${config}:3 exact ${kept}`,
      widenedAt,
    ])
  })

  test('an Application patches it out of a Kustomization', async () => {
    const patch =
      '    kustomize:\n      patches:\n        - target: {kind: Ingress}\n          patch: |-\n            - {op: remove, path: /spec/rules/1}\n'
    const head = { 'app/ingress.yaml': hole, 'a.yaml': application('app', patch) }
    expect(
      await introduced({ 'app/kustomization.yaml': resources('ingress.yaml'), 'app/ingress.yaml': covered }, head),
    ).toEqual([`head/app/ingress.yaml:12 exact ${uncovered}`])
  })

  test('a library becomes a chart that is installed', async () => {
    const library = { ...chart, 'chart/Chart.yaml': `${chart['chart/Chart.yaml']}type: library\n`, ...widened }
    expect(await introduced(library, { 'chart/Chart.yaml': chart['chart/Chart.yaml'] })).toEqual([
      `base/chart/Chart.yaml:4 exact ${uncovered}`,
    ])
  })

  test.each([
    ['a component becomes a Kustomization', component, resources('ingress.yaml')],
    ['a Kustomization becomes a component', resources('ingress.yaml'), component],
  ])('%s', async (_, before, after) => {
    const base = { 'app/kustomization.yaml': before, 'app/ingress.yaml': covered }
    expect(await introduced(base, { 'app/kustomization.yaml': after, 'app/ingress.yaml': hole })).toEqual([
      `head/app/ingress.yaml:12 exact ${uncovered}`,
    ])
  })
})

describe('a manifest stays where it is applied from, and something comes over it that does not render it', () => {
  const plain = { 'app/ingress.yaml': covered, 'app/map.yaml': configMap('x') }
  const orphan = 'an orphan: the Kustomization of app does not list it'

  test.each<[string, Files, Files, string]>([
    ['a Kustomization that does not name it', plain, { 'app/kustomization.yaml': resources('map.yaml') }, orphan],
    [
      'a Kustomization that makes a ConfigMap of it',
      plain,
      {
        'app/kustomization.yaml': `${resources('map.yaml')}configMapGenerator: [{name: files, files: [ingress.yaml]}]\n`,
      },
      'a part of the Kustomization app/kustomization.yaml',
    ],
    [
      'a Kustomization, and it comes with it',
      { 'app/map.yaml': configMap('x') },
      { 'app/kustomization.yaml': resources('map.yaml') },
      orphan,
    ],
  ])('%s', async (_, base, head, reason) => {
    const report = await judgeChange(base, { 'app/ingress.yaml': hole, ...head })
    expect(places(report)).toEqual([`head/app/ingress.yaml:1 exact ${unrendered}`])
    expect(report.findings[0]?.text).toBe(
      `After this change nothing deploys Ingress shop/web from this file: it is ${reason}. Before, manifests here were applied as plain files. Add the file to a source that is deployed, or delete it.`,
    )
  })

  test.each(['files', 'ci', 'tests', 'templates'])('a chart that passes over its folder %s', async (folder) => {
    const head = { 'Chart.yaml': chart['chart/Chart.yaml'], '.helmignore': 'templates/ingress.yaml\n' }
    const file = `${folder}/ingress.yaml`
    expect(await introduced({ [file]: covered }, { ...head, [file]: hole })).toEqual([
      `head/${file}:1 exact ${unrendered}`,
    ])
  })

  test('it is a protected object', async () => {
    const head = { 'app/kustomization.yaml': resources('map.yaml') }
    expect(await introduced({ 'app/role.yaml': role(name), 'app/map.yaml': configMap('x') }, head)).toEqual([
      `base/app/role.yaml:1 exact ${kept}`,
      `head/app/role.yaml:1 exact ${unrendered}`,
    ])
  })
})

describe('a change that hides objects that were seen', () => {
  test('a Kustomization that takes in what is elsewhere can be built no more', async () => {
    const remote = '"https://github.com/example/web//deploy?ref=v1"'
    const base = { 'app/kustomization.yaml': resources('role.yaml', remote), 'app/role.yaml': role(name) }
    const report = await judgeChange(base, { 'app/kustomization.yaml': resources('none.yaml', remote) })
    expect(places(report)).toEqual([`head/app/kustomization.yaml:1 exact ${unrendered}`])
    expect(report.findings[0]?.text).toContain(`It is unknown whether this change keeps ClusterRole ${name}.`)
  })

  test.each([
    [
      'takes a value from a file',
      '    helm: {fileParameters: [{name: x, path: x}]}\n',
      'its fileParameters are not supported',
      [],
    ],
    [
      'has a plugin make its manifests',
      '    plugin: {name: x}\n',
      'a plugin generates its manifests from chart, so they are unknown',
      ['head/chart/values.yaml:4 values ingress-tls/host-covered'],
    ],
  ])('an Application of a chart %s', async (_, more, reason, seen) => {
    const { 'chart/templates/role.yaml': __, ...web } = chart
    const head = { ...widened, 'a.yaml': application('chart', more) }
    const report = await judgeChange({ ...web, 'a.yaml': application('chart') }, head)
    expect(places(report)).toEqual([`head/a.yaml:9 exact ${unrendered}`, ...seen])
    expect(report.findings[0]?.text).toBe(
      `The objects that Application argocd/web deploys can no longer be rendered, so this change to them cannot be checked: ${reason}.`,
    )
  })

  test('a Kustomization moves to where a component includes it that nothing takes in', async () => {
    const head = {
      'app/kustomization.yaml': null,
      'app/ingress.yaml': null,
      'web/kustomization.yaml': resources('ingress.yaml'),
      'web/ingress.yaml': hole,
      'idle/kustomization.yaml': component.replace('ingress.yaml', '../web'),
    }
    expect(
      await introduced({ 'app/kustomization.yaml': resources('ingress.yaml'), 'app/ingress.yaml': covered }, head),
    ).toEqual([`head/web/ingress.yaml:12 exact ${uncovered}`])
  })

  test('a chart moves and requires a value that is not set', async () => {
    const moved = Object.fromEntries(
      Object.entries({ ...chart, ...widened }).flatMap(([file, text]) => [
        [file, null],
        [
          file.replace('chart/', 'web/'),
          `${text}${file.endsWith('ingress.yaml') ? '# {{ required "x" .Values.x }}\n' : ''}`,
        ],
      ]),
    )
    const report = await introduced(chart, { ...moved, 'role.yaml': role(name) })
    expect(report).toEqual([`head/web/templates/ingress.yaml:14 exact ${unrendered}`])
  })

  test.each(['test', 'pre-delete, post-rollback'])('a protected object becomes a hook of %s', async (hook) => {
    const annotated = `${role(name)}  annotations: {helm.sh/hook: "${hook}"}\n`
    const text = chart['chart/templates/role.yaml'].replace(role(name), annotated)
    expect(await introduced(chart, { 'chart/templates/role.yaml': text })).toEqual([
      `head/chart/templates/role.yaml:6 template ${kept}`,
    ])
  })
})

describe('a template that comes to something else once the release is there', () => {
  test('leaves a protected object out of upgrades', async () => {
    const text = chart['chart/templates/role.yaml'].replace('.Values.rbac', '.Release.IsInstall')
    expect(await introduced(chart, { 'chart/templates/role.yaml': text })).toEqual([
      `head/chart/templates/role.yaml:1 template ${kept}`,
    ])
  })

  test('adds a host in upgrades', async () => {
    const text = `${covered}    {{- if .Release.IsUpgrade }}\n    - host: evil.example.com\n    {{- end }}\n`
    expect(await introduced(chart, { 'chart/templates/ingress.yaml': text })).toEqual([
      'warning base/chart/templates/ingress.yaml:11 exact source/value-unread',
      `head/chart/templates/ingress.yaml:13 template ${uncovered}`,
    ])
  })

  test('is rendered as for Argo CD, to which every time is the first', async () => {
    const text = chart['chart/templates/role.yaml'].replace('.Values.rbac', '.Release.IsInstall')
    const base = { ...chart, 'a.yaml': application('chart') }
    expect(await introduced(base, { 'chart/templates/role.yaml': text })).toEqual([])
  })

  test('may refuse an upgrade', async () => {
    const text = `{{ if .Release.IsUpgrade }}{{ fail "give the password" }}{{ end }}\n${configMap('x')}`
    expect(await introduced(chart, { 'chart/templates/map.yaml': text })).toEqual([])
  })
})

describe('a file that is no longer deployed is edited, to come back later', () => {
  const map = { 'web/map.yaml': configMap('x') }
  const web = { ...map, 'web/kustomization.yaml': resources('map.yaml', 'ingress.yaml'), 'web/ingress.yaml': covered }
  const over = { ...web, 'over/kustomization.yaml': resources('../web', 'map.yaml'), 'over/map.yaml': configMap('y') }
  const release = { ...chart, 'chart/templates/role.yaml': configMap('x'), 'a.yaml': application('chart') }
  const cases: [string, Files, Files, Files, string][] = [
    [
      'a file of a Kustomization',
      web,
      { 'web/kustomization.yaml': resources('map.yaml') },
      { 'web/ingress.yaml': hole },
      'web/ingress.yaml',
    ],
    [
      'a file of a folder that is included',
      over,
      { 'over/kustomization.yaml': resources('map.yaml') },
      { 'web/ingress.yaml': hole },
      'web/ingress.yaml',
    ],
    ['a chart', release, { 'a.yaml': null }, widened, 'chart/values.yaml'],
  ]

  test.each(cases)('%s', async (_, base, drop, edit, file) => {
    const report = await judgeChange(base, { ...drop, ...edit })
    expect(places(report)).toEqual([`head/${file}:1 exact ${unrendered}`])
    expect(report.findings[0]?.text).toBe(
      'This change edits a file that is no longer deployed, so the edit cannot be checked. Restore what deployed the file, delete it, or revert the edit.',
    )
    expect(await introduced(base, drop)).toEqual([])
  })
})

describe('a routine change stays silent', () => {
  const plain = { 'app/ingress.yaml': hole, 'app/role.yaml': role(name) }
  const kustomized = { 'app/kustomization.yaml': resources('ingress.yaml', 'role.yaml'), ...plain }

  test.each<[string, Files, Files, string[]?]>([
    [
      'a Kustomization that names the files that are there',
      plain,
      { 'app/kustomization.yaml': kustomized['app/kustomization.yaml'] },
    ],
    [
      'a Kustomization that prefixes names',
      { 'app/ingress.yaml': covered },
      { 'app/kustomization.yaml': `namePrefix: my-\n${resources('ingress.yaml')}` },
    ],
    [
      'manifests that move into a chart which renders them',
      plain,
      {
        'app/ingress.yaml': null,
        'app/role.yaml': null,
        'app/Chart.yaml': chart['chart/Chart.yaml'],
        'app/templates/ingress.yaml': hole.replace(
          '  name: web\n',
          '  name: web\n  labels: {app: "{{ .Release.Name }}"}\n',
        ),
        'app/templates/role.yaml': role(name),
      },
    ],
    ['an Application for a folder of manifests', plain, { 'a.yaml': application('app') }],
    ['an Application for a Kustomization', kustomized, { 'a.yaml': application('app') }],
    ['an Application for a chart', { ...chart, ...widened }, { 'a.yaml': application('chart') }],
    [
      'an Application that goes while one of a chart elsewhere comes',
      { ...chart, 'chart/templates/role.yaml': configMap('x'), 'a.yaml': application('chart') },
      { 'a.yaml': null, 'b.yaml': application('.').replace('name: web', 'name: db').replace('path: .', 'chart: db') },
      // The objects of the chart are not seen, and the report says so.
      ['notice head/b.yaml:1 exact source/not-judged'],
    ],
    [
      'a declaration of a chart',
      { ...chart, [config]: declares() },
      { [config]: declares('{chart: chart, release: web, namespace: web}') },
    ],
    ['a first set of values', chart, { 'chart/values-prod.yaml': 'hosts: [a.example.com]\n' }],
    [
      'a folder becomes a base and an overlay that patches it',
      { 'prod/ingress.yaml': covered },
      {
        'base/kustomization.yaml': resources('ingress.yaml'),
        'base/ingress.yaml': covered,
        'prod/kustomization.yaml': `${resources('../base')}patches: [{path: ingress.yaml}]\n`,
        'prod/ingress.yaml':
          'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop, labels: {env: prod}}\n',
      },
    ],
  ])('%s', async (_, base, head, said = []) => {
    expect(await introduced(base, head)).toEqual(said)
  })
})
