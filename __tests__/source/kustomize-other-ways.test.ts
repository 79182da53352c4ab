import { describe, expect, test } from '@jest/globals'
import { foldedKey } from '../../src/sources/go-keys'
import { elsewhere, flux, honest, outer, plugin, said, url } from './kustomize-containment'
import { configMap } from './objects'
import type { Files } from './repository'

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

  test('the overlay of a Flux object', async () => {
    const patches = `  patches: [{path: ${outer}/secret.yaml}]\n`
    expect(await said({ 'flux.yaml': flux + patches })).toEqual([
      `flux.yaml:1 Its patch ${outer}/secret.yaml is not in honest of this repository; name a file there, or write the patch inline. It is unknown whether this change keeps ConfigMap honest.`,
    ])
  })

  test('the overlay of an ApplicationSet', async () => {
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
    expect(await said(head)).toEqual([
      `set.yaml:1 It uses ${outer}/secret.yaml in a setting that overrides the Kustomization, where only plain values are supported.`,
    ])
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

describe('a form that kustomize accepts is no error', () => {
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
      'plugins of a folder that names them and sets their namespace',
      {
        'web/kustomization.yaml': 'resources: [cm.yaml]\ntransformers: [parts]\n',
        'web/parts/kustomization.yaml': 'namespace: web\nnamePrefix: a-\nresources: [../all]\n',
        'web/all/kustomization.yaml': 'resources: [p.yaml]\n',
        'web/all/p.yaml': plugin('NamespaceTransformer', 'fieldSpecs: [{path: metadata/namespace, create: true}]\n'),
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
