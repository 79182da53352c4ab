import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { configMap, role } from './objects'
import { change, object, url } from './probe'
import type { Files } from './repository'

const repository = object(
  'source.toolkit.fluxcd.io/v1',
  'GitRepository',
  'flux-system',
  'flux-system',
  `spec: {url: "${url}", ref: {branch: main}}\n`,
)

const applied = (path: string, more = '') =>
  object(
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    'web',
    'flux-system',
    `spec: {path: "${path}", prune: true, sourceRef: {kind: GitRepository, name: flux-system}${more}}\n`,
  )

const source: Files = { 'flux/source.yaml': repository }
const flux = (more = ''): Files => ({ ...source, 'flux/web.yaml': applied('./web', more) })
const folder = (...lines: string[]): Files => ({
  'web/kustomization.yaml': kustomization('resources: [settings.yaml, role.yaml]', ...lines),
  'web/settings.yaml': configMap('settings'),
  'web/role.yaml': role('web'),
})

async function found(base: Files, head: Files): Promise<string[]> {
  const { findings } = await change(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/without-namespace')
    .map(
      ({ level, status, location: { path, region }, text }) => `${status} ${level} ${path}:${region.startLine} ${text}`,
    )
}

const lost = (at: string) =>
  `introduced warning ${at} ConfigMap settings names no namespace, so Flux applies nothing of its Kustomization: "namespace not specified". Set \`namespace\` in the kustomization.yaml, \`metadata.namespace\` in the object, or \`spec.targetNamespace\` in the Kustomization of Flux.`

describe('an object without a namespace that Flux applies', () => {
  test('is reported when it is new', async () => {
    expect(await found(source, { ...flux(), ...folder() })).toEqual([lost('web/settings.yaml:1')])
  })

  test('is reported when the Kustomization gives it none any more', async () => {
    const base = { ...flux(), ...folder('namespace: web') }
    const head = { 'web/kustomization.yaml': folder('metadata: {namespace: web}')['web/kustomization.yaml'] ?? null }
    expect(await found(base, head)).toEqual([lost('web/kustomization.yaml:4')])
  })

  test.each<[string, Files, Files]>([
    ['the Kustomization gives it one', source, { ...flux(), ...folder('namespace: web') }],
    ['the Kustomization of Flux gives it one', source, { ...flux(', targetNamespace: web'), ...folder() }],
    ['it was there before', { ...flux(), ...folder() }, { 'web/settings.yaml': configMap('settings', 'other') }],
    [
      'another one is without a namespace already',
      { ...flux(), ...folder() },
      {
        'web/kustomization.yaml': kustomization('resources: [settings.yaml, role.yaml, more.yaml]'),
        'web/more.yaml': configMap('more'),
      },
    ],
    [
      'Flux applies it from another object already',
      { ...flux(), ...folder() },
      { 'flux/more.yaml': applied('./web').replace('name: web', 'name: more') },
    ],
    ['Flux does not apply it', {}, folder()],
    [
      'nothing is known of its kind',
      source,
      { ...flux(), ...folder(), 'web/settings.yaml': object('example.com/v1', 'Web', 'a', '', '') },
    ],
  ])('is passed over if %s', async (_, base, head) => {
    expect(await found(base, head)).toEqual([])
  })
})
