import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { ingress, role } from './objects'
import { places, tool } from './rendered'
import type { Files } from './repository'

const isolated = 'controller-scope/namespace-isolated'
const unrendered = 'source/unrendered'

async function judge(base: Files, head: Files) {
  const tools = ['--helm', tool('helm'), '--kustomize', tool('kubectl')]
  const policies = ['ingress-tls@1.0.0', 'controller-scope@1.1.0', 'protected-rbac@1.0.0']
  return checkOpened(opened(base, head), ...tools, '--policy', ...policies)
}

const kustomization = (...lines: string[]) =>
  `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n${lines.map((line) => `${line}\n`).join('')}`

/** A Kustomization of ingress-nginx: its values begin at line 8, below 4 blanks. */
const edge = (values: readonly string[], ...more: string[]) =>
  kustomization(
    'helmCharts:',
    '  - name: ingress-nginx',
    '    repo: https://kubernetes.github.io/ingress-nginx',
    '    version: 4.12.1',
    '    releaseName: edge',
    ...values.map((line) => `    ${line}`),
    ...more,
  )

const scoped = 'controller:\n  scope:\n    enabled: true\n'
const unscoped = 'controller:\n  scope:\n    enabled: false\n'
const inline = (text: string) => ['valuesInline:', ...text.trimEnd().replace(/^/gm, '  ').split('\n')]

/** Another release in the cluster, which keeps to its namespace. */
const other: Files = {
  'other/kustomization.yaml': edge(['namespace: other', ...inline(scoped)]),
}

describe('a chart from elsewhere that a Kustomization inflates', () => {
  test.each([
    ['in its own lines', edge(['namespace: a', ...inline(scoped)]), edge(['namespace: a', ...inline(unscoped)]), 12],
    [
      'taken from its own lines',
      edge(['namespace: a', ...inline(scoped)]),
      edge(['namespace: a', 'valuesInline:', '  controller:', '    replicaCount: 2']),
      10,
    ],
  ])('is judged by its values: %s', async (_, before, after, line) => {
    const report = await judge({ ...other, 'a/kustomization.yaml': before ?? '' }, { 'a/kustomization.yaml': after })
    expect(places(report)).toEqual([`head/a/kustomization.yaml:${line} values ${isolated}`])
    expect(report.findings[0]?.text).toContain('HelmChart a/edge and HelmChart other/edge both serve')
    expect(report.inspected.skipped).toContainEqual({
      path: 'a/kustomization.yaml',
      reason: 'the chart ingress-nginx of https://kubernetes.github.io/ingress-nginx is not in this repository',
    })
  })

  const both = (mode: string) => edge(['namespace: a', 'valuesFile: v.yaml', `valuesMerge: ${mode}`, ...inline(scoped)])
  const modes: [what: string, kustomization: string, expected: string[]][] = [
    ['in a file', edge(['namespace: a', 'valuesFile: v.yaml']), [`head/a/v.yaml:3 values ${isolated}`]],
    ['in a file, below the inline values', both('override'), []],
    ['in a file, over the inline values', both('merge'), [`head/a/v.yaml:3 values ${isolated}`]],
    ['in a file that does not count', both('replace'), []],
    [
      'in a further file',
      edge(['namespace: a', ...inline(scoped), 'additionalValuesFiles: [v.yaml]']),
      [`head/a/v.yaml:3 values ${isolated}`],
    ],
    [
      'in one of two files, where the additional one wins',
      edge(['namespace: a', 'valuesFile: v.yaml', 'additionalValuesFiles: [w.yaml]']),
      [],
    ],
  ]
  test.each(modes)('is judged by its values: %s', async (_, text, expected) => {
    const base = { ...other, 'a/kustomization.yaml': text, 'a/v.yaml': scoped, 'a/w.yaml': scoped }
    expect(places(await judge(base, { 'a/v.yaml': unscoped }))).toEqual(expected)
  })

  test('by a generator', async () => {
    const generator = (enabled: boolean) =>
      `apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: edge}\nname: ingress-nginx\nreleaseName: edge\nnamespace: a\nrepo: https://kubernetes.github.io/ingress-nginx\nversion: 4.12.1\nvaluesInline:\n  controller:\n    scope:\n      enabled: ${enabled}\n`
    const base = {
      ...other,
      'a/kustomization.yaml': kustomization('generators: [./edge.yaml]', 'resources: [role.yaml]'),
      'a/edge.yaml': generator(true),
      'a/role.yaml': role('system:discovery'),
    }
    expect(places(await judge(base, { 'a/edge.yaml': generator(false) }))).toEqual([
      `head/a/edge.yaml:12 values ${isolated}`,
    ])
    expect(places(await judge(base, { 'a/kustomization.yaml': kustomization('generators: [edge.yaml]') }))).toEqual([
      'base/a/kustomization.yaml:4 exact protected-rbac/object-kept',
    ])
  })

  test('is in the namespace that the outermost Kustomization gives', async () => {
    const base = {
      ...other,
      'edge/kustomization.yaml': edge(inline(scoped), 'namespace: inner'),
      'a/kustomization.yaml': kustomization('namespace: outer', 'resources: [../edge]'),
    }
    const report = await judge(base, { 'edge/kustomization.yaml': edge(inline(unscoped), 'namespace: inner') })
    expect(places(report)).toEqual([`head/edge/kustomization.yaml:11 values ${isolated}`])
    expect(report.findings[0]?.text).toContain('HelmChart outer/edge')
  })

  test('is in the clusters of those that take it in', async () => {
    const base = {
      'edge/kustomization.yaml': edge(['namespace: a', ...inline(scoped)]),
      'clusters/prod/kustomization.yaml': kustomization('resources: [../../edge]'),
      'clusters/test/kustomization.yaml': kustomization('resources: [../../edge]'),
      'clusters/test/other/kustomization.yaml': edge(['namespace: other', ...inline(scoped)]),
    }
    const report = await judge(base, {
      'edge/kustomization.yaml': edge(['namespace: a', ...inline(unscoped)]),
    })
    expect(places(report)).toEqual([`head/edge/kustomization.yaml:12 values ${isolated}`])
    expect(report.findings[0]?.sources.map(({ cluster }) => cluster)).toEqual(['clusters/test'])
  })

  test('whose arguments are patched is not judged by its values', async () => {
    const patch = [
      'patches:',
      '  - target: {kind: Deployment}',
      '    patch: |-',
      '      - {op: add, path: /spec/template/spec/containers/0/args/-, value: --watch-namespace=a}',
    ]
    const [before, after] = [scoped, unscoped].map((values) => edge(['namespace: a', ...inline(values)], ...patch))
    const report = await judge(
      { ...other, 'a/kustomization.yaml': before ?? '' },
      { 'a/kustomization.yaml': after ?? '' },
    )
    expect(places(report)).toEqual([])
  })

  test('is compared with releases of other forms, in files that the change leaves alone', async () => {
    const application =
      'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: other, namespace: argocd}\nspec:\n  destination: {namespace: other}\n  source:\n    chart: ingress-nginx\n    repoURL: https://kubernetes.github.io/ingress-nginx\n    targetRevision: 4.12.1\n    helm:\n      valuesObject: {controller: {scope: {enabled: true}}}\n'
    const files = { 'apps/other.yaml': application, 'a/kustomization.yaml': edge(['namespace: a', ...inline(scoped)]) }
    const mine = await judge(files, { 'a/kustomization.yaml': edge(['namespace: a', ...inline(unscoped)]) })
    expect(places(mine)).toEqual([`head/a/kustomization.yaml:12 values ${isolated}`])
    const theirs = await judge(files, { 'apps/other.yaml': application.replace('true', 'false') })
    expect(places(theirs)).toEqual([`head/apps/other.yaml:11 values ${isolated}`])
  })
})

describe('the entries of a Kustomization beside a chart from elsewhere', () => {
  const unknown = (...more: string[]) =>
    kustomization('helmCharts:', '  - {name: web, repo: https://charts.example.com, version: 1.0.0}', ...more)

  test('is judged, and the chart is listed', async () => {
    const base = {
      'a/kustomization.yaml': kustomization('resources: [role.yaml]'),
      'a/role.yaml': role('system:discovery'),
    }
    const report = await judge(base, { 'a/kustomization.yaml': unknown() })
    expect(places(report)).toEqual([
      'head/a/kustomization.yaml:3 exact protected-rbac/object-kept',
      'notice head/a/kustomization.yaml:3 exact source/not-judged',
    ])
    expect(report.inspected.skipped).toContainEqual({
      path: 'a/kustomization.yaml',
      reason: 'the chart web of https://charts.example.com is not in this repository',
    })
  })

  test('may patch what the chart brings', async () => {
    const patch = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n'
    const files = { 'a/kustomization.yaml': unknown('patches: [{path: patch.yaml}]'), 'a/patch.yaml': patch }
    const report = await judge({ 'b.yaml': role('x') }, files)
    expect(places(report)).toEqual(['notice head/a/kustomization.yaml:1 exact source/not-judged'])
    expect(report.inspected.skipped.map(({ reason }) => reason).join()).toContain('kustomize cannot build it')
    const bumped = await judge(files, { 'a/patch.yaml': patch.replace('2', '3') })
    expect(places(bumped).filter((place) => !/^notice .* source\/not-judged$/.test(place))).toEqual([])
  })

  test('may patch what the chart brings, which is judged by its values all the same', async () => {
    const patch = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: edge}\nspec: {replicas: 2}\n'
    const own = (values: string) =>
      edge(['namespace: a', ...inline(values)], 'patches: [{path: patch.yaml}]', 'resources: [role.yaml]')
    const base = {
      ...other,
      'a/kustomization.yaml': own(scoped),
      'a/patch.yaml': patch,
      'a/role.yaml': role('system:discovery'),
    }
    const report = await judge(base, { 'a/kustomization.yaml': own(unscoped) })
    expect(places(report)).toEqual([`head/a/kustomization.yaml:12 values ${isolated}`])
    expect(report.inspected.skipped.map(({ reason }) => reason).join()).toContain(
      'it was read without patches of Deployment edge',
    )
  })

  test('is an error where it does not build', async () => {
    const files = { 'a/kustomization.yaml': unknown('resources: [gone.yaml]') }
    expect(places(await judge({ 'b.yaml': role('x') }, files))).toEqual([
      `head/a/kustomization.yaml:5 exact ${unrendered}`,
    ])
  })

  test('is an error, once, where it built before', async () => {
    const base = { 'a/kustomization.yaml': edge(['namespace: a', ...inline(scoped)]) }
    const head = { 'a/kustomization.yaml': edge(['namespace: a', ...inline(scoped)], 'resources: [gone.yaml]') }
    expect(places(await judge(base, head))).toEqual([`head/a/kustomization.yaml:13 exact ${unrendered}`])
  })

  test('a chart that is nowhere is an error', async () => {
    const report = await judge({}, { 'a/kustomization.yaml': kustomization('helmCharts: [{name: web}]') })
    expect(report.findings.map(({ text }) => text)).toEqual([
      'Its chart web is not in a/charts/web; run `helm pull --untar` into a/charts and commit it.',
    ])
  })

  test.each([
    ['that leaves the repository', 'helmCharts:\n  - {name: web, repo: https://charts.example.com, version: 1.0.0}'],
    [
      'that another version takes the place of',
      'helmCharts:\n  - {name: web, repo: https://charts.example.com, version: 2.0.0}',
    ],
  ])('a chart %s is an error: what it rendered is not known', async (_, after) => {
    const at = 'a/charts/web-1.0.0/web'
    const base = {
      'a/kustomization.yaml': unknown(),
      [`${at}/Chart.yaml`]: 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      [`${at}/values.yaml`]: '{}\n',
      [`${at}/templates/role.yaml`]: role('system:discovery'),
      [`${at}/templates/web.yaml`]: ingress('web', ['a.example.com'], ['a.example.com']),
    }
    const gone = Object.fromEntries(Object.keys(base).map((file) => [file, null]))
    const report = await judge(base, { ...gone, 'a/kustomization.yaml': kustomization(after) })
    expect(places(report)).toEqual([`head/a/kustomization.yaml:4 exact ${unrendered}`])
    expect(report.findings[0]?.text).toContain('It is unknown whether this change keeps ')
    expect(report.findings[0]?.text).toContain('ClusterRole system:discovery')
  })
})
