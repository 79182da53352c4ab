import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { GitServer } from '../fetch/git-server'
import { Registry } from '../fetch/registry-server'
import { chart, type Server } from '../fetch/servers'
import { type Files, TestRepository } from '../source/repository'
import { allowing, changeOnline, chartRepository, exposing, introduced, states, urlOf } from './charts'

/** The version 2.0.0 of the chart has another host by default. */
const holed = {
  ...exposing,
  'values.yaml': 'exposed: open.example.com\n',
  'values-safe.yaml': 'exposed: covered.example.com\n',
}

let web: Server
let registry: Registry
let git: GitServer
beforeAll(async () => {
  web = await chartRepository({ web: { '1.0.0': exposing, '2.0.0': holed } })
  registry = await Registry.start()
  for (const [version, files] of Object.entries({ '1.0.0': exposing, '2.0.0': holed }))
    registry.add('charts/web', version, await chart('web', version, files))
  git = await GitServer.start()
  const folder = path.join(git.root, 'charts')
  mkdirSync(folder)
  const repo = new TestRepository(folder)
  const files = (its: typeof exposing) =>
    Object.fromEntries(Object.entries(its).map(([file, text]) => [`charts/web/${file}`, text]))
  repo.commit({ 'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n', ...files(exposing) })
  repo.git('tag', 'v1')
  repo.commit(files(holed))
  repo.git('tag', 'v2')
})
afterAll(async () => {
  await Promise.all([web.close(), registry.close(), git.close()])
})

const object = (apiVersion: string, kind: string, name: string, spec: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: shop}\nspec:\n${spec}`
const flux = (kind: string, spec: string) => object('source.toolkit.fluxcd.io/v1', kind, 'web', spec)
const release = (spec: string) => object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'web', spec)
const chartOf = (version: string, kind = 'HelmRepository', name = 'web', more = '') =>
  release(
    `  chart:\n    spec:\n      chart: ${name}\n      version: "${version}"\n${more}      sourceRef: {kind: ${kind}, name: web}\n`,
  )

/** Each kind of release, at one version of its chart: the files, and the line with the version. */
const kinds: readonly [string, (version: 1 | 2) => { files: Files; at: string }][] = [
  [
    'a HelmRelease of a registry',
    (version) => ({
      files: {
        'repository.yaml': flux('HelmRepository', `  type: oci\n  url: ${registry.url}/charts\n`),
        'web.yaml': chartOf(`${version}.x`),
      },
      at: 'web.yaml:8',
    }),
  ],
  [
    'a HelmRelease of an OCIRepository',
    (version) => ({
      files: {
        'repository.yaml': flux(
          'OCIRepository',
          `  url: ${registry.url}/charts/web\n  ref:\n    tag: ${version}.0.0\n`,
        ),
        'web.yaml': release('  chartRef: {kind: OCIRepository, name: web}\n'),
      },
      at: 'repository.yaml:7',
    }),
  ],
  [
    'a HelmRelease of a HelmChart',
    (version) => ({
      files: {
        'repository.yaml': `${flux('HelmRepository', `  url: ${urlOf(web)}\n`)}---\n${flux('HelmChart', `  chart: web\n  version: ${version}.0.0\n  sourceRef: {kind: HelmRepository, name: web}\n`)}`,
        'web.yaml': release('  chartRef: {kind: HelmChart, name: web}\n'),
      },
      at: 'repository.yaml:12',
    }),
  ],
  [
    'a HelmRelease of another Git repository',
    (version) => ({
      files: {
        'repository.yaml': flux('GitRepository', `  url: ${git.url}/charts\n  ref:\n    tag: v${version}\n`),
        'web.yaml': chartOf('*', 'GitRepository', './charts/web'),
      },
      at: 'repository.yaml:7',
    }),
  ],
  [
    'a HelmRelease with values files of its chart',
    (version) => ({
      files: {
        'repository.yaml': flux('HelmRepository', `  url: ${urlOf(web)}\n`),
        'web.yaml': chartOf(
          '2.0.0',
          'HelmRepository',
          'web',
          `      valuesFiles: [values.yaml${version === 1 ? ', values-safe.yaml' : ''}]\n`,
        ),
      },
      at: 'web.yaml:9',
    }),
  ],
  [
    'an Application of a registry',
    (version) => ({
      files: {
        'web.yaml': object(
          'argoproj.io/v1alpha1',
          'Application',
          'web',
          `  destination: {namespace: shop}\n  source:\n    repoURL: 127.0.0.1:${registry.port}/charts\n    chart: web\n    targetRevision: ${version}.0.0\n`,
        ),
      },
      at: 'web.yaml:9',
    }),
  ],
  [
    'an ApplicationSet',
    (version) => ({
      files: {
        'web.yaml': object(
          'argoproj.io/v1alpha1',
          'ApplicationSet',
          'web',
          `  generators:
    - list: {elements: [{name: one}, {name: two}]}
  template:
    metadata: {name: "web-{{name}}"}
    spec:
      destination: {namespace: "{{name}}"}
      source:
        repoURL: ${urlOf(web)}
        chart: web
        targetRevision: ${version}.0.0
`,
        ),
      },
      at: 'web.yaml:14',
    }),
  ],
  [
    'a HelmChart of K3s',
    (version) => ({
      files: {
        'web.yaml': object(
          'helm.cattle.io/v1',
          'HelmChart',
          'web',
          `  repo: ${urlOf(web)}\n  chart: web\n  version: ${version}.0.0\n  targetNamespace: shop\n`,
        ),
      },
      at: 'web.yaml:7',
    }),
  ],
  [
    'a HelmChart of K3s from a registry, with a HelmChartConfig',
    (version) => ({
      files: {
        'web.yaml': object(
          'helm.cattle.io/v1',
          'HelmChart',
          'web',
          `  chart: ${registry.url}/charts/web\n  version: 1.0.0\n  targetNamespace: shop\n`,
        ),
        'config.yaml': object(
          'helm.cattle.io/v1',
          'HelmChartConfig',
          'web',
          `  valuesContent: |\n    exposed: ${version === 1 ? 'covered' : 'open'}.example.com\n`,
        ),
      },
      at: 'config.yaml:6',
    }),
  ],
  [
    'a Kustomization with a chart',
    (version) => ({
      files: {
        'apps/kustomization.yaml': `helmCharts:
  - name: web
    repo: ${urlOf(web)}
    version: ${version}.0.0
    releaseName: web
    namespace: shop
`,
      },
      at: 'apps/kustomization.yaml:4',
    }),
  ],
  [
    'a Kustomization with a chart of a registry',
    (version) => ({
      files: {
        'apps/kustomization.yaml': `helmCharts:
  - name: web
    repo: ${registry.url}/charts
    version: 1.0.0
    releaseName: web
    valuesInline:
      exposed: ${version === 1 ? 'covered' : 'open'}.example.com
`,
      },
      at: 'apps/kustomization.yaml:7',
    }),
  ],
  [
    'a Kustomization with a generator of a chart',
    (version) => ({
      files: {
        'apps/kustomization.yaml': 'generators: [chart.yaml]\n',
        'apps/chart.yaml': `apiVersion: builtin
kind: HelmChartInflationGenerator
metadata: {name: web}
name: web
repo: ${urlOf(web)}
version: ${version}.0.0
releaseName: web
`,
      },
      at: 'apps/chart.yaml:6',
    }),
  ],
]

describe.each(kinds)('%s', (_, filesOf) => {
  test('is rendered: what its version brings is found at the line of the version', async () => {
    const network = allowing(urlOf(web), `${registry.url}/charts`)
    const config = {
      '.github/ingress-guard.yaml': `${network['.github/ingress-guard.yaml']}`.replace(
        '}\n',
        `, git: ["${git.url}/charts"]}\n`,
      ),
    }
    const [before, after] = [filesOf(1), filesOf(2)]
    const report = await changeOnline({ ...config, ...before.files }, { ...config, ...after.files })
    expect(introduced(report)).toEqual([`error head/${after.at} ingress-tls/host-covered`])
    expect(states(report).filter((line) => line.includes('not-judged'))).toEqual([])
  })
})

const application = (more: string) => (version: number) => ({
  'web.yaml': object(
    'argoproj.io/v1alpha1',
    'Application',
    'web',
    `  destination: {namespace: shop}\n  source:\n    repoURL: 127.0.0.1:${registry.port}/charts\n    chart: web\n    targetRevision: ${version}.0.0\n${more}`,
  ),
})
const artifact = (more: (version: number) => string) => (version: number) => ({
  'repository.yaml': flux('OCIRepository', `  url: ${registry.url}/charts/web\n${more(version)}`),
  'web.yaml': release('  chartRef: {kind: OCIRepository, name: web}\n'),
})

/** Choices among tags and layers that are not followed, and the line of the version. */
const choices: readonly [string, (version: number) => Files, `${string}:${number}`][] = [
  [
    'a pattern for the tags of an OCIRepository',
    artifact((version) => `  ref: {semver: ${version}.x, semverFilter: ".*-stable"}\n`),
    'repository.yaml:6',
  ],
  [
    'another layer of an OCIRepository',
    artifact((version) => `  ref: {tag: ${version}.0.0}\n  layerSelector: {mediaType: application/vnd.example}\n`),
    'repository.yaml:6',
  ],
  ['a prefix of the tags of an Application', application('    tagPrefix: web-\n'), 'web.yaml:9'],
]

describe.each(choices)('%s', (_, filesOf, at) => {
  test('is not followed: the release is not judged, and no other version is taken in its place', async () => {
    const config = allowing(`${registry.url}/charts`)
    const report = await changeOnline({ ...config, ...filesOf(1) }, filesOf(2))
    expect(introduced(report)).toEqual([`notice head/${at} source/not-judged`])
    expect(states(report)).toEqual([`${at.slice(0, at.indexOf(':'))} not-judged chart-elsewhere`])
  })
})

test('the layer of a chart is the one that most OCIRepositories select', async () => {
  const type = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
  const filesOf = artifact(
    (version) => `  ref: {tag: ${version}.0.0}\n  layerSelector: {mediaType: ${type}, operation: copy}\n`,
  )
  const report = await changeOnline({ ...allowing(`${registry.url}/charts`), ...filesOf(1) }, filesOf(2))
  expect(introduced(report)).toEqual(['error head/repository.yaml:6 ingress-tls/host-covered'])
})
