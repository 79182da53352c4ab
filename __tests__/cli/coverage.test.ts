import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import Ajv2020 from 'ajv/dist/2020'
import type { CoverageJson } from '../../src/report/coverage-schema'
import { configMap, ingress } from '../source/objects'
import { type Files, TestRepository } from '../source/repository'
import { checkJson, guard } from './guard'

const url = 'https://github.com/acme/platform.git'

function repositoryOf(files: Files): TestRepository {
  const repo = new TestRepository()
  repo.git('remote', 'add', 'origin', url)
  repo.commit(files)
  return repo
}

async function page(files: Files): Promise<string> {
  const { status, stdout } = await guard(['coverage', '--repo', repositoryOf(files).dir])
  expect(status).toBe(0)
  return stdout
}

async function json(files: Files): Promise<CoverageJson> {
  const { stdout } = await guard(['coverage', '--repo', repositoryOf(files).dir, '--format', 'json'])
  return JSON.parse(stdout)
}

const release = (name: string, chart: string, values: string) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${name}, namespace: shop}
spec:
  chart: {spec: {chart: ${chart}, sourceRef: {kind: HelmRepository, name: charts}}}
  values: ${values}
`

const charts = `apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: charts, namespace: shop}
spec: {url: "https://charts.example.com"}
`

const flux: Files = {
  'apps/web.yaml': ingress('web', ['a.example.com'], ['a.example.com']),
  'apps/charts.yaml': charts,
  'apps/api.yaml': release('api', 'api', '{replicas: 2}'),
  'apps/shop.yaml': release('shop', 'shop', '{ingress: {enabled: true, hosts: [{host: shop.example.com}]}}'),
  'apps/proxy.yaml': release('proxy', 'ingress-nginx', '{controller: {replicaCount: 2}}'),
  'infra/kustomization.yaml': 'resources: [map.yaml]\n',
  'infra/map.yaml': configMap('one'),
  'infra/left.yaml': configMap('left'),
  'docs/notes.md': '# Notes\n',
  'main.go': 'package main\n',
  '.github/ingress-guard.yaml': 'format: 1\n',
}

test('counts manifests and releases, and says what would raise the share', async () => {
  const text = await page(flux)
  expect(text.split('\n').slice(0, 8)).toEqual([
    'ingress-guard sees 6 of 7 manifests (85 %) and 3 of 4 releases (75 %: 1 rendered, 2 by their values) of the working tree.',
    'Not counted: 1 file deployed by nothing known, 2 files not of Kubernetes, 1 file of config.',
    '',
    'folder  manifests seen         releases rendered  by values  not seen',
    'apps/           4 of 5   80 %                  -          2         1',
    'infra/          2 of 2  100 %                  1          -         -',
    '',
    'Not seen, and what changes that:',
  ])
  expect(text).toContain(
    `1 release, 1 file: releases of charts that are not in this repository
  The objects that the chart creates are not seen. To have it judged, let this job fetch the chart`,
  )
  expect(text).toContain('\n  from https://charts.example.com (1)\n')
  expect(text).toContain(
    '\n  apps/api.yaml: HelmRelease shop/api: the chart api of https://charts.example.com is not in this repository\n',
  )
  expect(text).toContain(
    `Deployed by nothing that this repository shows; if something does, it is not seen:

1 file: files that no Kustomization lists
  No Kustomization or other known object deploys them. List those that should be deployed in a Kustomization.
  infra/left.yaml: it is an orphan: the Kustomization of infra does not list it
`,
  )
})

test('a repository that is seen whole has nothing to raise', async () => {
  const text = await page({ 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) })
  expect(text).toBe(
    `ingress-guard sees 1 of 1 manifest (100 %) of the working tree.

folder  manifests seen         releases rendered  by values  not seen
./*             1 of 1  100 %
`,
  )
})

test('a repository without a manifest has no share', async () => {
  expect(await page({ 'README.md': '# Nothing\n' })).toBe(
    `ingress-guard found no manifest and no release of the working tree.
Not counted: 1 file not of Kubernetes.
`,
  )
})

test('sources that do not render, are built in part or belong to other tools are named with their cause', async () => {
  const { notSeen, notDeployed, releases } = await json({
    'broken/kustomization.yaml': 'resources: [gone.yaml]\n',
    'part/kustomization.yaml': 'resources: [map.yaml, "https://example.com/remote"]\n',
    'part/map.yaml': configMap('one'),
    'umbrella/Chart.yaml':
      'apiVersion: v2\nname: umbrella\nversion: 1.0.0\ndependencies: [{name: redis, version: 1.0.0, repository: "https://charts.example.com"}]\n',
    'umbrella/values.yaml': 'redis: {replicas: 2}\n',
    'main.jsonnet': '{}\n',
    'helmfile.yaml':
      'repositories: [{name: far, url: "https://far.example.com"}]\nreleases:\n  - {name: api, chart: far/api}\n',
  })
  expect(releases).toEqual({ rendered: 1, 'by-values': 0, 'not-seen': 2 })
  const said = notSeen.map(({ causes, files, releases, partly, places }) => [
    causes.join(),
    `${files} files, ${releases} releases, ${partly} in part`,
    ...places.map(({ path }) => path),
  ])
  expect(said).toEqual([
    ['dependency-not-vendored', '2 files, 1 releases, 0 in part', 'umbrella/Chart.yaml', 'umbrella/values.yaml'],
    ['chart-elsewhere', '1 files, 1 releases, 0 in part', 'helmfile.yaml'],
    ['remote-entry', '1 files, 0 releases, 1 in part', 'part/kustomization.yaml'],
    ['other-tool', '1 files, 0 releases, 0 in part', 'main.jsonnet'],
  ])
  expect(notDeployed.map(({ causes, places }) => [...causes, ...places.map(({ path }) => path)])).toEqual([
    ['idle', 'broken/kustomization.yaml'],
  ])
  expect(notSeen.find(({ causes }) => causes.includes('chart-elsewhere'))?.from).toEqual([
    { url: 'https://far.example.com', releases: 1 },
  ])
})

test('a tool that is not found is the first cause, and its own', async () => {
  const files: Files = {
    'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'chart/values.yaml': 'host: web.example.com\n',
    'chart/templates/map.yaml': configMap('web'),
    'chart/templates/.gitkeep': '',
    ...Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`apps/r${index}.yaml`, release(`r${index}`, `c${index}`, '{}')]),
    ),
    'apps/charts.yaml': charts,
  }
  const { stdout } = await guard(['coverage', '--repo', repositoryOf(files).dir, '--helm', '/nowhere/helm'])
  const [, first = ''] = stdout.split('Not seen, and what changes that:\n\n')
  expect(first.split('\n').slice(0, 4)).toEqual([
    '1 release, 3 files: charts and Kustomizations for which a tool was not found',
    '  They are not rendered, so their objects are not seen. Install the tool that the message names, or set its path with the input or option of its name.',
    '  chart/Chart.yaml: release default/web of chart: /nowhere/helm, which the input or option helm names, does not exist',
    expect.stringMatching(/^ {2}chart\/templates\/map\.yaml: /),
  ])
})

test('a file without the name of a manifest in a folder of Ansible is not counted', async () => {
  const { files } = await json({
    'ansible/playbooks/deploy.yaml': '- hosts: all\n  tasks:\n    - kubernetes.core.k8s: {state: present}\n',
    'ansible/playbooks/.gitkeep': '',
    'ansible/files/motd': 'hello\n',
    'ansible/templates/web.yaml.j2': configMap('web'),
  })
  expect(files).toMatchObject({ 'not-judged': 2, 'not-kubernetes': 2 })
})

test('the table has one row for a folder where little is missing, and at most 20', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, index): [string, string][] => {
      const folder = `apps/team${index % 4}/app${index}`
      return [
        [`${folder}/release.yaml`, release(`app${index}`, `chart${index}`, '{}')],
        [`${folder}/map.yaml`, configMap(`map${index}`)],
      ]
    }).flat(),
  )
  const teams = Array.from({ length: 25 }, (_, index) => [`plain/team${index}/map.yaml`, configMap(`map${index}`)])
  const { folders } = await json({ ...files, ...Object.fromEntries(teams), 'apps/done/map.yaml': configMap('done') })
  expect(folders.map(({ folder }) => folder)).toEqual([
    'apps/done/',
    'apps/team0/',
    'apps/team1/',
    'apps/team2/',
    'apps/team3/',
    'plain/',
  ])
  expect(folders[1]?.releases).toEqual({ rendered: 0, 'by-values': 0, 'not-seen': 10 })
  const many = Array.from({ length: 30 }, (_, index) => [`team${index}/release.yaml`, release(`a${index}`, 'x', '{}')])
  const wide = await json(Object.fromEntries(many))
  expect(wide.folders).toHaveLength(20)
  expect(wide.folders.at(-1)?.folder).toBe('…')
  expect(wide.folders.reduce((sum, { releases }) => sum + releases['not-seen'], 0)).toBe(30)
})

test('the JSON keeps to its schema', async () => {
  const schema = JSON.parse(readFileSync('schemas/coverage.v1.json', 'utf8'))
  const validate = new Ajv2020().compile(schema)
  expect([validate(await json(flux)), validate.errors]).toEqual([true, null])
})

test('a check of a whole revision reports the same', async () => {
  const repo = repositoryOf(flux)
  const { inspected } = await checkJson('--repo', repo.dir, '--all')
  expect(inspected.coverage).toEqual(await json(flux))
  const { stdout } = await guard(['check', '--all', '--repo', repo.dir])
  expect(stdout).toContain(
    'It sees 6 of 7 manifests (85 %) and 3 of 4 releases (75 %: 1 rendered, 2 by their values); `ingress-guard coverage` shows the rest by folder and cause.',
  )
  const markdown = await guard(['check', '--all', '--repo', repo.dir, '--format', 'markdown'])
  expect(markdown.stdout).toContain('<details><summary>Coverage: sees 6 of 7 manifests (85 %)')
  expect(markdown.stdout).toContain('| `apps/` | 4 of 5 (80 %) | 0 | 2 | 1 |')
  repo.commit({ 'docs/notes.md': 'x' })
  const change = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
  expect(change.inspected.coverage).toBeUndefined()
})

test('a run that takes too long ends with what it was doing', async () => {
  const { status, stderr } = await guard(['coverage', '--repo', repositoryOf(flux).dir, '--timeout', '0.0000001'])
  expect(status).toBe(3)
  expect(stderr).toMatch(/The time limit of the run \(.*\) was reached while .*\. Raise --timeout\./)
})
