import { describe, expect, test } from '@jest/globals'
import { asItem, each, elsewhere, flux, outer, plugin, said, twice, unknown, url } from './kustomize-containment'
import { ingress } from './objects'

describe('a key in another case is read as the field that kustomize takes it for', () => {
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
    expect(await said(head)).toEqual([`web/kustomization.yaml:4 ${elsewhere(`${outer}/secret.txt`)}`])
  })

  test('a URL that a generator would fetch', async () => {
    const head = {
      'web/kustomization.yaml': `ConfigMapGenerator:\n  - name: copy\n    namespace: web\n    files: ["page=${url}/page"]\n`,
      'flux-web.yaml': flux.replace('./honest', './web').replace('name: apps,', 'name: web,'),
    }
    expect(await said(head)).toEqual([])
  })

  test('at every level', () =>
    each([
      [`Resources: [${url}/a.yaml]\n`, 1, elsewhere(`${url}/a.yaml`)],
      ['resources: [cm.yaml]\nre\u017fources: [cm.yaml]\n', 2, twice('re\u017fources', 'resources')],
      [`resources: [cm.yaml]\n? BASES\n: [${url}/a]\n`, 3, elsewhere(`${url}/a`)],
      [`resources: [cm.yaml]\n"C\\x6fmponents": [${url}/a]\n`, 2, elsewhere(`${url}/a`)],
      [`SecretGenerator: [{name: a, files: [${outer}/secret.txt]}]\n`, 1, elsewhere(`${outer}/secret.txt`)],
      [`secretGenerator:\n  - name: a\n    ENV: ${outer}/secret.txt\n`, 3, elsewhere(`${outer}/secret.txt`)],
      [`resources: [cm.yaml]\npatches:\n  - {Path: ${outer}/secret.yaml}\n`, 3, elsewhere(`${outer}/secret.yaml`)],
      [`resources: [cm.yaml]\nPatches: [{path: ${outer}/secret.yaml}]\n`, 2, elsewhere(`${outer}/secret.yaml`)],
      [`resources: [cm.yaml]\nreplacements: [{PATH: ${url}/r}]\n`, 2, elsewhere(`${url}/r`)],
      [`resources: [cm.yaml]\nOpenAPI: {path: ${url}/o}\n`, 2, elsewhere(`${url}/o`)],
      [`resources: [cm.yaml]\ncRDs: [${url}/c]\n`, 2, elsewhere(`${url}/c`)],
      [`resources: [cm.yaml]\nConfigurations: [${url}/c]\n`, 2, elsewhere(`${url}/c`)],
      [`resources: [cm.yaml]\nTransformers: [${url}/t]\n`, 2, elsewhere(`${url}/t`)],
      [`HelmGlobals: {chartHome: ${outer}}\nhelmCharts: [{name: a}]\n`, 1, elsewhere(`${outer}`)],
      [`helmGlobals: {ChartHome: ${outer}}\nhelmCharts: [{name: a}]\n`, 1, elsewhere(`${outer}`)],
      [`helmCharts:\n  - name: a\n    ValuesFile: ${url}/v\n`, 3, elsewhere(`${url}/v`)],
      [`x: &x {Files: [${url}/a]}\nconfigMapGenerator:\n  - name: a\n    <<: *x\n`, 1, unknown('x')],
    ]))

  test('in the file of a plugin, or in an inline plugin', () =>
    each([
      [
        'generators: [p.yaml]\n',
        4,
        elsewhere(`${url}/a`),
        { 'p.yaml': plugin('ConfigMapGenerator', `Files: [${url}/a]\n`) },
        'p.yaml',
      ],
      [
        'transformers: [p.json]\n',
        1,
        elsewhere(`${url}/p`),
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
      [`transformers:\n${asItem(plugin('PatchTransformer', `paTh: ${url}/p`))}`, 2, elsewhere(`${url}/p`)],
      [
        `generators: ['{apiVersion: builtin, kind: SecretGenerator, metadata: {name: a}, enV: ${url}/e}']\n`,
        1,
        elsewhere(`${url}/e`),
      ],
      [
        'generators: [p.yaml]\n',
        6,
        elsewhere(`${url}/a`),
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
