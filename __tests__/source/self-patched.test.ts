import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { indented, kustomization, repository } from './flux-objects'
import { opened } from './in-memory'
import { hostsOf, probe, url } from './probe'
import { judgeChange } from './rendered'
import type { Files } from './repository'

/** Gives all Kustomizations below it a variable. */
const giving = `spec:
  patches:
    - target: {group: kustomize.toolkit.fluxcd.io, kind: Kustomization}
      patch: |
        apiVersion: kustomize.toolkit.fluxcd.io/v1
        kind: Kustomization
        metadata: {name: any}
        spec:
          postBuild: {substitute: {DOMAIN: example.com}}
`

/** A patch of the Kustomization by which Flux deploys the folder that the Kustomization is in. */
const patch = `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux-system, namespace: flux-system}\n${giving}`

const ingress = `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: web}\nspec:\n  rules: [{host: "web.\${DOMAIN}"}]\n`

const files: Files = {
  'clusters/prod/flux-system/gotk-sync.yaml': `${repository()}---\n${kustomization('flux-system', './clusters/prod')}`,
  'clusters/prod/web.yaml': kustomization('web', './web', 'postBuild: {substitute: {APP: web}}'),
  'web/kustomization.yaml': 'resources: []\n',
}

const taking = 'clusters/prod/flux-system/kustomization.yaml'

/** The findings on variables of an Ingress that is added. */
async function added(bootstrap: Files): Promise<string[]> {
  const head = { 'web/kustomization.yaml': 'resources: [web.yaml]\n', 'web/web.yaml': ingress }
  return lines(await judgeChange({ ...files, ...bootstrap }, head, 'helm', ['ingress-tls@1.7.0'])).filter((line) =>
    line.includes('variables-set'),
  )
}

const inFile = { 'clusters/prod/flux-system/patches/all.yaml': patch }

const written: readonly (readonly [string, string, Files])[] = [
  ['patches, by a path', 'patches: [{path: patches/all.yaml}]\n', inFile],
  [
    'patches, with a target',
    'patches: [{path: patches/all.yaml, target: {kind: Kustomization, name: flux-.*}}]\n',
    inFile,
  ],
  ['patches, inline', `patches:\n  - patch: |\n${indented(patch, 6)}`, {}],
  ['patchesStrategicMerge', 'patchesStrategicMerge: [patches/all.yaml]\n', inFile],
  [
    'patches, with a selector of labels that the Kustomization itself gives',
    'labels: [{pairs: {part: flux}}]\npatches: [{path: patches/all.yaml, target: {kind: Kustomization}}]\n',
    inFile,
  ],
]

describe('the patches of a Kustomization that is in the folder which it deploys', () => {
  test.each(written)('are given by %s', async (_, text, more) => {
    expect(await added({ ...more, [taking]: `resources: [gotk-sync.yaml]\n${text}` })).toEqual([])
  })

  test('are not given by a patch that selects another object', async () => {
    const other = 'patches: [{path: patches/all.yaml, target: {kind: Kustomization, name: other}}]\n'
    expect(await added({ ...inFile, [taking]: `resources: [gotk-sync.yaml]\n${other}` })).toEqual([
      'introduced error head/web/web.yaml:5 ingress-tls/variables-set',
    ])
  })

  test('are gone where a change takes the patch away', async () => {
    const base = {
      ...files,
      ...inFile,
      [taking]: 'resources: [gotk-sync.yaml]\npatches: [{path: patches/all.yaml}]\n',
      'web/kustomization.yaml': 'resources: [web.yaml]\n',
      'web/web.yaml': ingress,
    }
    const head = { [taking]: 'resources: [gotk-sync.yaml]\n' }
    expect(lines(await judgeChange(base, head, 'helm', ['ingress-tls@1.7.0']))).toContain(
      'introduced error base/clusters/prod/flux-system/kustomization.yaml:2 ingress-tls/variables-set',
    )
  })

  test('give the folders of the objects below it', async () => {
    const move = `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux-system, namespace: flux-system}\nspec:\n  patches:\n    - target: {kind: Kustomization, name: web}\n      patch: '[{"op": "replace", "path": "/spec/path", "value": "./other"}]'\n`
    const hosts = await hostsOf({
      ...files,
      'clusters/prod/flux-system/patches/all.yaml': move,
      [taking]: 'resources: [gotk-sync.yaml]\npatches: [{path: patches/all.yaml}]\n',
      'other/kustomization.yaml': 'resources: [other.yaml]\n',
      'other/other.yaml': probe('other', 'other.example.com'),
    })
    expect(hosts).toEqual(['/other other.example.com'])
  })

  test('give the source of the folder another repository', async () => {
    const patch = `'[{"op": "replace", "path": "/spec/url", "value": "https://github.com/acme/other"}]'`
    const base = {
      ...files,
      [taking]: 'resources: [gotk-sync.yaml]\n',
      'web/kustomization.yaml': 'resources: [web.yaml]\n',
      'web/web.yaml': probe('web', 'web.example.com'),
    }
    const head = {
      [taking]: `resources: [gotk-sync.yaml]\npatches: [{target: {kind: GitRepository}, patch: ${patch}}]\n`,
    }
    const found = lines(await checkOpened(opened(base, { ...base, ...head }, url))).filter((line) =>
      line.includes('source/'),
    )
    expect(found).toEqual(['introduced error head/clusters/prod/flux-system/gotk-sync.yaml:1 source/unrendered'])
  })
})
