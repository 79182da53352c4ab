import { expect, test } from '@jest/globals'
import { areApart, whereaboutsOf } from '../../src/cluster/apart'

const declarations = {
  base: { prod: { paths: ['shops/*/prod/**'] }, team: {} },
  head: { prod: { paths: ['shops/*/prod/**'] }, team: {}, late: { paths: ['late/**'] } },
}
const at = (place: string) => whereaboutsOf(place.includes('/') ? { path: place } : { cluster: place }, declarations)

test.each([
  ['clusters/east/a.yaml', 'clusters/west/a.yaml'],
  ['clusters/east/a.yaml', 'apps/a.yaml'],
  ['clusters/east/a.yaml', 'shops/one/prod/a.yaml'],
  ['shops/one/prod/a.yaml', 'team/a.yaml'],
  ['shops/one/prod/a.yaml', 'apps/a.yaml'],
  ['staging', 'prod'],
  ['staging', 'clusters/east/a.yaml'],
])('%s and %s are in different clusters', (one, other) => {
  expect([areApart(at(one), at(other)), areApart(at(other), at(one))]).toEqual([true, true])
})

test.each([
  ['clusters/east/a.yaml', 'clusters/east/b/c.yaml'],
  ['clusters/east/a.yaml', 'clusters/east/overlays/b/c.yaml'],
  // Folders that repeat each other may be clusters; their objects decide that.
  ['apps/a.yaml', 'other/b.yaml'],
  ['shops/one/prod/a.yaml', 'shops/two/prod/b.yaml'],
  ['shops/one/prod/a.yaml', 'prod'],
  ['team/a.yaml', 'team'],
  ['apps/a.yaml', 'apps'],
  // The base does not have that cluster: its files are where the layout or the objects place them.
  ['late/a.yaml', 'late'],
  ['late/a.yaml', 'other/b.yaml'],
])('%s and %s may be in one cluster', (one, other) => {
  expect([areApart(at(one), at(other)), areApart(at(other), at(one))]).toEqual([false, false])
})
