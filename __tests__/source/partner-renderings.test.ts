import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { binding, configMap, role, stream } from './objects'
import { judgeChange } from './rendered'
import type { Files } from './repository'

/** The change takes a role away that is a file of its own. */
async function withoutRole(name: string, app: Files, at = 'role.yaml') {
  const report = await judgeChange({ [at]: role(name), ...app }, { [at]: null }, 'helm', ['protected-rbac@1.1.0'])
  return { rendered: report.inspected.head.rendered, lines: lines(report) }
}

const bound = ['introduced error base/role.yaml:1 protected-rbac/binding-resolves']

describe('a Kustomization that the change does not touch is rendered', () => {
  test.each<[what: string, name: string, kustomization: string, more?: Files]>([
    ['where an object of the kind names it', 'edge', 'resources: [binding.yaml]\nnamespace: x\n'],
    ['where a prefix makes the name', 'a-edge', 'resources: [binding.yaml, role.yaml]\nnamePrefix: a-\n'],
    [
      'where a patch writes the name',
      'other',
      'resources: [binding.yaml]\npatches:\n  - {target: {kind: ClusterRoleBinding}, patch: "[{op: replace, path: /roleRef/name, value: other}]"}\n',
    ],
    [
      'where a replacement may write the name',
      'other',
      'resources: [binding.yaml, map.yaml]\nreplacements:\n  - source: {kind: ConfigMap, name: map, fieldPath: data.key}\n    targets: [{select: {kind: ClusterRoleBinding}, fieldPaths: [roleRef.name]}]\n',
      { 'app/map.yaml': configMap('map', 'other') },
    ],
    [
      'where a variable may write the name',
      'other-role',
      'resources: [binding.yaml, map.yaml]\nvars: [{name: NAME, objref: {kind: ConfigMap, name: map, apiVersion: v1}, fieldref: {fieldPath: data.key}}]\n',
      { 'app/map.yaml': configMap('map', 'other') },
    ],
    [
      'where a list has the object',
      'edge',
      'resources: [list.yaml]\nnamespace: x\n',
      {
        'app/list.yaml': JSON.stringify({
          apiVersion: 'v1',
          kind: 'List',
          items: [
            {
              kind: 'ClusterRoleBinding',
              apiVersion: 'rbac.authorization.k8s.io/v1',
              metadata: { name: 'edge' },
              roleRef: { kind: 'ClusterRole', name: 'edge', apiGroup: 'rbac.authorization.k8s.io' },
            },
          ],
        }),
      },
    ],
  ])('%s', async (_, name, kustomization, more = {}) => {
    const app = {
      'app/kustomization.yaml': kustomization,
      'app/binding.yaml': binding('edge'),
      'app/role.yaml': role('edge'),
    }
    const { rendered } = await withoutRole(name, { ...app, ...more })
    expect(rendered).toBe(1)
  })

  test('and its finding is reported', async () => {
    const app = {
      'app/kustomization.yaml': 'resources: [binding.yaml]\nnamespace: x\n',
      'app/binding.yaml': `${binding('edge')}subjects: [{kind: User, name: ada}]\n`,
    }
    expect((await withoutRole('edge', app)).lines).toEqual(bound)
  })
})

test('a Kustomization that generates an object is rendered for its name with a hash, and for no other', async () => {
  const app = { 'app/kustomization.yaml': 'configMapGenerator: [{name: settings, literals: [a=b]}]\n' }
  // A removed account is looked for in objects of every kind.
  const renderedFor = async (name: string) => {
    const account = `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ${name}\n`
    const report = await judgeChange({ 'a.yaml': account, ...app }, { 'a.yaml': null }, 'helm', [
      'protected-rbac@1.1.0',
    ])
    return report.inspected.head.rendered
  }
  expect(await renderedFor('settings-89m2h2c2c7')).toBe(1)
  expect(await renderedFor('others-89m2h2c2c7')).toBe(0)
})

describe('a Kustomization that the change does not touch is not rendered', () => {
  test.each<[what: string, app: Files]>([
    [
      'where objects of other kinds alone name it',
      {
        'app/kustomization.yaml': 'resources: [all.yaml]\nnamespace: x\n',
        'app/all.yaml': stream(binding('other'), configMap('edge', 'edge')),
      },
    ],
    [
      'where a prefix cannot make the name',
      { 'app/kustomization.yaml': 'resources: [all.yaml]\nnamePrefix: a-\n', 'app/all.yaml': binding('other') },
    ],
    [
      'where a file that it does not take in has such an object',
      {
        'app/kustomization.yaml': 'resources: [all.yaml]\nnamespace: x\n',
        'app/all.yaml': binding('other'),
        'app/README.md': binding('edge'),
      },
    ],
  ])('%s', async (_, app) => {
    expect(await withoutRole('edge', app)).toEqual({ rendered: 0, lines: [] })
  })

  test('where it is in the folder of another cluster', async () => {
    const app = (folder: string) => ({
      [`${folder}/app/kustomization.yaml`]: 'resources: [binding.yaml]\nnamespace: x\n',
      [`${folder}/app/binding.yaml`]: binding('edge'),
    })
    const at = 'clusters/east/role.yaml'
    expect((await withoutRole('edge', app('clusters/west'), at)).rendered).toBe(0)
    expect((await withoutRole('edge', app('clusters/east'), at)).rendered).toBe(1)
  })
})

describe('charts that are not in the repository', () => {
  const chart =
    'name: edge\nrepo: https://charts.example.com\nversion: 1.0.0\nreleaseName: edge\nvaluesFile: values.yaml\n'
  const entry = chart.trimEnd().replaceAll('\n', '\n    ')
  const generator = `apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: edge}\n${chart}`
  /** The change is to a ConfigMap that a controller may take its settings from. */
  async function renderedFor(app: Files) {
    const settings = (value: string) => configMap('edge-settings', value).replace('key:', 'ingress-class:')
    const report = await judgeChange(
      {
        'settings.yaml': settings('one'),
        'app/values.yaml': 'replicas: 1\n',
        'app/map.yaml': configMap('other'),
        ...app,
      },
      { 'settings.yaml': settings('two') },
      'helm',
      ['controller-scope@1.1.0'],
    )
    return report.inspected.head.rendered
  }
  const ofField = { 'app/kustomization.yaml': `resources: [map.yaml]\nhelmCharts:\n  - ${entry}\n` }
  const ofGenerator = {
    'app/kustomization.yaml': 'resources: [map.yaml]\ngenerators: [chart.yaml]\n',
    'app/chart.yaml': generator,
  }

  test.each([
    ['of helmCharts', ofField],
    ['of a generator', ofGenerator],
  ])('%s are rendered for what their values name alone', async (_, app) => {
    expect(await renderedFor(app)).toBe(0)
    expect(await renderedFor({ ...app, 'app/values.yaml': 'controller: {config: edge-settings}\n' })).toBe(1)
  })

  test('are rendered beside a chart that is there', async () => {
    const here = {
      'app/charts/edge/Chart.yaml': 'apiVersion: v2\nname: edge\nversion: 1.0.0\n',
      'app/charts/edge/templates/map.yaml': configMap('{{ .Values.name }}', 'x'),
    }
    const local = entry.replace(/repo: .*\n {4}version: .*\n {4}/, '')
    const both = `resources: [map.yaml]\nhelmCharts:\n  - ${local}\n  - ${entry.replace('name: edge', 'name: other')}\n`
    expect(await renderedFor({ ...here, 'app/kustomization.yaml': both })).toBe(1)
  })

  test('are rendered beside a plugin of another kind', async () => {
    const labels = 'apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: labels}\nlabels: {a: b}\n'
    const app = {
      'app/kustomization.yaml': 'resources: [map.yaml]\ngenerators: [chart.yaml]\ntransformers: [labels.yaml]\n',
    }
    // The output of a transformer is not followed.
    const named = { ...ofGenerator, ...app, 'app/labels.yaml': labels }
    expect(await renderedFor(named)).toBe(1)
  })
})
