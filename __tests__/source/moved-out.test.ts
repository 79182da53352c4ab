import { describe, expect, test } from '@jest/globals'
import { kept, kustomization, name } from './kustomize-objects'
import { configMap, role } from './objects'
import { change } from './probe'
import type { Files } from './repository'

const base: Files = {
  'edge/kustomization.yaml': kustomization('resources: [role.yaml, settings.yaml]'),
  'edge/role.yaml': role(name),
  'edge/settings.yaml': configMap('settings'),
}
const rest = { 'edge/role.yaml': null, 'edge/kustomization.yaml': kustomization('resources: [settings.yaml]') }

async function lost(head: Files, more: Files = {}): Promise<string[]> {
  const { findings } = await change({ ...base, ...more }, head)
  return findings.flatMap(({ rule, location, text }) =>
    rule === kept ? [`${location.path} ${text.slice(text.indexOf('It remains'))}`] : [],
  )
}

describe('an object that a Kustomization no longer lists', () => {
  test('is removed where its file goes to a folder that had no manifests', async () => {
    expect(await lost({ ...rest, 'archive/role.yaml': role(name) })).toEqual([
      'edge/kustomization.yaml It remains only in archive/role.yaml, and the Kustomization edge, which listed it, lists it no longer.',
    ])
  })

  test.each<[where: string, head: Files, more: Files]>([
    [
      'another Kustomization lists it',
      { ...rest, 'more/kustomization.yaml': kustomization('resources: [role.yaml]'), 'more/role.yaml': role(name) },
      {},
    ],
    [
      'the folder had manifests',
      { ...rest, 'more/role.yaml': role(name) },
      { 'more/settings.yaml': configMap('more') },
    ],
    [
      'the Kustomization goes, and the files are applied as they are',
      {
        'edge/role.yaml': null,
        'edge/settings.yaml': null,
        'edge/kustomization.yaml': null,
        'plain/role.yaml': role(name),
        'plain/settings.yaml': configMap('settings'),
      },
      {},
    ],
  ])('is kept where %s', async (_, head, more) => {
    expect(await lost(head, more)).toEqual([])
  })
})
