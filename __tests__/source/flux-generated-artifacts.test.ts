import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { kustomization, repository } from './flux-objects'
import { change, chart, hostsOf, object, probe, role, whole } from './probe'
import type { Files } from './repository'

const generator = (artifacts: string, more = '', sources = '[{alias: repo, kind: GitRepository, name: here}]') =>
  object(
    'source.extensions.fluxcd.io/v1beta1',
    'ArtifactGenerator',
    'split',
    'flux-system',
    `spec:\n  sources: ${sources}\n${more}  artifacts: ${artifacts}\n`,
  )

/** A Kustomization that takes a folder of an artifact. */
const taking = (folder: string, artifact = 'web') =>
  kustomization('web', folder, 'targetNamespace: shop')
    .replace('kind: GitRepository', 'kind: ExternalArtifact')
    .replace('name: here', `name: ${artifact}`)

const copy = (...copies: string[]) => generator(`[{name: web, copy: [${copies.join()}]}]`)

const files: Files = {
  'flux/here.yaml': repository(),
  'flux/split.yaml': copy('{from: "@repo/apps/web/**", to: "@artifact/"}'),
  'flux/web.yaml': taking('./'),
  'apps/web/kustomization.yaml': 'resources: [web.yaml, role.yaml]\n',
  'apps/web/web.yaml': probe('web', 'one.example.com'),
  'apps/web/role.yaml': role,
}

async function listed(given: Files): Promise<string[]> {
  const { inspected } = await whole({ ...files, ...given })
  return inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)
}

describe('files of this repository in an artifact of an ArtifactGenerator', () => {
  test.each<[what: string, given: Files]>([
    ['in its root', {}],
    [
      'in a folder',
      {
        'flux/split.yaml': copy('{from: "@repo/apps/**", to: "@artifact/all/"}'),
        'flux/web.yaml': taking('./all/web'),
      },
    ],
    [
      'in a folder of their own name',
      { 'flux/split.yaml': copy('{from: "@repo/apps/web/", to: "@artifact/x"}'), 'flux/web.yaml': taking('./x/web') },
    ],
    [
      'by a pattern, which keeps their path',
      {
        'flux/split.yaml': copy('{from: "@repo/apps/*/*.yaml", to: "@artifact/x/"}'),
        'flux/web.yaml': taking('./x/apps/web'),
      },
    ],
    [
      'of several folders that stay where they are to one another',
      {
        'flux/split.yaml': copy(
          '{from: "@repo/apps/web/**", to: "@artifact/web/"}',
          '{from: "@repo/apps/base/**", to: "@artifact/base/"}',
        ),
        'flux/web.yaml': taking('./web'),
        'apps/web/kustomization.yaml': 'resources: [web.yaml, ../base]\n',
        'apps/base/kustomization.yaml': 'resources: [../web/role.yaml]\n',
      },
    ],
    [
      'for each folder of a pattern of paths',
      {
        'flux/split.yaml': generator(
          '[{name: "{app}-{env}", copy: [{from: "@repo/teams/{app}/envs/{env}/**", to: "@artifact/"}]}]',
          '  pathPattern: "@repo/teams/{app}/envs/{env}"\n',
        ),
        'flux/web.yaml': taking('./', 'auth-dev'),
        'teams/Auth/envs/dev/kustomization.yaml': 'resources: [web.yaml]\n',
        'teams/Auth/envs/dev/web.yaml': probe('web', 'one.example.com'),
        'apps/web/kustomization.yaml': 'resources: [role.yaml]\n',
        'apps/web/web.yaml': null,
      },
    ],
    [
      'of another artifact',
      {
        'flux/split.yaml': generator(
          '[{name: web, copy: [{from: "@all/web/**", to: "@artifact/"}]}, {name: all, copy: [{from: "@repo/apps/**", to: "@artifact/"}]}]',
          '',
          '[{alias: repo, kind: GitRepository, name: here}, {alias: all, kind: ExternalArtifact, name: all}]',
        ),
      },
    ],
    ['of a GitRepository that only the cluster has', { 'flux/here.yaml': null }],
  ])('are followed: %s', async (_, given) => {
    expect(await listed(given)).toEqual([])
    expect(await hostsOf({ ...files, ...given })).toContain('shop/web one.example.com')
  })

  test('can be a chart', async () => {
    const release = object(
      'helm.toolkit.fluxcd.io/v2',
      'HelmRelease',
      'edge',
      'shop',
      'spec: {chartRef: {kind: ExternalArtifact, name: web, namespace: flux-system}, values: {host: two.example.com}}\n',
    )
    for (const from of ['@repo/charts/edge/**', '@repo/charts/edge']) {
      const given = {
        ...chart,
        'flux/split.yaml': copy(`{from: "${from}", to: "@artifact/"}`),
        'flux/web.yaml': release,
      }
      expect(await hostsOf({ ...files, ...given })).toContain('shop/edge two.example.com')
    }
  })

  test('are removed where the change leaves them out of it', async () => {
    const plain = { ...files, 'apps/web/kustomization.yaml': null }
    const without = copy('{from: "@repo/apps/web/**", to: "@artifact/", exclude: ["role.*"]}')
    expect(lines(await change(plain, { 'flux/split.yaml': without }))).toEqual([
      'introduced error head/flux/split.yaml:8 protected-rbac/object-kept',
    ])
  })

  test.each<[what: string, given: Files, reason: string]>([
    [
      'in its root, from several folders',
      {
        'flux/split.yaml': copy(
          '{from: "@repo/apps/web/**", to: "@artifact/"}',
          '{from: "@repo/flux/**", to: "@artifact/"}',
        ),
      },
      'ExternalArtifact web has files of several folders in its root',
    ],
    [
      'next to files of another repository',
      {
        'flux/split.yaml': generator(
          '[{name: web, copy: [{from: "@repo/apps/web/**", to: "@artifact/"}, {from: "@chart/**", to: "@artifact/sub/"}]}]',
          '',
          '[{alias: repo, kind: GitRepository, name: here}, {alias: chart, kind: OCIRepository, name: chart}]',
        ),
      },
      'OCIRepository chart is not in this repository',
    ],
    [
      'of another repository',
      { 'flux/here.yaml': repository('https://github.com/acme/other.git') },
      'GitRepository here, https://github.com/acme/other.git, is not in this repository',
    ],
    [
      'that are put together with others',
      { 'flux/split.yaml': copy('{from: "@repo/apps/web/**", to: "@artifact/", strategy: Merge}') },
      '@repo/apps/web/** is put together with other files (Merge)',
    ],
    [
      'from a path that leads out',
      { 'flux/split.yaml': copy('{from: "@repo/../../etc/**", to: "@artifact/"}') },
      'it copies @repo/../../etc/** to @artifact/, which leads out of it',
    ],
    [
      'from an alias without a source',
      { 'flux/split.yaml': copy('{from: "@none/apps/**", to: "@artifact/"}') },
      'ExternalArtifact web copies from @none, which is no source',
    ],
    [
      'of an artifact of itself',
      {
        'flux/split.yaml': generator(
          '[{name: web, copy: [{from: "@all/**", to: "@artifact/"}]}, {name: all, copy: [{from: "@web/**", to: "@artifact/"}]}]',
          '',
          '[{alias: web, kind: ExternalArtifact, name: web}, {alias: all, kind: ExternalArtifact, name: all}]',
        ),
      },
      'ExternalArtifact web includes itself',
    ],
    [
      'in a folder that it does not have',
      { 'flux/web.yaml': taking('./gone') },
      'there is no folder apps/web/gone in this repository',
    ],
    [
      'of folders that match too often',
      {
        'flux/split.yaml': generator(
          '[{name: "{app}", copy: [{from: "@repo/many/{app}/**", to: "@artifact/"}]}]',
          '  pathPattern: "@repo/many/{app}"\n',
        ),
        ...Object.fromEntries(Array.from({ length: 301 }, (_, index) => [`many/a${index}/a.txt`, ''])),
      },
      'ArtifactGenerator split: more than 300 folders match @repo/many/{app}',
    ],
  ])('are listed: %s', async (_, given, reason) => {
    expect(await listed(given)).toContainEqual(`flux/web.yaml: Kustomization flux-system/web: ${reason}`)
  })

  test('are listed where the Kustomization takes in others that it does not have', async () => {
    const given = {
      'apps/web/kustomization.yaml': 'resources: [web.yaml, ../base]\n',
      'apps/base/kustomization.yaml': 'resources: [../web/role.yaml]\n',
    }
    expect(await listed(given)).toEqual([
      'flux/web.yaml: Kustomization flux-system/web: ExternalArtifact web does not have apps/base/kustomization.yaml',
    ])
  })

  test('are not those of an artifact that nothing here makes', async () => {
    expect(await listed({ 'flux/web.yaml': taking('./', 'gone') })).toEqual([
      'flux/web.yaml: Kustomization flux-system/web: ExternalArtifact gone ./ is not in this repository',
    ])
  })
})
