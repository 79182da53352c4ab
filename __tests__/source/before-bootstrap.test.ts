import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { kustomization, repository } from './flux-objects'
import { ingress, kustomization as kustomize } from './kustomize-objects'
import { change, probe, whole } from './probe'
import type { Files } from './repository'

const readme: Files = { 'README.md': 'platform' }
const entries = 'resources: [../web, ./flux-system]'

/** A cluster that is there to be copied: `flux bootstrap` makes the folder `flux-system` of the copy. */
const example = (place: string, written = entries): Files => ({
  [`${place}/dev/kustomization.yaml`]: kustomize(written),
  [`${place}/web/kustomization.yaml`]: kustomize('resources: [web.yaml]'),
  [`${place}/web/web.yaml`]: ingress('a.example.com'),
})

const error = (place: string) => `introduced error head/${place} source/unrendered`

describe('an example that nothing deploys and that lacks what a bootstrap makes', () => {
  test.each(['examples', 'docs/samples', 'platform/docs'])('is no error in %s', async (place) => {
    const { findings, inspected } = await change(readme, example(place))
    expect(findings.filter(({ rule }) => rule === 'source/unrendered')).toEqual([])
    expect(inspected.files).toContainEqual(
      expect.objectContaining({ path: `${place}/dev/kustomization.yaml`, state: 'not-deployed', cause: 'idle' }),
    )
    expect(inspected.skipped.map(({ path }) => path)).toContain(`${place}/dev/kustomization.yaml`)
  })

  test('is no error where a revision is judged whole', async () => {
    const { findings } = await whole({ ...readme, ...example('examples') })
    expect(findings.filter(({ rule }) => rule === 'source/unrendered')).toEqual([])
  })

  test('is still read without it', async () => {
    const { inspected } = await change(readme, example('examples'))
    expect(inspected.head.manifests).toBeGreaterThan(0)
  })
})

describe('it is an error', () => {
  test.each<[what: string, base: Files, head: Files, place: string]>([
    ['in another folder', readme, example('clusters'), 'clusters/dev/kustomization.yaml:3'],
    [
      'where another entry is not there',
      readme,
      example('examples', 'resources: [../web, ./flux-sytem]'),
      'examples/dev/kustomization.yaml:3',
    ],
    [
      'where Flux deploys the example',
      { ...readme, 'flux/source.yaml': repository() },
      { ...example('examples'), 'flux/dev.yaml': kustomization('dev', './examples/dev') },
      'examples/dev/kustomization.yaml:3',
    ],
    [
      'where it was built before',
      {
        ...example('examples'),
        'examples/dev/flux-system/kustomization.yaml': kustomize('resources: [more.yaml]'),
        'examples/dev/flux-system/more.yaml': probe('more', 'b.example.com'),
      },
      { 'examples/dev/flux-system/kustomization.yaml': null, 'examples/dev/flux-system/more.yaml': null },
      'examples/dev/kustomization.yaml:3',
    ],
  ])('%s', async (_, base, head, place) => {
    expect(lines(await change(base, head))).toContain(error(place))
  })
})
