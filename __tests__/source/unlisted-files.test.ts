import { describe, expect, test } from '@jest/globals'
import { kustomization as flux, repository } from './flux-objects'
import { kustomization } from './kustomize-objects'
import { configMap, role } from './objects'
import { change, probe } from './probe'
import type { Files } from './repository'

const web = probe('web', 'covered.example.com')
const base: Files = {
  'web/kustomization.yaml': kustomization('resources: [settings.yaml]'),
  'web/settings.yaml': configMap('settings'),
}

/** The findings of a change of the folder `web`. */
async function unlisted(head: Files, more: Files = {}): Promise<string[]> {
  const { findings } = await change({ ...base, ...more }, head)
  return findings
    .filter(({ rule }) => rule === 'source/not-listed')
    .map(
      ({ level, status, location, text }) => `${status} ${level} ${location.path}:${location.region.startLine} ${text}`,
    )
}

describe('a new file in the folder of a Kustomization that does not list it', () => {
  test('is reported if it has an Ingress', async () => {
    expect(await unlisted({ 'web/web.yaml': web })).toEqual([
      'introduced warning web/web.yaml:1 This change adds Ingress web, but web/kustomization.yaml does not list the file, so it is not deployed with the others there. Add web.yaml to its resources, or remove the file.',
    ])
  })

  test('is reported if a comment names a file with a longer name', async () => {
    const head = {
      'web/kustomization.yaml': kustomization('resources: [settings.yaml]\n# shop-web.yaml'),
      'web/web.yaml': web,
    }
    expect(await unlisted(head)).toEqual([expect.stringContaining('This change adds Ingress web')])
  })

  test('is reported if the Kustomization is new, too', async () => {
    const head = { 'api/kustomization.yaml': kustomization('resources: [role.yaml]'), 'api/role.yaml': role('api') }
    expect(await unlisted({ ...head, 'api/web.yaml': web })).toEqual([
      expect.stringContaining('api/kustomization.yaml'),
    ])
  })

  test.each<[string, Files]>([
    [
      'it is listed',
      { 'web/kustomization.yaml': kustomization('resources: [settings.yaml, web.yaml]'), 'web/web.yaml': web },
    ],
    ['it has other objects', { 'web/role.yaml': role('web') }],
    [
      'the object is deployed from another file',
      {
        'web/kustomization.yaml': kustomization('resources: [settings.yaml, all.yaml]'),
        'web/all.yaml': web,
        'web/web.yaml': web,
      },
    ],
    [
      'it is a patch',
      {
        'web/kustomization.yaml': kustomization('resources: [settings.yaml]\npatches: [{path: web.yaml}]'),
        'web/web.yaml': web,
      },
    ],
    [
      'a comment of the Kustomization names it',
      {
        'web/kustomization.yaml': kustomization('resources:\n  - settings.yaml\n  # - web.yaml'),
        'web/web.yaml': web,
      },
    ],
    ['it is a template to copy', { 'web/web.template.yaml': web }],
    ['it is below the folder', { 'web/more/web.yaml': web }],
  ])('is not where %s', async (_, head) => {
    expect(await unlisted(head)).toEqual([])
  })

  test('is not where it was there before', async () => {
    expect(await unlisted({ 'web/web.yaml': web.replace('covered', 'other') }, { 'web/web.yaml': web })).toEqual([])
  })

  test('is not where Flux deploys other folders', async () => {
    const deployed: Files = {
      'flux/source.yaml': repository(),
      'flux/apps.yaml': flux('apps', './apps'),
      'apps/kustomization.yaml': kustomization('resources: [role.yaml]'),
      'apps/role.yaml': role('apps'),
    }
    expect(await unlisted({ 'web/web.yaml': web }, deployed)).toEqual([])
    expect(await unlisted({ 'apps/web.yaml': web }, deployed)).toEqual([expect.stringContaining('apps/web.yaml')])
  })
})
