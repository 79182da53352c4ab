import { expect, test } from '@jest/globals'
import { ingress, kustomization, uncovered } from '../source/kustomize-objects'
import { judgeChange, places, relatedPlaces } from '../source/rendered'

/** An Ingress whose first host has no certificate, in a base of an overlay. */
const base = {
  'base/kustomization.yaml': kustomization('resources:', '  - ingress.yaml'),
  'base/ingress.yaml': ingress('a.example.com', 'b.example.com').replace('[a.example.com, ', '['),
  'other/kustomization.yaml': kustomization('resources:', '  - ingress.yaml'),
  'other/ingress.yaml': ingress('c.example.com').replace('name: web', 'name: other'),
  'overlays/prod/kustomization.yaml': kustomization('resources:', '  - ../../base', '  - ../../other'),
}
const origin = ['head/base/ingress.yaml:11 exact rendered from here']

test('an object that a new overlay includes: the entry that brings it', async () => {
  const report = await judgeChange(base, {
    'overlays/test/kustomization.yaml': kustomization('resources:', '  - ../../other', '  - ../../base'),
  })
  expect(places(report)).toEqual([`head/overlays/test/kustomization.yaml:5 exact ${uncovered}`])
  expect(relatedPlaces(report, uncovered)).toEqual(origin)
})

test('the only entry, without which the overlay would not build', async () => {
  const report = await judgeChange(base, {
    'overlays/test/kustomization.yaml': kustomization('resources:', '  - ../../base'),
  })
  expect(places(report)).toEqual([`head/overlays/test/kustomization.yaml:4 exact ${uncovered}`])
  expect(relatedPlaces(report, uncovered)).toEqual(origin)
})

test('of an overlay that changes what it includes, the line that decides', async () => {
  const patch = ingress('c.example.com').replace('name: web', 'name: other').replace('[c.', '[d.')
  const report = await judgeChange(base, {
    'overlays/test/kustomization.yaml': kustomization(
      'resources:',
      '  - ../../other',
      'patches:',
      '  - path: tls.yaml',
    ),
    'overlays/test/tls.yaml': patch,
  })
  expect(places(report)).toEqual([`head/overlays/test/kustomization.yaml:6 exact ${uncovered}`])
})
