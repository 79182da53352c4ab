import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { GitServer, ServedRepository } from '../fetch/git-server'
import { type Server, serve } from '../fetch/servers'
import type { Files } from '../source/repository'
import { allowing, changeOnline, chartRepository, ingressWith, introduced, states, urlOf } from './charts'

/** A patch that gives the Ingress a host. */
const patch = (host: string) => `- op: replace\n  path: /spec/rules/1/host\n  value: ${host}\n`
const merge = (host: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {rules: [{host: covered.example.com}, {host: ${host}}]}
`
const data = (host: string) => `host=${host}\n`

let web: Server
let git: GitServer
let charts: Server
beforeAll(async () => {
  const versions = { 'v1.0.0': 'covered.example.com', 'v2.0.0': 'open.example.com' }
  web = await serve(
    Object.fromEntries(
      Object.entries(versions).flatMap(([version, host]) => [
        [`/files/${version}/patch.yaml`, patch(host)],
        [`/files/${version}/merge.yaml`, merge(host)],
        [`/files/${version}/host.env`, data(host)],
        [`/files/${version}/crd.json`, '{}'],
      ]),
    ),
  )
  git = await GitServer.start()
  charts = await chartRepository({
    web: { '1.0.0': { 'values.yaml': '', 'templates/a.yaml': ingressWith('open.example.com') } },
  })
})
afterEach(() => {
  web.asked.length = 0
})
afterAll(() => Promise.all([web.close(), git.close(), charts.close()]))

const own = { 'apps/web/ingress.yaml': ingressWith('covered.example.com') }
const at = (version: string, fields: (url: string) => string): Files => ({
  'apps/web/kustomization.yaml': `resources: [ingress.yaml]\n${fields(`${web.url}/files/${version}`)}`,
})
const kinds: readonly [what: string, fields: (url: string) => string][] = [
  ['a patch of `patches`', (url) => `patches:\n  - path: ${url}/patch.yaml\n    target: {kind: Ingress}\n`],
  ['a patch of `patchesStrategicMerge`', (url) => `patchesStrategicMerge:\n  - ${url}/merge.yaml\n`],
  [
    'a value that a replacement takes of a generated ConfigMap',
    (url) => `configMapGenerator:
  - name: host
    envs: ["${url}/host.env"]
replacements:
  - source: {kind: ConfigMap, name: host, fieldPath: data.host}
    targets: [{select: {kind: Ingress}, fieldPaths: [spec.rules.1.host]}]
`,
  ],
]

describe('a file that a Kustomization names by its URL', () => {
  test.each(kinds)('is fetched on both sides: %s', async (_, fields) => {
    const base = { ...allowing(`${web.url}/files`), ...own, ...at('v1.0.0', fields) }
    const report = await changeOnline(base, at('v2.0.0', fields))
    expect(introduced(report).join()).toMatch(
      /^error head\/apps\/web\/kustomization\.yaml:[34] ingress-tls\/host-covered$/,
    )
    expect(report.inspected.skipped.map(({ path: file }) => file)).toEqual(['.github/**'])
    expect(web.asked).toHaveLength(2)
    expect(JSON.stringify(report)).not.toContain('.fetched-')
  })

  test.each([
    ['crds', (url: string) => `crds: ["${url}/crd.json"]\n`],
    ['openapi', (url: string) => `openapi: {path: "${url}/crd.json"}\n`],
    ['data below a key', (url: string) => `configMapGenerator: [{name: a, files: ["a.conf=${url}/host.env"]}]\n`],
  ])('is fetched beside a change of a resource: %s', async (_, fields) => {
    const base = { ...allowing(`${web.url}/files`), ...own, ...at('v1.0.0', fields) }
    const report = await changeOnline(base, { 'apps/web/ingress.yaml': ingressWith('open.example.com') })
    expect(introduced(report)).toEqual(['error head/apps/web/ingress.yaml:8 ingress-tls/host-covered'])
    expect(web.asked).toHaveLength(1)
    expect(states(report)).toEqual(['apps/web/ingress.yaml judged'])
    expect(report.inspected.skipped.map(({ path: file }) => file)).toEqual(['.github/**'])
  })

  test.each(kinds.slice(0, 1))('that only the head names is not asked for, and is an error: %s', async (_, fields) => {
    const report = await changeOnline({ ...own, ...at('v1.0.0', () => '') }, at('v1.0.0', fields))
    expect(introduced(report)).toContain('error head/apps/web/kustomization.yaml:3 source/unrendered')
    expect(report.findings.map(({ text }) => text).join()).toContain(
      `and was not fetched, because only this change names its place; copy it into this repository and name the copy, or first merge \`network: {charts: ["${web.url}/files"]}\``,
    )
    expect(web.asked).toEqual([])
  })

  test.each(kinds.slice(0, 1))('is left out on both sides where one has no such version: %s', async (_, fields) => {
    const base = { ...allowing(`${web.url}/files`), ...own, ...at('v1.0.0', fields) }
    const report = await changeOnline(base, at('v9.0.0', fields))
    expect(introduced(report)).toContain('error head/apps/web/kustomization.yaml:3 source/unrendered')
    expect(report.findings.map(({ text }) => text).join()).toContain('/files/v9.0.0/patch.yaml answers 404')
    expect(report.inspected.changes).toMatchObject({ added: 0, removed: 0 })
  })

  test('of data that cannot be had is left out and listed, with the reason', async () => {
    const fields = (url: string) => `configMapGenerator: [{name: a, files: ["a.conf=${url}/none.env"]}]\n`
    const base = { ...allowing(`${web.url}/files`), ...own, ...at('v1.0.0', fields) }
    const report = await changeOnline(base, { 'apps/web/ingress.yaml': ingressWith('open.example.com') })
    expect(introduced(report)).toContain('error head/apps/web/ingress.yaml:8 ingress-tls/host-covered')
    expect(JSON.stringify(report.inspected.skipped)).toContain('none.env answers 404')
  })

  test('of a fetched base is fetched for that, and is found at the entry of the base', async () => {
    const [before, after] = ['v1.0.0', 'v2.0.0'].map((version) =>
      entryOf({
        'kustomization.yaml': `resources: [ingress.yaml]\npatches: [{path: "${web.url}/files/${version}/patch.yaml", target: {kind: Ingress}}]\n`,
      }),
    )
    const places = [`${git.url}/base`, `${web.url}/files`]
    const report = await changeOnline({ ...allowing(...places), ...before }, { ...after })
    expect(introduced(report)).toEqual(['error head/kustomization.yaml:1 ingress-tls/host-covered'])
    expect(web.asked.sort()).toEqual(['/files/v1.0.0/patch.yaml', '/files/v2.0.0/patch.yaml'])
    web.asked.length = 0
    const refused = await changeOnline({ ...allowing(`${git.url}/base`), ...entryOf({}) }, { ...after })
    expect(introduced(refused)).toEqual(['error head/kustomization.yaml:1 source/unrendered'])
    expect(refused.findings[0]?.text).toContain(
      `It uses ${web.url}/files/v2.0.0/patch.yaml, which is not in this repository, and was not fetched, because only this change names its place`,
    )
    expect(web.asked).toEqual([])
  })
})

describe('a chart that a fetched base inflates', () => {
  const inflated = (home = '') =>
    entryOf({
      'kustomization.yaml': `resources: [ingress.yaml]\nhelmCharts: [{name: web, repo: "${urlOf(charts)}", version: 1.0.0, releaseName: web}]\n${home}`,
    })

  test('is fetched for it, and is found at the entry of the base', async () => {
    const places = [`${git.url}/base`, urlOf(charts)]
    const report = await changeOnline({ ...allowing(...places), ...entryOf({}) }, inflated())
    expect(introduced(report)).toEqual(['error head/kustomization.yaml:1 ingress-tls/host-covered'])
    expect(report.inspected.changes).toMatchObject({ added: 1, changed: 0, removed: 0 })
  })

  test('is an error where the base of the change does not name its place', async () => {
    charts.asked.length = 0
    const report = await changeOnline({ ...allowing(`${git.url}/base`), ...entryOf({}) }, inflated())
    expect(introduced(report)).toEqual(['error head/kustomization.yaml:1 source/not-judged'])
    expect(charts.asked).toEqual([])
  })

  test('is not fetched to a folder out of the base', async () => {
    charts.asked.length = 0
    const places = [`${git.url}/base`, urlOf(charts)]
    const head = inflated('helmGlobals: {chartHome: ../../../../apps}\n')
    const report = await changeOnline({ ...allowing(...places), ...entryOf({}) }, head)
    expect(introduced(report).join()).toContain('error head/kustomization.yaml:1 source/')
    expect(charts.asked).toEqual([])
  })
})

/** An entry that takes in a new version of a base. */
function entryOf(files: Files): Files {
  const base = new ServedRepository(path.join(git.root, 'base'))
  const own = { 'ingress.yaml': ingressWith('covered.example.com').replace('name: web', 'name: own') }
  const all = { 'kustomization.yaml': 'resources: [ingress.yaml]\n', ...own, ...files }
  const commit = base.commit(Object.fromEntries(Object.entries(all).map(([name, text]) => [`web/${name}`, text])))
  return { 'kustomization.yaml': `resources: ["${git.url}/base//web?ref=${commit}"]\n` }
}
