import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { GitServer, ServedRepository } from '../fetch/git-server'
import { type Server, serve } from '../fetch/servers'
import type { Files } from '../source/repository'
import { allowing, changeOnline, ingressWith, introduced, states } from './charts'

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
})
afterEach(() => {
  web.asked.length = 0
})
afterAll(() => Promise.all([web.close(), git.close()]))

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
      `and was not fetched, because the base does not name its place; vendor it and name the copy, or first merge \`network: {charts: ["${web.url}/files"]}\``,
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

  test('of a fetched base is not asked for: the base is built without it on both sides', async () => {
    const base = new ServedRepository(path.join(git.root, 'base'))
    const named = (version: string) =>
      base.commit({
        'web/kustomization.yaml': `resources: [ingress.yaml]\npatches: [{path: "${web.url}/files/${version}/patch.yaml", target: {kind: Ingress}}]\n`,
        'web/ingress.yaml': ingressWith('covered.example.com'),
      })
    const entry = (commit: string) => ({
      'kustomization.yaml': `resources: ["${git.url}/base//web?ref=${commit}"]\n`,
    })
    const [before, after] = [named('v1.0.0'), named('v2.0.0')].map(entry)
    const report = await changeOnline({ ...allowing(`${git.url}/base`, `${web.url}/files`), ...before }, { ...after })
    expect(web.asked).toEqual([])
    expect(introduced(report)).toEqual(['notice head/kustomization.yaml:1 source/not-judged'])
    expect(report.findings[0]?.text).toContain(
      `the fetched files cannot be used: it uses ${web.url}/files/v1.0.0/patch.yaml, which is not in this repository`,
    )
  })
})
