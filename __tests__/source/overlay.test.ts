import { describe, expect, test } from '@jest/globals'
import { fluxOverlayOf, overlayOf } from '../../src/sources/overlay'

describe('images, as `kustomize edit set image` takes them', () => {
  test.each([
    ['nginx:1.27', { name: 'nginx', newTag: '1.27' }],
    ['nginx@sha256:abc', { name: 'nginx', digest: 'sha256:abc' }],
    ['localhost:5000/nginx:1', { name: 'localhost:5000/nginx', newTag: '1' }],
    ['nginx=ghcr.io/acme/nginx:1', { name: 'nginx', newName: 'ghcr.io/acme/nginx', newTag: '1' }],
    ['nginx=localhost:5000/nginx', { name: 'nginx', newName: 'localhost:5000/nginx' }],
    ['localhost:5000/a=b@sha256:abc', { name: 'localhost:5000/a', newName: 'b', digest: 'sha256:abc' }],
  ])('%s', (written, image) => {
    expect(overlayOf({ images: [written] })).toEqual({ images: [image] })
  })

  test('or as a kustomization.yaml has them', () => {
    const images = [{ name: 'nginx', newTag: '1' }]
    expect(overlayOf({ images })).toEqual({ images })
  })
})

test('counts of replicas are numbers', () => {
  expect(overlayOf({ replicas: [{ name: 'web', count: '2' }] })).toEqual({ replicas: [{ name: 'web', count: 2 }] })
})

test('an empty overlay changes nothing', () => {
  expect(overlayOf({ namePrefix: '', namespace: null, version: '5', images: undefined })).toBeUndefined()
})

test("Flux's own names", () => {
  expect(
    fluxOverlayOf({ targetNamespace: 'shop', commonMetadata: { labels: { a: 'b' }, annotations: { c: 'd' } } }),
  ).toEqual({ namespace: 'shop', commonAnnotations: { c: 'd' }, labels: [{ pairs: { a: 'b' } }] })
})
