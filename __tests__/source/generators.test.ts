import { describe, expect, test } from '@jest/globals'
import { hostsOf, object, probe, url, whole } from './probe'
import type { Files } from './repository'

const entry = (folder: string, host: string): Files => ({
  [`${folder}/kustomization.yaml`]: 'resources: [web.yaml]\n',
  [`${folder}/web.yaml`]: probe('web', host),
})

/** An ApplicationSet whose template deploys a path into a namespace. */
const set = (generators: string, path: string, namespace: string, more = '') =>
  object(
    'argoproj.io/v1alpha1',
    'ApplicationSet',
    'all',
    'argocd',
    `spec:
  generators: ${generators}
${more}  template:
    metadata: {name: "${namespace}"}
    spec:
      source: {repoURL: "${url}", path: "${path}"}
      destination: {namespace: "${namespace}"}
`,
  )

const files: Files = {
  ...entry('apps/one', 'one.example.com'),
  ...entry('apps/two', 'two.example.com'),
  'config/prod/one.yaml': 'app: {name: one, space: [first]}\n',
  'config/prod/two.json': '[{"app": {"name": "two", "space": ["second"]}}]\n',
}
const git = `git: {repoURL: "${url}"`

describe('the Applications of an ApplicationSet', () => {
  test.each<[what: string, made: string, expected: string[]]>([
    [
      'of files, flattened',
      set(`[{${git}, files: [{path: config/*.yaml}]}}]`, 'apps/{{app.name}}', '{{path[1]}}-{{app.space[0]}}'),
      ['prod-first/web one.example.com'],
    ],
    [
      'of lists in files, with one left out',
      set(
        `[{${git}, files: [{path: config}, {path: config/prod/one.yaml, exclude: true}]}}]`,
        'apps/{{.app.name}}',
        '{{.path.basename}}-{{.app.name}}',
        '  goTemplate: true\n',
      ),
      ['prod-two/web two.example.com'],
    ],
    [
      'of a matrix, whose second generator uses the first',
      set(
        `[{matrix: {generators: [{list: {elements: [{dir: apps, env: x}]}}, {${git}, directories: [{path: "{{dir}}/*"}]}}]}}]`,
        '{{path}}',
        '{{env}}-{{path.basename}}',
      ),
      ['x-one/web one.example.com', 'x-two/web two.example.com'],
    ],
    [
      'of a merge, which drops what its first generator has not',
      set(
        '[{merge: {mergeKeys: [name], generators: [{list: {elements: [{name: one, ns: a}, {name: two, ns: b}]}}, {list: {elements: [{name: two, ns: c}, {name: three, ns: d}]}}]}}]',
        'apps/{{name}}',
        '{{ns}}',
      ),
      ['a/web one.example.com', 'c/web two.example.com'],
    ],
  ])('are those %s', async (_, made, expected) => {
    const hosts = await hostsOf({ ...files, 'set.yaml': made })
    // A folder that none of them deploys is a root of its own, without a namespace.
    expect(hosts.filter((host) => !host.startsWith('/')).sort()).toEqual(expected)
  })

  test.each([
    [
      'clusters, which Argo CD alone knows',
      '[{clusters: {}}]',
      'the clusters of its generator clusters are known to Argo CD alone, and not to this repository',
    ],
    [
      'a matrix of them',
      '[{matrix: {generators: [{list: {elements: [{a: b}]}}, {clusters: {}}]}}]',
      'the clusters of its generator clusters are known to Argo CD alone, and not to this repository',
    ],
    [
      'a file that cannot be read',
      `[{${git}, files: [{path: broken.yaml}]}}]`,
      'broken.yaml, which its generator git reads, cannot be read',
    ],
  ])('are listed as unknown by %s', async (_, generators, reason) => {
    const { inspected } = await whole({
      ...files,
      'broken.yaml': 'a: [\n',
      'set.yaml': set(generators, 'apps/{{name}}', '{{name}}'),
    })
    expect(inspected.skipped).toContainEqual({ path: 'set.yaml', reason: `ApplicationSet argocd/all: ${reason}` })
  })

  test.each<[what: string, generators: string, path: string, expected: string[]]>([
    ['clusters', '[{clusters: {values: {env: x}}}]', 'apps/one', ['x-in-cluster/web one.example.com']],
    [
      'clusters and folders',
      `[{matrix: {generators: [{clusters: {values: {env: x}}}, {${git}, directories: [{path: apps/*}]}}]}}]`,
      '{{path}}',
      ['x-in-cluster/web one.example.com', 'x-in-cluster/web two.example.com'],
    ],
  ])('are read where each of the %s gets the same', async (_, generators, path, expected) => {
    const hosts = await hostsOf({ ...files, 'set.yaml': set(generators, path, '{{values.env}}-{{name}}') })
    expect(hosts.filter((host) => !host.startsWith('/')).sort()).toEqual(expected)
  })

  test.each([
    ['a value of each cluster', '[{clusters: {values: {app: "{{metadata.labels.app}}"}}}]', 'apps/{{values.app}}'],
    ['a selector', '[{clusters: {}, selector: {matchLabels: {env: prod}}}]', 'apps/one'],
    [
      'folders of each cluster',
      `[{matrix: {generators: [{clusters: {}}, {${git}, directories: [{path: "apps/{{name}}"}]}}]}}]`,
      '{{path}}',
    ],
  ])('are unknown where they depend on %s', async (_, generators, path) => {
    const { inspected } = await whole({ ...files, 'set.yaml': set(generators, path, 'shop') })
    const reason = 'the clusters of its generator clusters are known to Argo CD alone, and not to this repository'
    expect(inspected.skipped).toContainEqual({ path: 'set.yaml', reason: `ApplicationSet argocd/all: ${reason}` })
  })

  test('lead to a folder that `ignore` hides', async () => {
    const hidden = { ...entry('x/vendor/shop', 'hidden.example.com') }
    const made = set(
      '[{matrix: {generators: [{list: {elements: [{a: vendor}]}}, {list: {elements: [{b: shop}]}}]}}]',
      'x/{{a}}/{{b}}',
      '{{b}}',
    )
    expect(await hostsOf({ ...hidden, 'set.yaml': made })).toEqual(['shop/web hidden.example.com'])
  })
})
