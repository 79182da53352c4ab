import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { foldedKey } from '../../src/sources/go-keys'
import { guard } from '../cli/guard'
import { configMap, ingress } from './objects'
import { tool } from './rendered'
import { type Files, temporaryFolder, writeFiles } from './repository'

const secret = 'words-that-only-the-runner-has'
const outer = temporaryFolder()
writeFiles(outer, { 'secret.txt': secret, 'secret.yaml': configMap('stolen', secret), 'bin/ran': '' })
const requests: string[] = []
const server = createServer((request, response) => {
  requests.push(request.url ?? '')
  response.end(configMap('fetched'))
})
let url = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
})

/** With this in the tree, Kustomizations may take in files from beside their folders, as Flux has it. */
const flux = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  path: ./honest
  sourceRef: {kind: GitRepository, name: apps}
`

const honest: Files = {
  'flux.yaml': flux,
  'honest/kustomization.yaml': 'resources: [cm.yaml]\n',
  'honest/cm.yaml': configMap('honest'),
  'shared/cm.yaml': configMap('shared'),
}

/** `k/kustomization.yaml:3 It takes in …`, a line for each finding of reading and rendering; nothing may have been read or fetched. */
async function said(head: Files, base: Files = honest, ...more: readonly string[]): Promise<string[]> {
  const [before, after] = [temporaryFolder(), temporaryFolder()]
  writeFiles(before, base)
  writeFiles(after, { ...base, ...head })
  const tools = ['--helm', tool('helm'), '--kustomize', tool('kubectl')]
  const words = [
    'check',
    '--format',
    'json',
    '--today',
    '2026-11-21',
    '--base',
    before,
    '--head',
    after,
    ...tools,
    ...more,
  ]
  const { stdout, stderr } = await guard(words)
  expect(`${stdout}${stderr}`).not.toContain(secret)
  expect(requests).toEqual([])
  const { findings } = JSON.parse(stdout)
  return findings
    .filter(({ rule }: { rule: string }) => rule.startsWith('source/'))
    .map(
      ({ location, text }: { location: { path: string; region: { startLine: number } }; text: string }) =>
        `${location.path}:${location.region.startLine} ${text}`,
    )
}

const readAs = (key: string, documented: string) =>
  `Kustomize reads \`${key}\` as \`${documented}\`; write \`${documented}\`, because a field that names files is read only in this form.`
const unknown = (key: string) =>
  `Kustomize has no field \`${key}\` here and rejects the file; correct the key or remove it.`
const elsewhere = (text: string) => `It uses ${text}, which is not in this repository; vendor it and name the copy.`

type Case = readonly [text: string, line: number, says: string, more?: Files, file?: string]

/** Judges each case in a folder of its own. */
async function each(cases: readonly Case[]): Promise<void> {
  const files: Record<string, Files[string]> = {}
  const expected: string[] = []
  for (const [index, [text, line, says, more = {}, file = 'kustomization.yaml']] of cases.entries()) {
    const folder = `k${String(index).padStart(2, '0')}`
    files[`${folder}/kustomization.yaml`] = text
    files[`${folder}/cm.yaml`] = configMap('own')
    for (const [name, content] of Object.entries(more)) files[`${folder}/${name}`] = content
    expected.push(`${folder}/${file}:${line} ${says}`)
  }
  expect(await said(files)).toEqual(expected)
}

const plugin = (kind: string, more: string) => `apiVersion: builtin\nkind: ${kind}\nmetadata: {name: x}\n${more}`
const asItem = (text: string) =>
  `  - |\n${text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n`

describe('a key that names places is read in its documented form alone', () => {
  test('what a generator would read of the runner, through a replacement into a host', async () => {
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

  test('what a generator would fetch', async () => {
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

  test('in the file of a plugin, or where one stands inline', () =>
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

describe('what is named has to be in the revision', () => {
  test('in every field, however it is written', () =>
    each([
      [
        `configMapGenerator:\n  - name: a\n    files:\n      - k/ey=${outer}/secret.txt\n`,
        4,
        elsewhere(`k/ey=${outer}/secret.txt`),
      ],
      [`configMapGenerator:\n  - name: a\n    files: [k/ey=${url}/a]\n`, 3, elsewhere(`k/ey=${url}/a`)],
      [`configMapGenerator:\n  - name: a\n    files: [HTTPS:/x]\n`, 3, elsewhere('HTTPS:/x')],
      [
        'configMapGenerator:\n  - name: a\n    files: [a=b=../../../../etc/hosts]\n',
        3,
        elsewhere('a=b=../../../../etc/hosts'),
      ],
      [
        'secretGenerator:\n  - {name: a, envs: [cm.yaml]}\n  - {name: b, env: ../../x.env}\n',
        3,
        elsewhere('../../x.env'),
      ],
      [
        `configMapGenerator:\n  - name: a\n    files: [cm.yaml]\n    files: [${outer}/secret.txt]\n`,
        4,
        elsewhere(`${outer}/secret.txt`),
      ],
      [
        `commonLabels: &x {env: ${outer}/secret.txt}\nconfigMapGenerator:\n  - {name: a, <<: *x}\n`,
        1,
        elsewhere(`${outer}/secret.txt`),
      ],
      [
        `configMapGenerator:\n  - name: a\n    files: [!!binary ${Buffer.from(`${outer}/secret.txt`).toString('base64')}]\n`,
        3,
        elsewhere(`${outer}/secret.txt`),
      ],
      [`resources: [cm.yaml]\npatches:\n  - path: ${url}/p.yaml\n`, 3, elsewhere(`${url}/p.yaml`)],
      ['resources: [cm.yaml]\npatches: [{path: ../../p.yaml}]\n', 2, elsewhere('../../p.yaml')],
      [
        `resources: [cm.yaml]\npatchesStrategicMerge:\n  - ${outer}/secret.yaml\n`,
        3,
        elsewhere(`${outer}/secret.yaml`),
      ],
      [`resources: [cm.yaml]\npatchesStrategicMerge:\n  - "${url}/?a: b"\n`, 3, elsewhere(`${url}/?a: b`)],
      ['resources: [cm.yaml]\npatchesStrategicMerge:\n  - "a: b\\n /../../../etc/hosts"\n', 3, elsewhere('a: b')],
      [
        `resources: [cm.yaml]\npatchesJson6902:\n  - path: ${url}/j\n    target: {kind: ConfigMap, name: own, version: v1}\n`,
        3,
        elsewhere(`${url}/j`),
      ],
      [`resources: [cm.yaml]\nreplacements: [{path: ${outer}/secret.yaml}]\n`, 2, elsewhere(`${outer}/secret.yaml`)],
      [`resources: [cm.yaml]\nopenapi: {path: ${url}/o}\n`, 2, elsewhere(`${url}/o`)],
      [`resources: [cm.yaml]\ncrds: [${outer}/secret.yaml]\n`, 2, elsewhere(`${outer}/secret.yaml`)],
      [`resources: [cm.yaml]\nconfigurations: [${url}/c]\n`, 2, elsewhere(`${url}/c`)],
      [`resources: [cm.yaml]\ntransformers: [${url}/t]\n`, 2, elsewhere(`${url}/t`)],
      [`resources: [cm.yaml]\nvalidators: [${url}/v]\n`, 2, elsewhere(`${url}/v`)],
      [
        `resources: [cm.yaml]\n---\nresources: [cm.yaml]\n--- {}\n`.replace('[cm.yaml]', `[cm.yaml, ${outer}]`),
        1,
        elsewhere(outer),
      ],
    ]))

  test('in plugins of kustomize', () =>
    each([
      [
        'generators: [p.yaml]\n',
        4,
        elsewhere(`a=${url}/a`),
        { 'p.yaml': plugin('ConfigMapGenerator', `files: ["a=${url}/a"]\n`) },
        'p.yaml',
      ],
      [
        'generators: [p.yaml]\n',
        4,
        elsewhere(`${url}/e`),
        { 'p.yaml': `apiVersion: /builtin\nkind: SecretGenerator\nmetadata: {name: x}\nenvs: ["${url}/e"]\n` },
        'p.yaml',
      ],
      [
        'generators: [p.yaml]\n',
        4,
        elsewhere(`${outer}/secret.yaml`),
        { 'p.yaml': plugin('HelmChartInflationGenerator', `valuesFile: ${outer}/secret.yaml\nname: a\nrepo: x\n`) },
        'p.yaml',
      ],
      [
        'transformers: [p.yaml]\n',
        4,
        elsewhere(`${url}/t`),
        { 'p.yaml': plugin('ValueAddTransformer', `targetFilePath: ${url}/t\n`) },
        'p.yaml',
      ],
      [
        'transformers: [p.yaml]\n',
        4,
        elsewhere(`${url}/r`),
        { 'p.yaml': plugin('ReplacementTransformer', `replacements: [{path: "${url}/r"}]\n`) },
        'p.yaml',
      ],
      [
        'transformers: [p.yaml]\n',
        4,
        elsewhere(`${url}/s`),
        { 'p.yaml': plugin('PatchStrategicMergeTransformer', `paths: ["${url}/s"]\n`) },
        'p.yaml',
      ],
      [
        `transformers:\n${asItem(plugin('PatchJson6902Transformer', `path: ${outer}/secret.yaml`))}`,
        2,
        elsewhere(`${outer}/secret.yaml`),
      ],
      [
        'transformers: [parts]\n',
        4,
        elsewhere(`${url}/p`),
        {
          'parts/kustomization.yaml': 'resources: [p.yaml]\n',
          'parts/p.yaml': plugin('PatchTransformer', `path: "${url}/p"\n`),
        },
        'parts/p.yaml',
      ],
      [
        'transformers: [parts]\n',
        1,
        'It uses plugins from the Kustomization k08/parts, which may change the files they read; name the plugin files here.',
        {
          'parts/kustomization.yaml': `resources: [p.yaml]\npatches:\n  - target: {kind: PatchTransformer}\n    patch: '[{"op": "add", "path": "/path", "value": "${url}/p"}]'\n`,
          'parts/p.yaml': plugin('PatchTransformer', 'patch: ""\n'),
        },
      ],
    ]))

  test('in what helm is given', () =>
    each([
      [`helmGlobals: {chartHome: ${outer}}\nhelmCharts: [{name: a, valuesFile: cm.yaml}]\n`, 1, elsewhere(outer)],
      [`helmGlobals: {configHome: ${outer}}\nhelmCharts: [{name: a}]\n`, 1, elsewhere(outer)],
      [
        'helmCharts: [{name: ../../../etc}]\n',
        1,
        '../../../etc is not a valid chart name; use the name of a folder inside the charts folder.',
      ],
      [
        'helmCharts: [{name: a, repo: x, version: 1/../../../..}]\n',
        1,
        '1/../../../.. is not a valid version; write it without a slash.',
      ],
      [
        `helmCharts: [{name: a, releaseName: --post-renderer=${outer}/bin/ran}]\n`,
        1,
        `Helm reads --post-renderer=${outer}/bin/ran as an option; use a name that starts with a letter.`,
      ],
      [
        'helmCharts: [{name: a, additionalValuesFiles: ["cm.yaml,/etc/hosts"]}]\n',
        1,
        'Helm reads cm.yaml,/etc/hosts as more than one file; use a name without commas and quotes.',
      ],
      [`helmCharts: [{name: a, additionalValuesFiles: [${url}/v]}]\n`, 1, elsewhere(`${url}/v`)],
      [
        `helmChartInflationGenerator: [{chartName: a, values: ${outer}/secret.yaml}]\n`,
        1,
        elsewhere(`${outer}/secret.yaml`),
      ],
    ]))
})

describe('no other way into a build', () => {
  test('a folder behind a symbolic link is built only as it was read', async () => {
    const head = {
      'web/kustomization.yaml': 'resources: [by/inner]\n',
      'web/by': { link: '../hidden' },
      'hidden/inner/kustomization.yaml': `transformers: [${url}/t]\n`,
    }
    const line = `hidden/inner/kustomization.yaml:1 ${elsewhere(`${url}/t`)}`
    expect([...new Set(await said(head))]).toEqual([line])
  })

  test('an ignored Kustomization that another takes in', async () => {
    const config = { '.github/ingress-guard.yaml': 'format: 1\nignore: ["drafts/**"]\n' }
    const head = {
      'web/kustomization.yaml': 'resources: [../drafts/web]\n',
      'drafts/web/kustomization.yaml': `crds: [${url}/c]\n`,
    }
    expect(await said(head, { ...honest, ...config })).toEqual([
      `drafts/web/kustomization.yaml:1 ${elsewhere(`${url}/c`)}`,
    ])
  })

  test('one that calls itself an object of Flux in a later document', async () => {
    const head = { 'web/kustomization.yaml': `crds: [${url}/c]\n---\n${flux}` }
    expect(await said(head)).toEqual([`web/kustomization.yaml:1 ${elsewhere(`${url}/c`)}`])
  })

  test('what a Flux object lays over it', async () => {
    const patches = `  patches: [{path: ${outer}/secret.yaml}]\n`
    expect(await said({ 'flux.yaml': flux + patches })).toEqual([
      `flux.yaml:1 Its patch ${outer}/secret.yaml is not in honest of this repository; name a file there, or write the patch inline. Whether the head still has ConfigMap honest is unknown.`,
    ])
  })

  test('what an ApplicationSet lays over it', async () => {
    const set = (kustomize: string) => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators: [{list: {elements: [{name: honest}]}}]
  template:
    metadata: {name: "{{name}}"}
    spec:
      destination: {name: in-cluster}
      source: {repoURL: "https://github.com/example/web", path: "{{name}}", kustomize: ${kustomize}}
`
    const head = { 'flux.yaml': null, 'set.yaml': set(`{patches: [{PATH: ${outer}/secret.yaml}]}`) }
    expect(await said(head)).toEqual([`set.yaml:1 ${readAs('PATH', 'path')}`])
    const taken = {
      ...head,
      'set.yaml': set('{patches: [{path: patch.yaml}]}'),
      'honest/patch.yaml': configMap('honest', 'patched'),
    }
    expect(await said(taken)).toEqual([])
  })

  test('two files that kustomize takes for its own in one folder', async () => {
    const head = { 'web/kustomization.yaml': 'resources: []\n', 'web/Kustomization': `crds: [${url}/c]\n` }
    expect(await said(head)).toEqual([
      'web/kustomization.yaml:1 Kustomize cannot build it: Found multiple kustomization files under: web.',
    ])
  })

  test('a Kustomization that is a symbolic link out of its folder, where nothing may be taken in from beside it', async () => {
    const head = { 'flux.yaml': null, 'web/kustomization.yaml': { link: '../honest/kustomization.yaml' } }
    expect(await said(head)).toEqual([
      'web/kustomization.yaml:1 It is a symbolic link to honest/kustomization.yaml, and kustomize reads no file outside its folder; copy the file.',
    ])
  })
})

describe('what kustomize takes is no error', () => {
  test.each<[string, Files]>([
    [
      'odd letters in keys that name no place',
      {
        'web/kustomization.yaml':
          'resources: [cm.yaml]\nNamePrefix: a-\nvars:\n  - {name: A, objref: {kind: ConfigMap, name: web, apiversion: v1}, fieldref: {fieldpath: data.key}}\n',
      },
    ],
    [
      'deprecated fields',
      {
        'web/kustomization.yaml':
          'bases: [../honest]\nimageTags: [{name: a, newTag: "1"}]\ncommonLabels: {a: b}\npatchesStrategicMerge: [p.yaml]\nconfigMapGenerator: [{name: a, env: a.env}]\n',
        'web/p.yaml': configMap('honest', 'y'),
        'web/a.env': 'A=1\n',
      },
    ],
    [
      'keys that a plugin passes over',
      {
        'web/kustomization.yaml': 'generators: [p.yaml]\n',
        'web/p.yaml': plugin('ConfigMapGenerator', 'more: 1\nname: x\nliterals: [a=b]\n'),
      },
    ],
    [
      'plugins of a folder that only names them',
      {
        'web/kustomization.yaml': 'resources: [cm.yaml]\ntransformers: [parts]\n',
        'web/parts/kustomization.yaml': 'resources: [p.yaml]\n',
        'web/parts/p.yaml': plugin('PatchTransformer', 'path: p2.yaml\ntarget: {kind: ConfigMap}\n'),
        'web/p2.yaml': '- {op: add, path: /data/b, value: c}\n',
      },
    ],
    [
      'anchors, merges, duplicates and later documents',
      {
        'web/kustomization.yaml':
          'resources: [none.yaml]\nresources: &own [cm.yaml]\nconfigMapGenerator:\n  - &a {name: a, files: *own}\n  - {<<: *a, name: b}\n---\nresources: [/etc]\nFiles: 1\n',
      },
    ],
    [
      'words in other scripts',
      { 'web/kustomization.yaml': 'resources: [cm.yaml]\ncommonAnnotations: {a: "é\u2028😀\\t"}\n' },
    ],
    [
      'a folder behind a symbolic link',
      {
        'web/kustomization.yaml': 'resources: [by/inner]\n',
        'web/by': { link: '../real' },
        'real/inner/kustomization.yaml': 'resources: [cm.yaml]\n',
        'real/inner/cm.yaml': configMap('inner'),
      },
    ],
    [
      'an object of Flux in a file of that name',
      {
        'web/kustomization.yaml': 'resources: [sub/kustomization.yaml, cm.yaml]\n',
        'web/sub/kustomization.yaml': flux.replace('name: apps,', 'name: other,'),
      },
    ],
  ])('%s', async (_, files) => {
    expect(await said({ 'web/cm.yaml': configMap('web'), ...files })).toEqual([])
  })
})

test('keys are compared as Go compares them', () => {
  expect(['FILES', 're\u017fource\u017f', '\u212aind', '\u0130d', 'ärger', 'ÄRGER'].map(foldedKey)).toEqual([
    'files',
    'resources',
    'kind',
    '\u0130d',
    'ärger',
    'Ärger',
  ])
})
