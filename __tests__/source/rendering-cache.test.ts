import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { defaultLimits } from '../../src/render/tools/tool'
import { checkJson, checkOnline, checkWithin, lines } from '../cli/guard'
import { chart, indexOf, serve, sha256 } from '../fetch/servers'
import { type CountingTool, countingTool } from './counting'
import { name } from './kustomize-objects'
import { binding, configMap, ingress, role } from './objects'
import { type Files, TestRepository, temporaryFolder } from './repository'

const template = ingress('web', ['web.example.com'], ['"{{ .Values.host }}"'])
const releaseFiles: Files = {
  '.github/ingress-guard.yaml': `format: 1
helm:
  - {chart: charts/web, values: [one.yaml], release: one, namespace: one, cluster: prod}
  - {chart: charts/web, values: [two.yaml], release: two, namespace: two, cluster: prod}
`,
  'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'charts/web/values.yaml': 'host: web.example.com\n',
  'charts/web/templates/ingress.yaml': template,
  'one.yaml': 'host: web.example.com\n',
  'two.yaml': 'host: web.example.com\n',
}
const appFiles: Files = {
  'app/kustomization.yaml': 'resources: [map.yaml]\nnamePrefix: app-\n',
  'app/map.yaml': configMap('map'),
}
const files: Files = { ...releaseFiles, ...appFiles }

let helm: CountingTool
let kubectl: CountingTool
let cache: string
beforeEach(() => {
  helm = countingTool('helm')
  kubectl = countingTool('kubectl')
  cache = temporaryFolder()
})

/** Judges the last commit with the cache: the report, and how many times helm and kustomize rendered. */
async function judged(repo: TestRepository, ...more: readonly string[]) {
  const before = [helm.count('template'), kubectl.count('kustomize')]
  const tools = ['--helm', helm.program, '--kustomize', kubectl.program, '--cache', cache]
  const args = ['--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD', ...tools]
  const { findings, verdict, inspected } = await checkJson(...args, ...more)
  const after = [helm.count('template'), kubectl.count('kustomize')]
  const renderings = after.map((count, index) => count - (before[index] ?? 0))
  return { report: { findings, verdict, inspected }, renderings }
}

function changed(head: Files, base: Files = files): TestRepository {
  const repo = new TestRepository()
  repo.commit(base)
  repo.commit(head)
  return repo
}

const entries = () => readdirSync(path.join(cache, 'renderings')).map((name) => path.join(cache, 'renderings', name))

test('a second run renders nothing and reports the same', async () => {
  const repo = changed({ 'one.yaml': 'host: open.example.com\n', 'app/map.yaml': configMap('map', 'y') })
  const first = await judged(repo)
  expect(first.report.findings.map(({ rule }) => rule)).toEqual(['ingress-tls/host-covered'])
  expect(first.renderings).not.toContain(0)
  const second = await judged(repo)
  expect(second.renderings).toEqual([0, 0])
  expect(second.report).toEqual(first.report)
})

test('a second run finds the line that an object was taken out of', async () => {
  const both: Files = {
    ...appFiles,
    'app/kustomization.yaml': 'resources: [map.yaml, rbac.yaml]\n',
    'app/rbac.yaml': `${role(name)}---\n${binding(name)}`,
  }
  const repo = changed({ 'app/rbac.yaml': binding(name) }, both)
  const first = await judged(repo)
  const places = first.report.findings.map(
    ({ location: { side, path: file, region } }) => `${side}/${file}:${region.startLine}`,
  )
  expect(places).toEqual(['base/app/rbac.yaml:4'])
  const second = await judged(repo)
  expect(second.renderings).toEqual([0, 0])
  expect(second.report).toEqual(first.report)
})

test('a Kustomization that does not build is not built again, and its gap is reported the same', async () => {
  const lacking: Files = {
    'app/kustomization.yaml': 'resources: [map.yaml]\npatches: [{path: server.yaml}]\n',
    'app/server.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: server}\nspec: {replicas: 2}\n',
  }
  const repo = changed({ 'app/map.yaml': configMap('map', 'y') }, { ...appFiles, ...lacking })
  const first = await judged(repo)
  // Each side fails, and is built without the patch.
  expect(first.renderings).toEqual([0, 4])
  expect(first.report.inspected.skipped.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(
      /without patches of Deployment server, because kustomize cannot build it: .*no matches for Id/,
    ),
  ])
  const second = await judged(repo)
  expect(second.renderings).toEqual([0, 0])
  expect(second.report).toEqual(first.report)
})

test('a Kustomization with a file that kustomize does not allow it is not built again', async () => {
  const repo = changed(
    { 'app/kustomization.yaml': 'resources: [../map.yaml]\nnamePrefix: two-\n' },
    { 'app/kustomization.yaml': 'resources: [../map.yaml]\n', 'map.yaml': configMap('map') },
  )
  const first = await judged(repo)
  expect(first.renderings).toEqual([0, 2])
  expect(first.report.inspected.skipped.map(({ reason }) => reason)).toEqual([
    expect.stringContaining("security; file 'map.yaml' is not in or below 'app'"),
  ])
  const second = await judged(repo)
  expect(second.renderings).toEqual([0, 0])
  expect(second.report).toEqual(first.report)
})

test('a Kustomization that fails for another reason is built by each run', async () => {
  const repo = changed(
    { 'app/kustomization.yaml': 'resources: [map.yaml]\nnamePrefix: two-\n' },
    { 'app/kustomization.yaml': 'resources: [map.yaml]\n', 'app/map.yaml': 'kind: ConfigMap\n' },
  )
  const first = await judged(repo)
  expect(first.renderings).toEqual([0, 2])
  expect((await judged(repo)).renderings).toEqual([0, 2])
})

test('the report is the same without a cache, with an empty and a full one, with one worker and with many', async () => {
  const repo = changed(
    { 'one.yaml': 'host: open.example.com\n', 'app/map.yaml': configMap('map', 'y') },
    {
      ...files,
      'app/kustomization.yaml': 'resources: [map.yaml]\npatches: [{path: server.yaml}]\n',
      'app/server.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: server}\n',
    },
  )
  const of = ['--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD']
  const tools = ['--helm', helm.program, '--kustomize', kubectl.program]
  const judgedBy = (atOnce: number, ...more: string[]) =>
    checkWithin({ ...defaultLimits, atOnce }, ...of, ...tools, ...more)
  const alone = await judgedBy(1)
  expect(lines(alone)).toEqual(['introduced error head/one.yaml:1 ingress-tls/host-covered'])
  expect(alone.inspected.skipped.map((one) => one.path)).toContain('app/kustomization.yaml')
  for (const atOnce of [8, 1]) expect(await judgedBy(atOnce, '--cache', cache)).toEqual(alone)
  expect(await judgedBy(8)).toEqual(alone)
})

test('another change of the same base renders only what it touches', async () => {
  await judged(changed({ 'one.yaml': 'host: web.example.com\ncolour: red\n' }))
  const { renderings } = await judged(changed({ 'one.yaml': 'host: web.example.com\ncolour: blue\n' }))
  expect(renderings).toEqual([1, 0])
})

test('a Kustomization that goes to two namespaces is built once', async () => {
  const app = (namespace: string) =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${namespace}, namespace: argocd}\nspec:\n  source: {repoURL: 'https://github.com/acme/platform', path: app}\n  destination: {name: ${namespace}, namespace: ${namespace}}\n`
  const repo = changed(
    { 'app/map.yaml': configMap('map', 'y') },
    { 'apps/one.yaml': app('one'), 'apps/two.yaml': app('two'), ...appFiles },
  )
  const { report, renderings } = await judged(repo)
  expect(report.inspected.changes?.changed).toBe(2)
  expect(renderings).toEqual([0, 2])
})

describe('an entry', () => {
  const repo = () => changed({ 'one.yaml': 'host: open.example.com\n' })

  test.each([
    ['empty', () => Buffer.from('')],
    ['foreign', () => Buffer.from('foreign\n{}\n')],
    ['cut', (content: Buffer) => content.subarray(0, -9)],
    [
      'edited',
      (content: Buffer) => {
        const edited = Buffer.from(content)
        edited[edited.length - 20] = (edited[edited.length - 20] ?? 0) ^ 1
        return edited
      },
    ],
  ])('that is %s is thrown away', async (_, damaged) => {
    const own = repo()
    const first = await judged(own)
    const whole = new Map(entries().map((file) => [file, readFileSync(file)]))
    for (const [file, content] of whole) writeFileSync(file, damaged(content))
    const second = await judged(own)
    expect(second).toEqual(first)
    for (const file of whole.keys()) expect(readFileSync(file, 'latin1')).toBe(whole.get(file)?.toString('latin1'))
  })

  test('of another rendering is thrown away', async () => {
    const own = repo()
    const first = await judged(own)
    const [one = '', ...others] = entries()
    for (const other of others) copyFileSync(one, other)
    const second = await judged(own)
    expect(second.report).toEqual(first.report)
    expect(second.renderings[0]).toBe(others.length)
  })

  test('of another version of helm is not used', async () => {
    const own = repo()
    const first = await judged(own)
    helm = countingTool('helm', 'v3.99.1')
    expect((await judged(own)).renderings).toEqual(first.renderings)
  })

  test('of a helm that does not say its version is never made', async () => {
    helm = countingTool('helm', 'unreleased')
    const own = repo()
    const first = await judged(own)
    expect((await judged(own)).renderings).toEqual(first.renderings)
  })

  test('with a certificate that begins now is one of its day', async () => {
    const certificate = `apiVersion: v1
kind: Secret
metadata: {name: web}
type: kubernetes.io/tls
{{- $made := genSelfSignedCert "web.example.com" nil nil 30 }}
data: {tls.crt: {{ $made.Cert | b64enc }}, tls.key: {{ $made.Key | b64enc }}}
`
    const own = changed(
      { 'one.yaml': 'host: web.example.com\ncolour: red\n' },
      { ...files, 'charts/web/templates/secret.yaml': certificate },
    )
    const first = await judged(own)
    expect((await judged(own)).renderings).toEqual([0, 0])
    expect((await judged(own, '--today', '2026-12-24')).renderings).toEqual(first.renderings)
  })
})

test('a chart of a folder is kept by the content of its files, large ones too', async () => {
  const folders = ['red', 'blue'].map((colour) => {
    const folder = new TestRepository().write({
      ...files,
      'charts/web/files/large.txt': colour.repeat(500_000),
      'charts/web/templates/map.yaml': configMap('map', '{{ .Files.Get "files/large.txt" | sha256sum }}'),
    })
    return folder.dir
  })
  const [base = '', head = ''] = folders
  const args = ['--base', base, '--head', head, '--helm', helm.program, '--kustomize', kubectl.program]
  for (const _ of [1, 2]) await checkJson('--repo', base, ...args, '--cache', cache)
  expect(helm.count('template')).toBe(4)
})

test('a rendering with a fetched chart is kept, as the chart is among its inputs', async () => {
  const common = await chart('common', '1.0.0', { 'templates/map.yaml': configMap('common') })
  const listed = indexOf({ common: [{ version: '1.0.0', url: 'common.tgz', digest: sha256(common) }] })
  const server = await serve({ '/index.yaml': listed, '/common.tgz': common })
  const repo = changed(
    { 'one.yaml': 'host: open.example.com\n' },
    {
      ...files,
      'app/kustomization.yaml': null,
      '.github/ingress-guard.yaml': `${files['.github/ingress-guard.yaml']}network: {charts: ['${server.url}']}\n`,
      'charts/web/Chart.yaml': `apiVersion: v2
name: web
version: 1.0.0
dependencies: [{name: common, version: 1.0.0, repository: '${server.url}'}]
`,
    },
  )
  const tools = ['--helm', helm.program, '--kustomize', kubectl.program, '--cache', cache]
  await checkOnline('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD', ...tools)
  const count = helm.count('template')
  expect(count).toBeGreaterThan(0)
  await checkOnline('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD', ...tools)
  expect(helm.count('template')).toBe(count)
  await server.close()
})
