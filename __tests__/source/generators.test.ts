import { describe, expect, test } from '@jest/globals'
import { chart, hostsOf, object, probe, url, whole } from './probe'
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
    [
      'of clusters that a list names, and that have a folder',
      set(
        '[{merge: {mergeKeys: [nameNormalized], generators: [{clusters: {values: {root: apps, dir: none}}}, {list: {elements: [{nameNormalized: east, values.dir: one}, {nameNormalized: west, values.dir: gone}]}}]}}]',
        '{{values.root}}/{{values.dir}}',
        '{{name}}',
      ),
      ['east/web one.example.com'],
    ],
    [
      'of all clusters, with a list that changes some',
      set(
        '[{merge: {mergeKeys: [name], generators: [{clusters: {values: {dir: one}}}, {list: {elements: [{name: west, values: {dir: two}}]}}]}}]',
        'apps/{{.values.dir}}',
        '{{.nameNormalized}}',
        '  goTemplate: true\n',
      ),
      ['in-cluster/web one.example.com', 'west/web two.example.com'],
    ],
  ])('are those %s', async (_, made, expected) => {
    const hosts = await hostsOf({ ...files, 'set.yaml': made })
    // A folder that none of them deploys is a root of its own, without a namespace.
    expect(hosts.filter((host) => !host.startsWith('/')).sort()).toEqual(expected)
  })

  test.each([
    [
      'clusters, of which the repository has no folder',
      '[{clusters: {}}]',
      'the clusters of its generator `clusters` are known to Argo CD alone, and not to this repository',
      'none/{{name}}',
    ],
    [
      'clusters whose names may be any folder',
      '[{clusters: {}}]',
      'the clusters of its generator `clusters` are known to Argo CD alone, and not to this repository',
      '{{name}}',
    ],
    [
      'a list of clusters',
      '[{clusters: {flatList: true}}]',
      'the clusters of its generator `clusters` are known to Argo CD alone, and not to this repository',
      'apps/{{name}}',
    ],
    [
      'a file that cannot be read',
      `[{${git}, files: [{path: broken.yaml}]}}]`,
      'broken.yaml, which its generator `git` reads, cannot be read',
      'apps/{{name}}',
    ],
    [
      'a generator of two kinds in another one',
      '[{matrix: {generators: [{list: {elements: [{}]}}, {list: {elements: []}, clusters: {}}]}}]',
      'an entry of its generator `matrix` has more than one generator',
      'apps/one',
    ],
    [
      'generators nested too deep',
      '[{matrix: {generators: [{list: {elements: [{}]}}, {matrix: {generators: [{list: {elements: [{}]}}, {matrix: {generators: [{list: {elements: []}}, {list: {elements: []}}]}}]}}]}}]',
      'its generators are nested too deep',
      'apps/one',
    ],
  ])('are listed as unknown by %s', async (_, generators, reason, path) => {
    const { inspected } = await whole({
      ...files,
      'broken.yaml': 'a: [\n',
      'set.yaml': set(generators, path, '{{name}}'),
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

  test.each<[what: string, generators: string, path: string, namespace: string, expected: string[], more: string]>([
    [
      'in the path',
      '[{clusters: {}}]',
      'apps/{{name}}',
      '{{name}}',
      ['one/web one.example.com', 'two/web two.example.com'],
      '',
    ],
    [
      'by a value',
      '[{clusters: {values: {app: "{{metadata.labels.app}}"}}}]',
      'apps/{{values.app}}',
      '{{metadata.labels.app}}',
      ['one/web one.example.com', 'two/web two.example.com'],
      '',
    ],
    [
      'by a selector',
      '[{clusters: {selector: {matchLabels: {example.com/app: two}}}}]',
      'apps/{{metadata.labels.example.com/app}}',
      'shop',
      ['shop/web two.example.com'],
      '',
    ],
    [
      'in the folders of a matrix',
      `[{matrix: {generators: [{clusters: {}}, {${git}, directories: [{path: "{{.name}}/*"}, {path: "apps/{{ index .metadata.labels \\"app\\" }}"}]}}]}}]`,
      '{{ .path.path }}',
      '{{ .path.basename }}-{{ index .metadata.labels "app" | lower }}'.replaceAll('"', '\\"'),
      ['one-one/web one.example.com', 'two-two/web two.example.com'],
      '  goTemplate: true\n',
    ],
  ])('are of each cluster that the repository names %s', async (_, generators, path, namespace, expected, more) => {
    const made = set(generators, path, namespace, more)
    const { inspected } = await whole({ ...files, 'set.yaml': made })
    expect(inspected.skipped).toEqual([])
    const hosts = await hostsOf({ ...files, 'set.yaml': made })
    expect(hosts.filter((host) => !host.startsWith('/')).sort()).toEqual(expected)
  })

  test('are of 100 clusters at most', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`all/c${index}/web.yaml`, 'a: b\n']))
    const { inspected } = await whole({ ...many, 'set.yaml': set('[{clusters: {}}]', 'all/{{name}}', 'shop') })
    expect(inspected.skipped).toContainEqual({
      path: 'set.yaml',
      reason: 'ApplicationSet argocd/all: it may have more than 100 clusters; the rest is not read',
    })
  })

  test('are not all known where a path has too many, though another path has few', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`all/c${index}/web.yaml`, 'a: b\n']))
    const one = { 'own/values-c100.yaml': 'a: b\n' }
    const sets = set('[{clusters: {}}]', 'all/{{name}}', 'shop').replace(
      'all/{{name}}"}',
      'all/{{name}}", helm: {valueFiles: ["/own/values-{{name}}.yaml"]}}',
    )
    const { inspected } = await whole({ ...many, ...one, 'set.yaml': sets })
    expect(inspected.skipped).toContainEqual({
      path: 'set.yaml',
      reason: 'ApplicationSet argocd/all: it may have more than 100 clusters; the rest is not read',
    })
  })

  test('are unknown by a selector of what clusters give', async () => {
    const generators = '[{clusters: {}, selector: {matchLabels: {env: prod}}}]'
    const { inspected } = await whole({ ...files, 'set.yaml': set(generators, 'apps/one', 'shop') })
    const reason = 'the clusters of its generator `clusters` are known to Argo CD alone, and not to this repository'
    expect(inspected.skipped).toContainEqual({ path: 'set.yaml', reason: `ApplicationSet argocd/all: ${reason}` })
  })

  test.each<[what: string, made: string, expected: string[]]>([
    [
      'the template of a generator, with gaps of the common one',
      set('[{list: {elements: [{a: two}], template: {spec: {source: {path: "apps/{{a}}"}}}}}]', 'apps/one', 'shop'),
      ['shop/web two.example.com'],
    ],
    [
      'the common template, where the one of a child of a matrix is not used',
      set(
        '[{matrix: {generators: [{list: {elements: [{a: two}], template: {spec: {source: {path: none}}}}}, {list: {elements: [{b: c}]}}]}}]',
        'apps/{{a}}',
        '{{b}}',
      ),
      ['c/web two.example.com'],
    ],
    [
      'a templatePatch',
      set(
        '[{list: {elements: [{app: one, moves: true}, {app: two, moves: false}]}}]',
        'apps/{{ .app }}',
        '{{ .app }}',
        '  goTemplate: true\n  templatePatch: |\n    {{- if .moves }}\n    spec: {destination: {namespace: moved}, source: {helm: null}}\n    {{- end }}\n',
      ),
      ['moved/web one.example.com', 'two/web two.example.com'],
    ],
    [
      'elements in a text',
      set('[{list: {elementsYaml: "[{app: one, ns: a}]"}}]', 'apps/{{app}}', '{{ns}}'),
      ['a/web one.example.com'],
    ],
    [
      'two generators in one entry',
      set('[{list: {elements: [{values.app: one}]}, clusters: {values: {app: two}}}]', 'apps/{{values.app}}', 'x'),
      ['x/web one.example.com', 'x/web two.example.com'],
    ],
    [
      'parameters with a prefix',
      set(
        `[{git: {repoURL: "${url}", pathParamPrefix: my, directories: [{path: apps/*}]}}]`,
        '{{my.path}}',
        '{{my.path.basename}}-{{my.path[0]}}',
      ),
      ['one-apps/web one.example.com', 'two-apps/web two.example.com'],
    ],
    [
      'files with a prefix and values of a Go template',
      set(
        `[{${git}, pathParamPrefix: my, files: [{path: config/prod/one.yaml}], values: {at: "{{ .my.path.filename | trimSuffix \\".yaml\\" }}"}}}]`,
        'apps/{{ .app.name }}',
        '{{ .values.at }}-{{ index .app.space 0 }}',
        '  goTemplate: true\n',
      ),
      ['one-first/web one.example.com'],
    ],
  ])('are made with %s', async (_, made, expected) => {
    const hosts = await hostsOf({ ...files, 'set.yaml': made })
    expect(hosts.filter((host) => !host.startsWith('/')).sort()).toEqual(expected)
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

describe('clusters that only the values of a chart depend on', () => {
  const named = object(
    'argoproj.io/v1alpha1',
    'ApplicationSet',
    'all',
    'argocd',
    `spec:
  generators: [{clusters: {}}]
  template:
    metadata: {name: "edge-{{name}}"}
    spec:
      source:
        repoURL: "${url}"
        path: charts/edge
        helm: {releaseName: edge, parameters: [{name: host, value: "{{name}}.example.com"}]}
      destination: {namespace: shop, name: "{{name}}"}
`,
  )
  const config = (clusters: string) => ({ '.github/ingress-guard.yaml': `format: 1\nclusters: {${clusters}}\n` })

  test('are those that the config declares', async () => {
    const given = { ...chart, ...config('east: {paths: [x/**]}, west: {paths: [y/**]}'), 'set.yaml': named }
    const report = await whole(given)
    expect(report.inspected.skipped.filter(({ path }) => path === 'set.yaml')).toEqual([])
    expect(report.findings.map(({ text }) => text.match(/lists (\S+?),.*1 more case/)?.[1])).toContain(
      'east.example.com',
    )
  })

  test('are unknown where it declares none', async () => {
    const { inspected } = await whole({ ...chart, 'set.yaml': named })
    expect(inspected.skipped).toContainEqual({
      path: 'set.yaml',
      reason:
        'ApplicationSet argocd/all: the clusters of its generator `clusters` are known to Argo CD alone, and not to this repository',
    })
  })

  test('are 100 at most', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `c${index}: {paths: [c${index}/**]}`)
    const { inspected } = await whole({ ...chart, ...config(many.join()), 'set.yaml': named })
    expect(inspected.skipped).toContainEqual({
      path: 'set.yaml',
      reason: 'ApplicationSet argocd/all: it may have more than 100 clusters; the rest is not read',
    })
  })
})
