import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { change } from './probe'
import type { Files } from './repository'

const ingress = (name: string) =>
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: ${name}, namespace: shop}\nspec: {rules: [{host: shop.example.com}]}\n`
const workload = (kind: string, name: string, image = 'web:1') =>
  `apiVersion: apps/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: shop}\nspec: {template: {spec: {containers: [{name: main, image: "${image}"}]}}}\n`
const controller = 'registry.k8s.io/ingress-nginx/controller:v1.12.1'

const base: Files = {
  'web/kustomization.yaml': kustomization('resources: [ingress.yaml]'),
  'web/ingress.yaml': ingress('web'),
}

const json = (target: string, ...more: string[]) =>
  kustomization(
    'resources: [ingress.yaml]',
    ...more,
    'patches:',
    `  - target: ${target}`,
    '    patch: |-',
    '      - {op: add, path: /metadata/annotations, value: {a: b}}',
  )

async function unmatched(head: Files, more: Files = {}): Promise<string[]> {
  const { findings } = await change({ ...base, ...more }, head)
  return findings
    .filter(({ rule }) => rule === 'source/patch-unmatched')
    .map(
      ({ level, status, location: { path, region }, text }) => `${status} ${level} ${path}:${region.startLine} ${text}`,
    )
}

const left = 'so kustomize leaves out this patch without an error.'

describe('a patch whose target selects nothing', () => {
  test('is reported at its target, with the object that is meant', async () => {
    expect(await unmatched({ 'web/kustomization.yaml': json('{kind: Ingress, name: api}') })).toEqual([
      `introduced warning web/kustomization.yaml:5 This Kustomization builds no Ingress api, ${left} Name an object that it builds, or remove the patch.`,
    ])
    const long = { 'web/ingress.yaml': ingress('storefront') }
    expect(await unmatched({ 'web/kustomization.yaml': json('{kind: Ingress, name: storefrnt}') }, long)).toEqual([
      `introduced warning web/kustomization.yaml:5 This Kustomization builds no Ingress storefrnt, ${left} It builds Ingress shop/storefront: name that object if it is meant.`,
    ])
  })

  test('is reported where its name is only a part of one', async () => {
    const long = { 'web/ingress.yaml': ingress('web-public') }
    const written = json('{kind: Ingress, name: web}')
    expect(await unmatched({ 'web/kustomization.yaml': written }, long)).toEqual([
      `introduced warning web/kustomization.yaml:5 This Kustomization builds no Ingress web, ${left} It builds Ingress shop/web-public: name that object if it is meant.`,
    ])
    const renamed = json('{kind: Ingress, name: web}', 'nameSuffix: -public')
    expect(await unmatched({ 'web/kustomization.yaml': renamed })).toEqual([])
  })

  test('may be for an object of the chart to which Fleet applies the Kustomization', async () => {
    const fleet = { 'web/fleet.yaml': 'helm: {chart: x, repo: https://charts.example.com}\nkustomize: {dir: .}\n' }
    expect(await unmatched({ 'web/kustomization.yaml': json('{kind: Ingress, name: api}') }, fleet)).toEqual([])
  })

  test('is reported where its group can be none, for any kind, with a name and without', async () => {
    for (const [target, named] of [
      ['{group: Pod, kind: Deployment}', 'Deployment of the group Pod'],
      ['{group: Apps, kind: Deployment, name: web}', 'Deployment web of the group Apps'],
    ] as const)
      expect(await unmatched({ 'web/kustomization.yaml': json(target) })).toEqual([
        `introduced warning web/kustomization.yaml:5 This Kustomization builds no ${named}, ${left} A group has no capital letters: write the one of Deployment, or leave the group out.`,
      ])
    expect(await unmatched({ 'web/kustomization.yaml': json('{group: apps, kind: Deployment}') })).toEqual([])
    expect(await unmatched({ 'web/kustomization.yaml': json('{group: "(Apps|apps)", kind: Deployment}') })).toEqual([])
  })

  test('is reported where its group has a version', async () => {
    const target = '{group: networking.k8s.io/v1, kind: Ingress, name: web}'
    expect(await unmatched({ 'web/kustomization.yaml': json(target) })).toEqual([
      `introduced warning web/kustomization.yaml:5 This Kustomization builds no Ingress web of the group networking.k8s.io/v1, ${left} A group has no version in it: write group: networking.k8s.io and version: v1.`,
    ])
    const service =
      'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {ports: [{port: 80}]}\n'
    const text = json('{group: v1, kind: Service, name: web}').replace('[ingress.yaml]', '[ingress.yaml, service.yaml]')
    const [found] = await unmatched({ 'web/kustomization.yaml': text }, { 'web/service.yaml': service })
    expect(found).toContain('write version: v1 in place of the group.')
  })

  test('is reported where its version is another one', async () => {
    const old = (target: string) => ({ 'web/kustomization.yaml': json(target) })
    const advice = 'in networking.k8s.io/v1: write version: v1 in the target, or leave the version out.'
    expect(await unmatched(old('{kind: Ingress, name: web, version: v1beta1}'))).toEqual([
      `introduced warning web/kustomization.yaml:5 This Kustomization builds no Ingress web of the version v1beta1, ${left} It builds Ingress shop/web ${advice}`,
    ])
    expect(await unmatched(old('{group: networking.k8s.io, version: v1beta1, kind: Ingress}'))).toEqual([
      `introduced warning web/kustomization.yaml:5 This Kustomization builds no Ingress of the version v1beta1 of the group networking.k8s.io, ${left} It builds Ingress shop/web ${advice}`,
    ])
    const beta = ingress('web').replace('/v1', '/v1beta1')
    const upgraded = { 'web/ingress.yaml': ingress('web') }
    const before = { ...old('{kind: Ingress, version: v1beta1}'), 'web/ingress.yaml': beta }
    expect(await unmatched(upgraded, before)).toHaveLength(1)
  })

  const flux = (version: string) =>
    [
      'apiVersion: kustomize.toolkit.fluxcd.io/v1',
      'kind: Kustomization',
      'metadata: {name: web, namespace: flux-system}',
      'spec:',
      '  path: ./web',
      '  prune: true',
      '  sourceRef: {kind: GitRepository, name: flux-system}',
      '  patches:',
      '    - patch: |-',
      '        apiVersion: helm.toolkit.fluxcd.io/v2beta1',
      '        kind: HelmRelease',
      '        metadata: {name: all}',
      '        spec: {interval: 5m}',
      '      target:',
      '        kind: HelmRelease',
      '        group: helm.toolkit.fluxcd.io',
      `        version: ${version}`,
      '        labelSelector: part-of=web',
      '',
    ].join('\n')

  test('is reported in a Kustomization of Flux whose patch is for another version', async () => {
    const more = { 'cluster/web.yaml': flux('v2beta1') }
    expect(await unmatched({ 'cluster/web.yaml': flux('v1beta1') }, more)).toEqual([
      `introduced warning cluster/web.yaml:14 This Kustomization builds no HelmRelease of the version v1beta1 of the group helm.toolkit.fluxcd.io, ${left} The patch itself is written for helm.toolkit.fluxcd.io/v2beta1: write version: v2beta1 in the target, or leave the version out.`,
    ])
    expect(await unmatched({ 'cluster/web.yaml': flux('v2beta1') }, { 'cluster/web.yaml': flux('v1') })).toEqual([])
  })

  test('is reported where the change renames its object', async () => {
    const old = {
      'web/kustomization.yaml': json('{kind: Ingress, name: storefront}'),
      'web/ingress.yaml': ingress('storefront'),
    }
    expect(await unmatched({ 'web/ingress.yaml': ingress('catalogue') }, old)).toEqual([])
    for (const name of ['store-front', 'shop-storefront'])
      expect(await unmatched({ 'web/ingress.yaml': ingress(name) }, old)).toEqual([
        `introduced warning web/kustomization.yaml:5 This Kustomization builds no Ingress storefront, ${left} It builds Ingress shop/${name}: name that object if it is meant.`,
      ])
  })

  test('is reported for the kind of a controller', async () => {
    const own = { 'web/ingress.yaml': workload('DaemonSet', 'ingress-nginx-controller', controller) }
    const text = json('{kind: Deployment, name: ingress-nginx-controller}')
    expect(await unmatched({ 'web/kustomization.yaml': text }, own)).toEqual([
      `introduced warning web/kustomization.yaml:5 This Kustomization builds no Deployment ingress-nginx-controller, ${left} It builds DaemonSet shop/ingress-nginx-controller: name that object if it is meant.`,
    ])
  })

  test('is reported once where two Kustomizations include its own', async () => {
    const overlays = {
      'a/kustomization.yaml': kustomization('resources: [../web]'),
      'b/kustomization.yaml': kustomization('resources: [../web]', 'namePrefix: b-'),
    }
    expect(await unmatched({ 'web/kustomization.yaml': json('{kind: Ingress, name: shop}') }, overlays)).toHaveLength(1)
  })

  const component = json('{kind: Ingress, name: other}')
    .replace('kind: Kustomization', 'kind: Component')
    .replace('v1beta1', 'v1alpha1')
    .replace('resources: [ingress.yaml]\n', '')
  test.each<[string, Files, Files?]>([
    ['it selects the object', { 'web/kustomization.yaml': json('{kind: Ingress, name: web}') }],
    ['a prefix comes to the name', { 'web/kustomization.yaml': json('{kind: Ingress, name: web}', 'namePrefix: b-') }],
    [
      'a patch renames the object',
      {
        'web/kustomization.yaml': json('{kind: Ingress, name: web}').replace(
          '/metadata/annotations, value: {a: b}',
          '/metadata/name, value: shop',
        ),
      },
    ],
    ['its name is a pattern', { 'web/kustomization.yaml': json('{kind: Ingress, name: "shop.*"}') }],
    ['its version is that', { 'web/kustomization.yaml': json('{kind: Ingress, version: v1}') }],
    [
      'a patch beside it is for the other version',
      {
        'web/kustomization.yaml': `${json('{kind: Ingress, version: v1beta1}')}${json('{kind: Ingress, version: v1}').split('patches:\n')[1]}`,
      },
    ],
    [
      'its objects are of another group',
      { 'web/kustomization.yaml': json('{group: extensions, version: v1beta1, kind: Ingress}') },
    ],
    ['it names a kind alone', { 'web/kustomization.yaml': json('{kind: HTTPRoute}') }],
    ['it is of a workload beside no controller', { 'web/kustomization.yaml': json('{kind: Deployment, name: none}') }],
    ['it is of another kind', { 'web/kustomization.yaml': json('{kind: ConfigMap, name: none}') }],
    [
      'it is of a component',
      {
        'web/kustomization.yaml': kustomization('resources: [ingress.yaml]', 'components: [../more]'),
        'more/kustomization.yaml': component,
      },
    ],
    [
      'it was so before',
      { 'web/ingress.yaml': ingress('web').replace('shop.example', 'b.example') },
      { 'web/kustomization.yaml': json('{kind: Ingress, name: none}') },
    ],
    [
      'its object is removed',
      { 'web/ingress.yaml': workload('Deployment', 'web') },
      { 'web/kustomization.yaml': json('{kind: Ingress, name: web}') },
    ],
    [
      'it removes the object',
      {
        'web/kustomization.yaml': kustomization(
          'resources: [ingress.yaml, more.yaml]',
          'patches:',
          '  - target: {kind: Ingress, name: web}',
          '    patch: |-',
          '      $patch: delete',
          '      apiVersion: networking.k8s.io/v1',
          '      kind: Ingress',
          '      metadata: {name: web}',
        ),
        'web/more.yaml': workload('Deployment', 'web'),
      },
    ],
    [
      'a plugin may bring the object',
      {
        'web/kustomization.yaml': json('{kind: Ingress, name: none}', 'generators: [more.yaml]'),
        'web/more.yaml': 'apiVersion: example.com/v1\nkind: Maker\nmetadata: {name: more}\n',
      },
    ],
  ])('is passed over if %s', async (_, head, more = {}) => {
    expect(await unmatched(head, more)).toEqual([])
  })
})
