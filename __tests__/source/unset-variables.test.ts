// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { newestVersions } from '../harness'
import { configMap, indented, kustomization, repository } from './flux-objects'
import { opened } from './in-memory'
import { object, url } from './probe'
import { toolsOf } from './rendered'
import type { Files } from './repository'

/** A Secret as SOPS leaves it: its keys can be read. */
const secret = (...keys: readonly string[]) =>
  object(
    'v1',
    'Secret',
    'cluster-secrets',
    'flux-system',
    `stringData:\n${keys.map((key) => `  ${key}: ENC[AES256_GCM,data:c2VjcmV0,iv:aXY=,tag:dGFn,type:str]\n`).join('')}sops: {version: 3.9.0}\n`,
  )

const postBuild = `postBuild:
  substituteFrom:
    - {kind: ConfigMap, name: cluster-settings}
    - {kind: Secret, name: cluster-secrets}`

const release = (host: string) =>
  object(
    'helm.toolkit.fluxcd.io/v2',
    'HelmRelease',
    'web',
    'shop',
    `spec:
  chart: {spec: {chart: web, sourceRef: {kind: HelmRepository, name: charts}}}
  values:
    ingress:
      enabled: true
      className: \${CLASS}
      hosts: [{host: "${host}"}]
`,
  )

const files = (more: string = postBuild): Files => ({
  'flux/source.yaml': repository(),
  'flux/settings.yaml': configMap('cluster-settings', 'flux-system', 'CLASS: internal'),
  'flux/secrets.sops.yaml': secret('SECRET_DOMAIN', 'SECRET_TOKEN'),
  'flux/shop.yaml': kustomization('shop', './shop', more),
  'shop/kustomization.yaml': 'resources: [web.yaml]\n',
  'shop/web.yaml': release('web.${SECRET_DOMAIN}'),
})

/** The places and texts of the rule's findings. */
async function unset(base: Files, head: Files): Promise<string[]> {
  const { findings } = await checkOpened(opened(base, head, url), ...toolsOf(), '--policy', ...newestVersions)
  return findings
    .filter(({ rule, status }) => rule === 'ingress-tls/variables-set' && status === 'introduced')
    .map(({ location: { side, path, region }, text }) => `${side}/${path}:${region.startLine} ${text}`)
}

const misspelled = { 'shop/web.yaml': release('web.${SECRET_DOMAN}') }

describe('a variable that nothing sets', () => {
  const found =
    'head/shop/web.yaml:12 HelmRelease shop/web has web.${SECRET_DOMAN}, and nothing sets the variable SECRET_DOMAN, so Flux makes web. of it. Use SECRET_DOMAIN, which is set, or set SECRET_DOMAN beside the others.'

  test('is found beside the names in a Secret that SOPS encrypts', async () => {
    expect(await unset(files(), misspelled)).toEqual([found])
  })

  test('is found where a patch of another Kustomization gives the variables', async () => {
    const patch = object(
      'kustomize.toolkit.fluxcd.io/v1',
      'Kustomization',
      'any',
      'flux-system',
      `spec:\n${indented(postBuild, 2)}\n`,
    )
    const top = `patches:\n  - target: {kind: Kustomization}\n    patch: |\n${indented(patch, 6)}`
    const patched = {
      ...files(''),
      'flux/shop.yaml': kustomization('top', './apps', top),
      'apps/kustomization.yaml': 'resources: [shop.yaml]\n',
      'apps/shop.yaml': kustomization('shop', './shop'),
    }
    expect(await unset(patched, misspelled)).toEqual([found])
  })

  test('is found where the change takes its definition away', async () => {
    expect(await unset(files(), { 'flux/secrets.sops.yaml': secret('SECRET_TOKEN') })).toEqual([
      'base/flux/secrets.sops.yaml:7 HelmRelease shop/web has web.${SECRET_DOMAIN}, and nothing sets the variable SECRET_DOMAIN, so Flux makes web. of it. Use a variable that is set, or set SECRET_DOMAIN beside the others.',
    ])
  })

  test('is no finding of a change that it does not come with', async () => {
    const before = { ...files(), ...misspelled, 'shop/other.yaml': configMap('other', 'shop', 'a: b') }
    expect(await unset(before, { 'shop/other.yaml': null })).toEqual([])
  })
})

test.each([
  ['renders nothing, where nothing uses it', files(), []],
  ['renders what uses it, once for both sides', { ...files(), ...misspelled }, ['flux/shop.yaml']],
])('a key that an encrypted Secret gets %s', async (_, base, expected) => {
  const head = { 'flux/secrets.sops.yaml': secret('SECRET_DOMAIN', 'SECRET_TOKEN', 'SECRET_DOMAN') }
  const { timings } = await checkOpened(opened(base, head, url), ...toolsOf(), '--timings')
  expect(timings?.slowest.map(({ path }) => path)).toEqual(expected)
})

describe('is not stated of a variable', () => {
  const made = (kind: string, group: string, spec: string) =>
    object(`${group}/v1`, kind, 'cluster', 'flux-system', spec)

  test.each<[string, Files]>([
    ['of a Secret that is not here', { 'flux/secrets.sops.yaml': null }],
    [
      'of a Secret that an operator makes',
      {
        'flux/secrets.sops.yaml': made(
          'ExternalSecret',
          'external-secrets.io',
          'spec: {target: {name: cluster-secrets}}\n',
        ),
      },
    ],
    [
      'of a Secret that an operator makes in another cluster',
      {
        'other/secrets.yaml': made(
          'ExternalSecret',
          'external-secrets.io',
          'spec: {target: {name: cluster-secrets}}\n',
        ),
      },
    ],
    [
      'that a ConfigMap of the same name in another cluster sets',
      { 'other/settings.yaml': configMap('cluster-settings', 'flux-system', 'SECRET_DOMAN: b.example.com') },
    ],
    ['where no variable is set', { 'flux/shop.yaml': kustomization('shop', './shop', 'postBuild: {substitute: {}}') }],
    ['where none is filled in', { 'flux/shop.yaml': kustomization('shop', './shop') }],
  ])('%s', async (_, more) => {
    expect(await unset({ ...files(), ...more }, misspelled)).toEqual([])
  })
})
