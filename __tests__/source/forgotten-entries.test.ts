import { describe, expect, test } from '@jest/globals'
import { kustomization as flux, repository } from './flux-objects'
import { kustomization } from './kustomize-objects'
import { configMap, role } from './objects'
import { change } from './probe'
import type { Files } from './repository'

const base: Files = {
  'web/kustomization.yaml': kustomization('resources: [bases/api.yaml, bases/shop.yaml, settings.yaml, role.yaml]'),
  'web/bases/api.yaml': configMap('api'),
  'web/bases/shop.yaml': configMap('shop'),
  'web/settings.yaml': configMap('settings'),
  'web/role.yaml': role('web'),
  'web/values.yaml': 'replicas: 2\n',
}

/** Namespaces of a Flux home, each with an app in a folder of its own. */
const apps = ['dns', 'mail', 'wiki']
const home: Files = {
  'flux/source.yaml': repository(),
  'flux/apps.yaml': flux('apps', './apps'),
  'apps/kustomization.yaml': kustomization('resources:', ...apps.map((app) => `  - ${app}/ks.yaml`)),
  ...Object.fromEntries(apps.map((app) => [`apps/${app}/ks.yaml`, flux(app, `./apps/${app}/app`)])),
  ...Object.fromEntries(
    apps.map((app) => [`apps/${app}/app/kustomization.yaml`, kustomization('resources: [role.yaml]')]),
  ),
  ...Object.fromEntries(apps.map((app) => [`apps/${app}/app/role.yaml`, role(app)])),
}

async function forgotten(before: Files, head: Files): Promise<string[]> {
  const { findings } = await change(before, head)
  return findings
    .filter(({ rule, message }) => rule === 'source/not-listed' && message === 'forgotten')
    .map(
      ({ level, status, location, text }) => `${status} ${level} ${location.path}:${location.region.startLine} ${text}`,
    )
}

describe('a new file in a place where a Kustomization lists all others', () => {
  test('is reported in its own folder', async () => {
    expect(await forgotten(base, { 'web/more.yaml': configMap('more') })).toEqual([
      'introduced warning web/more.yaml:1 This change adds ConfigMap more, but web/kustomization.yaml does not list more.yaml, although it lists all others in that place (role.yaml, settings.yaml), so nothing is deployed of it. Add more.yaml to its resources, or remove what is not needed.',
    ])
  })

  test('is reported with others in that place', async () => {
    expect(await forgotten(base, { 'web/more.yaml': configMap('more'), 'web/chat.yaml': configMap('chat') })).toEqual([
      'introduced warning web/chat.yaml:1 This change adds ConfigMap chat, ConfigMap more, but web/kustomization.yaml does not list chat.yaml, more.yaml, although it lists all others in that place (role.yaml, settings.yaml), so nothing is deployed of it. Add chat.yaml, more.yaml to its resources, or remove what is not needed.',
    ])
  })

  test('is reported in a folder below', async () => {
    expect(await forgotten(base, { 'web/bases/wiki.yaml': configMap('wiki') })).toEqual([
      expect.stringContaining(
        'does not list bases/wiki.yaml, although it lists all others in that place (bases/api.yaml',
      ),
    ])
  })

  test('is reported in a folder beside others, by its name', async () => {
    const head = {
      'apps/chat/ks.yaml': flux('chat', './apps/chat/app'),
      'apps/chat/app/kustomization.yaml': kustomization('resources: [role.yaml]'),
      'apps/chat/app/role.yaml': role('chat'),
    }
    expect(await forgotten(home, head)).toEqual([
      expect.stringMatching(
        /apps\/chat\/ks\.yaml:1 This change adds Kustomization \S*chat, but apps\/kustomization\.yaml does not list chat\/ks\.yaml, although it lists all others in that place \(dns\/ks\.yaml, mail\/ks\.yaml, wiki\/ks\.yaml\)/,
      ),
    ])
  })

  test('is reported as a folder', async () => {
    const folders = (...names: string[]): Files =>
      Object.fromEntries(
        names.flatMap((name) => [
          [`all/${name}/kustomization.yaml`, kustomization('resources: [role.yaml]')],
          [`all/${name}/role.yaml`, role(name)],
        ]),
      )
    const before = { 'all/kustomization.yaml': kustomization('resources: [a, b, c]'), ...folders('a', 'b', 'c') }
    expect(await forgotten(before, folders('d'))).toEqual([
      'introduced warning all/d/kustomization.yaml:1 This change adds the folder all/d, but all/kustomization.yaml does not list d, although it lists all others in that place (a, b, c), so nothing is deployed of it. Add d to its resources, or remove what is not needed.',
    ])
  })

  test.each<[string, Files, Files]>([
    [
      'it is listed',
      {},
      {
        'web/kustomization.yaml': kustomization(
          'resources: [bases/api.yaml, bases/shop.yaml, settings.yaml, role.yaml, more.yaml]',
        ),
        'web/more.yaml': configMap('more'),
      },
    ],
    ['another one is not listed', { 'web/idle.yaml': configMap('idle') }, { 'web/more.yaml': configMap('more') }],
    [
      'a generator names it',
      {
        'web/kustomization.yaml': kustomization(
          'resources: [bases/api.yaml, bases/shop.yaml, settings.yaml, role.yaml]',
          'generators: [secrets.yaml]',
        ),
        'web/secrets.yaml': 'apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: more}\nfiles: [more.enc.yaml]\n',
      },
      { 'web/more.enc.yaml': configMap('more') },
    ],
    [
      'it is a Kustomization of the root that lists all folders',
      Object.fromEntries(
        ['a', 'b', 'c'].flatMap((name) => [
          [`${name}/kustomization.yaml`, kustomization('resources: [role.yaml]')],
          [`${name}/role.yaml`, role(name)],
        ]),
      ),
      { 'kustomization.yaml': kustomization('resources: [a, b, c, web]') },
    ],
    ['it has no objects', {}, { 'web/more.yaml': 'a: 1\n' }],
    [
      'its object is deployed from another file',
      {},
      {
        'web/kustomization.yaml': kustomization(
          'resources: [bases/api.yaml, bases/shop.yaml, settings.yaml, role.yaml, all.yaml]',
        ),
        'web/all.yaml': configMap('more'),
        'web/more.yaml': configMap('more'),
      },
    ],
    ['it was there before', { 'web/more.yaml': configMap('more') }, { 'web/more.yaml': configMap('other') }],
    [
      'another object of Flux deploys it',
      home,
      { 'flux/chat.yaml': flux('chat', './chat'), 'chat/role.yaml': role('chat') },
    ],
  ])('is not where %s', async (_, more, head) => {
    expect(await forgotten({ ...base, ...more }, head)).toEqual([])
  })
})
