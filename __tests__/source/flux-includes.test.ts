import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { kustomization, release, repository } from './flux-objects'
import { change, chart, hostsOf, object, probe, role, whole } from './probe'
import type { Files } from './repository'

const other = 'https://github.com/acme/fleet.git'

/** A GitRepository with parts of others. */
const including = (name: string, include: string, { url = other, more = '' } = {}) =>
  object(
    'source.toolkit.fluxcd.io/v1',
    'GitRepository',
    name,
    'flux-system',
    `spec: {url: "${url}", include: ${include}${more}}\n`,
  )

const of = (source: string, written: string) => written.replaceAll('name: here', `name: ${source}`)

const files: Files = {
  'flux/here.yaml': repository(),
  'flux/fleet.yaml': including('fleet', '[{repository: {name: here}, fromPath: deploy, toPath: apps}]'),
  'flux/web.yaml': of('fleet', kustomization('web', './apps/web', 'targetNamespace: shop')),
  'deploy/web/kustomization.yaml': 'resources: [web.yaml, role.yaml]\n',
  'deploy/web/web.yaml': probe('web', 'one.example.com'),
  'deploy/web/role.yaml': role,
}

async function listed(given: Files): Promise<string[]> {
  const { inspected } = await whole({ ...files, ...given })
  return inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)
}

describe('files of this repository that another GitRepository includes', () => {
  test('are those of the folder that they are taken from', async () => {
    expect(await hostsOf(files)).toEqual(['shop/web one.example.com'])
    expect(await listed({})).toEqual([])
  })

  test('have a folder with the name of their GitRepository, unless another is given', async () => {
    const named = { 'flux/fleet.yaml': including('fleet', '[{repository: {name: here}}]') }
    const at = { 'flux/web.yaml': of('fleet', kustomization('web', './here/deploy/web', 'targetNamespace: shop')) }
    expect(await hostsOf({ ...files, ...named, ...at })).toEqual(['shop/web one.example.com'])
  })

  test('are left out where the including GitRepository leaves them out', async () => {
    const ignore = including('fleet', '[{repository: {name: here}, fromPath: deploy, toPath: apps}]', {
      more: ', ignore: /apps/web/role.yaml',
    })
    const plain = { 'deploy/web/kustomization.yaml': null }
    const report = await change({ ...files, ...plain }, { 'flux/fleet.yaml': ignore })
    expect(lines(report)).toEqual(['introduced error head/flux/fleet.yaml:6 protected-rbac/object-kept'])
  })

  test('are followed over several GitRepositories', async () => {
    const chain = {
      'flux/fleet.yaml': including('fleet', '[{repository: {name: middle}, fromPath: m/web, toPath: apps/web}]'),
      'flux/middle.yaml': including('middle', '[{repository: {name: here}, fromPath: deploy, toPath: m}]'),
    }
    expect(await hostsOf({ ...files, ...chain })).toEqual(['shop/web one.example.com'])
  })

  test('can be a chart', async () => {
    const given = {
      ...chart,
      'flux/fleet.yaml': including('fleet', '[{repository: {name: here}, fromPath: charts, toPath: all}]'),
      'flux/web.yaml': of('fleet', release('values: {host: two.example.com}', { chart: './all/edge' })),
      'deploy/web/kustomization.yaml': null,
      'deploy/web/web.yaml': null,
      'deploy/web/role.yaml': null,
    }
    expect(await hostsOf({ ...files, ...given })).toEqual(['shop/web two.example.com'])
  })

  test.each<[what: string, given: Files, reason: string]>([
    [
      'a folder of the other repository itself',
      { 'flux/web.yaml': of('fleet', kustomization('web', './own')) },
      `GitRepository fleet, ${other}, is not in this repository`,
    ],
    [
      'a folder that is above the included one',
      { 'flux/web.yaml': of('fleet', kustomization('web', './')) },
      `GitRepository fleet, ${other}, is not in this repository`,
    ],
    [
      'an unknown GitRepository',
      { 'flux/fleet.yaml': including('fleet', '[{repository: {name: gone}, toPath: apps}]') },
      'GitRepository gone is not in this repository',
    ],
    [
      'a circle',
      {
        'flux/fleet.yaml': including('fleet', '[{repository: {name: middle}, toPath: apps}]'),
        'flux/middle.yaml': including('middle', '[{repository: {name: fleet}, toPath: web}]'),
      },
      'GitRepository fleet includes itself',
    ],
    [
      'a path above the other one, which stops at its root',
      { 'flux/fleet.yaml': including('fleet', '[{repository: {name: here}, fromPath: ../.., toPath: apps}]') },
      'there is no folder web in this repository',
    ],
    [
      'a folder that is not there',
      { 'flux/web.yaml': of('fleet', kustomization('web', './apps/gone')) },
      'there is no folder deploy/gone in this repository',
    ],
    [
      'too many of them',
      {
        'flux/fleet.yaml': including(
          'fleet',
          `[${Array.from({ length: 101 }, (_, index) => `{repository: {name: here}, toPath: a${index}}`).join()}]`,
        ),
      },
      'GitRepository fleet has more than 100 includes',
    ],
  ])('are listed for %s', async (_, given, reason) => {
    expect(await listed(given)).toEqual([`flux/web.yaml: Kustomization flux-system/web: ${reason}`])
  })

  test('that this repository includes from elsewhere are listed', async () => {
    const given = {
      'flux/here.yaml': including('here', '[{repository: {name: fleet}, toPath: deploy/vendor}]', {
        url: 'https://github.com/acme/platform.git',
      }),
      'flux/fleet.yaml': repository(other).replace('name: here', 'name: fleet'),
      'flux/web.yaml': kustomization('web', './deploy/vendor/x'),
      'flux/own.yaml': kustomization('own', './deploy', 'targetNamespace: shop'),
    }
    const reason = `GitRepository fleet, ${other}, is not in this repository`
    expect(await listed(given)).toEqual([
      `flux/own.yaml: Kustomization flux-system/own: ${reason}`,
      `flux/web.yaml: Kustomization flux-system/web: ${reason}`,
    ])
    expect(await hostsOf({ ...files, ...given })).toEqual(['shop/web one.example.com'])
  })
})
