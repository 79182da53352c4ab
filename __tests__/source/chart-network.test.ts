import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { checkOnline, checkOpenedOnline } from '../cli/guard'
import { role } from './objects'
import { judgeChange, places, policies, tool, toolsOf } from './rendered'
import { temporaryFolder, withEnvironment, writeFiles } from './repository'

const name = 'system:kube-controller-manager'
let server: Server
let url: string
/** The answers of the server, by path. */
const answers = new Map<string, string | Buffer>()
let asked: string[] = []
let cache: string

/** A packed chart with the role, and one without. */
function packed(version: string, template: string): Buffer {
  const folder = temporaryFolder()
  writeFiles(folder, {
    'common/Chart.yaml': `apiVersion: v2\nname: common\nversion: ${version}\n`,
    'common/templates/all.yaml': template,
  })
  execFileSync(tool('helm'), ['package', path.join(folder, 'common'), '--destination', folder], { stdio: 'ignore' })
  return readFileSync(path.join(folder, `common-${version}.tgz`))
}

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const answer = answers.get(request.url ?? '')
    response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/charts`
  const archives = { '1.0.0': packed('1.0.0', role(name)), '2.0.0': packed('2.0.0', role('plain')) }
  const entries = Object.entries(archives).map(([version, bytes]) => {
    answers.set(`/charts/common-${version}.tgz`, bytes)
    return `  - version: ${version}\n    digest: ${createHash('sha256').update(bytes).digest('hex')}\n    urls: [common-${version}.tgz]\n`
  })
  answers.set(
    '/charts/index.yaml',
    `apiVersion: v1\nentries:\n  other:\n  - version: 1.0.0\n  common:\n${entries.join('')}generated: now\n`,
  )
})

beforeEach(() => {
  asked = []
  cache = temporaryFolder()
})

afterAll(() => {
  server.close()
})

const config = (allowed: boolean) => `format: 1\n${allowed ? `network: {charts: ['${url}/']}\n` : ''}`
const chart = (version: string) =>
  `apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n  - name: common\n    repository: ${url}\n    version: '${version}'\n`
const lock = (version: string) => `dependencies:\n- name: common\n  repository: ${url}\n  version: ${version}\n`

function judgeWhole(files: Record<string, string>) {
  const folder = temporaryFolder()
  writeFiles(folder, files)
  return withEnvironment({ RUNNER_TOOL_CACHE: cache }, () => checkOnline('--all', '--head', folder, ...toolsOf()))
}

function judge(base: Record<string, string>, head: Record<string, string | null>) {
  return withEnvironment({ RUNNER_TOOL_CACHE: cache }, () =>
    judgeChange(base, head, 'helm', policies, checkOpenedOnline),
  )
}

describe('a dependency of a repository that the base’s config names', () => {
  const based = () => ({
    'app/Chart.yaml': chart('1.0.0'),
    'app/templates/x.yaml': role('x'),
    '.github/ingress-guard.yaml': config(true),
  })

  test('is fetched at the version that is pinned, and judged', async () => {
    const report = await judge(based(), { 'app/Chart.yaml': chart('2.0.0') })
    expect(places(report)).toEqual(['head/app/Chart.yaml:7 exact protected-rbac/object-kept'])
    expect(asked.sort()).toEqual(['/charts/common-1.0.0.tgz', '/charts/common-2.0.0.tgz', '/charts/index.yaml'])
  })

  test('is taken from the cache of the machine the next time, where a revision is judged whole', async () => {
    expect((await judgeWhole(based())).inspected.head.manifests).toBe(2)
    asked = []
    expect((await judgeWhole(based())).inspected.head.manifests).toBe(2)
    expect(asked).toEqual([])
  })

  test('is fetched at the version that Chart.lock names', async () => {
    const locked = { ...based(), 'app/Chart.yaml': chart('>=1') }
    const report = await judge({ ...locked, 'app/Chart.lock': lock('1.0.0') }, { 'app/Chart.lock': lock('2.0.0') })
    expect(places(report)).toEqual(['head/app/Chart.lock:4 exact protected-rbac/object-kept'])
  })
})

describe('nothing else is fetched', () => {
  const base = { 'app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\n', 'app/templates/x.yaml': role('x') }

  test('that only the head’s config names', async () => {
    const report = await judge(base, { 'app/Chart.yaml': chart('1.0.0'), '.github/ingress-guard.yaml': config(true) })
    expect(places(report)).toEqual([
      'notice head/.github/ingress-guard.yaml:1 exact config/changed',
      'head/app/Chart.yaml:5 exact source/unrendered',
    ])
    expect(asked).toEqual([])
  })

  const allowed = () => ({ ...base, '.github/ingress-guard.yaml': config(true) })

  test('a version that is not there', async () => {
    const report = await judge(allowed(), { 'app/Chart.yaml': chart('9.9.9') })
    expect(places(report)).toEqual(['head/app/Chart.yaml:5 exact source/unrendered'])
    expect(report.findings[0]?.text).toContain('has no common 9.9.9.')
  })

  test('a version that is none, where a revision is judged whole', async () => {
    const { inspected } = await judgeWhole({ ...allowed(), 'app/Chart.yaml': chart('>=1') })
    expect(inspected.skipped).toContainEqual({
      path: 'app/Chart.yaml',
      reason:
        'release default/app of app: it was read without the dependency common, because its dependency common >=1 does not name one exact version; run `helm dependency update app` and commit Chart.lock',
    })
  })

  test('that is not what the index says it is', async () => {
    const own = answers.get('/charts/common-1.0.0.tgz') ?? ''
    answers.set('/charts/common-1.0.0.tgz', answers.get('/charts/common-2.0.0.tgz') ?? '')
    const report = await judge(
      { ...base, '.github/ingress-guard.yaml': config(true) },
      { 'app/Chart.yaml': chart('1.0.0') },
    )
    answers.set('/charts/common-1.0.0.tgz', own)
    expect(report.findings[0]?.text).toBe(
      `Its dependency common cannot be fetched: common-1.0.0.tgz does not match the digest that ${url} lists.`,
    )
  })
})
