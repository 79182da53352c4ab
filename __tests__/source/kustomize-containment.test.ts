import { describe, expect, test } from '@jest/globals'
import { asItem, each, flux, outer, plugin, readAs, said, unknown, url } from './kustomize-containment'
import { ingress } from './objects'

describe('a key that names places is read in its documented form alone', () => {
  test('a file of the runner that a generator would read, through a replacement into a host', async () => {
    const head = {
      'web/ingress.yaml': ingress('web', ['a.example.com'], ['a.example.com']),
      'web/kustomization.yaml': `resources: [ingress.yaml]
configMapGenerator:
  - name: copy
    Files: [${outer}/secret.txt]
replacements:
  - source: {kind: ConfigMap, name: copy, fieldPath: "data.[secret.txt]"}
    targets: [{select: {kind: Ingress}, fieldPaths: [spec.rules.0.host]}]
`,
      'flux-web.yaml': flux.replace('./honest', './web').replace('name: apps,', 'name: web,'),
    }
    expect(await said(head)).toEqual([`web/kustomization.yaml:4 ${readAs('Files', 'files')}`])
  })

  test('a URL that a generator would fetch', async () => {
    const head = {
      'web/kustomization.yaml': `ConfigMapGenerator:\n  - name: copy\n    files: ["page=${url}/page"]\n`,
      'flux-web.yaml': flux.replace('./honest', './web').replace('name: apps,', 'name: web,'),
    }
    expect(await said(head)).toEqual([`web/kustomization.yaml:1 ${readAs('ConfigMapGenerator', 'configMapGenerator')}`])
  })

  test('at every level', () =>
    each([
      [`Resources: [${url}/a.yaml]\n`, 1, readAs('Resources', 'resources')],
      [`resources: [cm.yaml]\nre\u017fources: [${url}/a]\n`, 2, readAs('re\u017fources', 'resources')],
      [`resources: [cm.yaml]\n? BASES\n: [${url}/a]\n`, 2, readAs('BASES', 'bases')],
      [`resources: [cm.yaml]\n"C\\x6fmponents": [${url}/a]\n`, 2, readAs('Components', 'components')],
      [`SecretGenerator: [{name: a, files: [${outer}/secret.txt]}]\n`, 1, readAs('SecretGenerator', 'secretGenerator')],
      [`secretGenerator:\n  - name: a\n    envS: [${url}/env]\n`, 3, readAs('envS', 'envs')],
      [`secretGenerator:\n  - name: a\n    ENV: ${outer}/secret.txt\n`, 3, readAs('ENV', 'env')],
      [`resources: [cm.yaml]\npatches:\n  - {Path: ${outer}/secret.yaml}\n`, 3, readAs('Path', 'path')],
      [`resources: [cm.yaml]\nPatches: [{path: ${outer}/secret.yaml}]\n`, 2, readAs('Patches', 'patches')],
      [`resources: [cm.yaml]\nreplacements: [{PATH: ${url}/r}]\n`, 2, readAs('PATH', 'path')],
      [`resources: [cm.yaml]\nOpenAPI: {path: ${url}/o}\n`, 2, readAs('OpenAPI', 'openapi')],
      [`resources: [cm.yaml]\ncRDs: [${url}/c]\n`, 2, readAs('cRDs', 'crds')],
      [`resources: [cm.yaml]\nConfigurations: [${url}/c]\n`, 2, readAs('Configurations', 'configurations')],
      [`resources: [cm.yaml]\nTransformers: [${url}/t]\n`, 2, readAs('Transformers', 'transformers')],
      [`HelmGlobals: {chartHome: ${outer}}\nhelmCharts: [{name: a}]\n`, 1, readAs('HelmGlobals', 'helmGlobals')],
      [`helmGlobals: {ChartHome: ${outer}}\nhelmCharts: [{name: a}]\n`, 1, readAs('ChartHome', 'chartHome')],
      [`helmCharts:\n  - name: a\n    ValuesFile: ${url}/v\n`, 3, readAs('ValuesFile', 'valuesFile')],
      [`x: &x {Files: [${url}/a]}\nconfigMapGenerator:\n  - name: a\n    <<: *x\n`, 1, unknown('x')],
      [`commonLabels: &x {Files: ${url}/a}\nconfigMapGenerator:\n  - {name: a, <<: *x}\n`, 1, readAs('Files', 'files')],
    ]))

  test('in the file of a plugin, or in an inline plugin', () =>
    each([
      [
        'generators: [p.yaml]\n',
        4,
        readAs('Files', 'files'),
        { 'p.yaml': plugin('ConfigMapGenerator', `Files: [${url}/a]\n`) },
        'p.yaml',
      ],
      [
        'transformers: [p.json]\n',
        1,
        readAs('PATH', 'path'),
        {
          'p.json': JSON.stringify({
            apiVersion: 'builtin',
            kind: 'PatchTransformer',
            metadata: { name: 'a' },
            PATH: `${url}/p`,
          }),
        },
        'p.json',
      ],
      [`transformers:\n${asItem(plugin('PatchTransformer', `paTh: ${url}/p`))}`, 2, readAs('paTh', 'path')],
      [
        `generators: ['{apiVersion: builtin, kind: SecretGenerator, metadata: {name: a}, enV: ${url}/e}']\n`,
        1,
        readAs('enV', 'env'),
      ],
      [
        'generators: [p.yaml]\n',
        6,
        readAs('Files', 'files'),
        {
          'p.yaml': `kind: ConfigMapGeneratorList\napiVersion: builtin\nitems:\n  - apiVersion: builtin\n    kind: ConfigMapGenerator\n    Files: [${url}/a]\n`,
        },
        'p.yaml',
      ],
    ]))
})

test('a key that kustomize does not know is an error at that key', () =>
  each([
    ['resources: [cm.yaml]\nresource: [cm.yaml]\n', 2, unknown('resource')],
    ['secretGenerator:\n  - name: a\n    commands: {a: id}\n', 3, unknown('commands')],
    [
      'resources: [cm.yaml]\npatches:\n  - patch: ""\n    target: {kind: ConfigMap, apiVersion: v1}\n',
      4,
      unknown('apiVersion'),
    ],
    ['resources: [cm.yaml]\nimages: [{name: a, tag: b}]\n', 2, unknown('tag')],
  ]))
