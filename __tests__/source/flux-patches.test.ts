import { describe, expect, test } from '@jest/globals'
import { kustomization, repository } from './flux-objects'
import { hostsOf, object, probe, url, whole } from './probe'

/** A patch of the Kustomization `web`, which gives all of them their source. */
const source = object(
  'kustomize.toolkit.fluxcd.io/v1',
  'Kustomization',
  'web',
  'flux-system',
  'spec:\n  prune: true\n  sourceRef: {kind: GitRepository, name: here}\n',
)

const files = {
  'flux/kustomization.yaml': 'resources: [source.yaml, web.yaml]\npatches: [{path: patches/source.yaml}]\n',
  'flux/source.yaml': repository(),
  'flux/web.yaml': kustomization('web', './web'),
  'flux/patches/source.yaml': source,
  'web/web.yaml': probe('web', 'a.example.com'),
  // Nothing deploys it: were the patch an object, it would have the path of the root.
  'archive/kustomization.yaml': 'resources: [../web]\n',
}

describe('a file of patches', () => {
  test.each([
    ['patches', '[{path: patches/source.yaml}]'],
    ['patchesStrategicMerge', '[patches/source.yaml]'],
  ])('holds no object where a Kustomization names it under %s', async (field, written) => {
    const taking = `resources: [source.yaml, web.yaml]\n${field}: ${written}\n`
    const { inspected } = await whole({ ...files, 'flux/kustomization.yaml': taking })
    expect(inspected.head.rendered).toBeGreaterThan(0)
    expect(inspected.skipped.map(({ path }) => path)).not.toContain('flux/patches/source.yaml')
    expect(await hostsOf({ ...files, 'flux/kustomization.yaml': taking })).toEqual(['/web a.example.com'])
  })

  test('holds objects nevertheless where an Application applies the folder as it is', async () => {
    const application = (name: string, path: string) =>
      object(
        'argoproj.io/v1alpha1',
        'Application',
        name,
        'argocd',
        `spec:\n  source: {repoURL: "${url}", path: ${path}}\n  destination: {namespace: ${name}}\n`,
      )
    const chart = {
      'charts/edge/Chart.yaml': 'apiVersion: v2\nname: edge\nversion: 1.0.0\n',
      'charts/edge/templates/web.yaml': probe('edge', 'edge.example.com'),
    }
    const taken = {
      ...chart,
      'root.yaml': application('root', 'apps'),
      'apps/edge.yaml': application('edge', 'charts/edge'),
      'decoy/kustomization.yaml': 'patches: [{path: ../apps/edge.yaml}]\n',
    }
    expect(await hostsOf(taken)).toContain('edge/edge edge.example.com')
  })
})
