import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { GitServer, ServedRepository } from '../fetch/git-server'
import { redirect, type Server, serve } from '../fetch/servers'
import { configMap } from '../source/objects'
import type { Files } from '../source/repository'
import { allowing, changeOnline, chartRepository, introduced, states, urlOf } from './charts'

const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  rules: [{host: open.example.com}]
`
const kustomization = (...resources: readonly string[]) => `resources: ${JSON.stringify(resources)}\n`

let git: GitServer
let web: Server
let charts: Server
let trusted: ServedRepository
let other: ServedRepository
let foreign: string
beforeAll(async () => {
  git = await GitServer.start()
  web = await serve({ '/a.yaml': ingress, '/b.yaml': ingress })
  charts = await chartRepository({ web: { '1.0.0': { 'templates/ingress.yaml': ingress } } })
  trusted = new ServedRepository(path.join(git.root, 'trusted'))
  other = new ServedRepository(path.join(git.root, 'other'))
  other.commit({ 'web/kustomization.yaml': kustomization('ingress.yaml'), 'web/ingress.yaml': ingress })
  trusted.commit({ 'web/kustomization.yaml': kustomization('a.yaml'), 'web/a.yaml': configMap('a') })
  trusted.git('tag', 'v1')
  const version = (tag: string, files: Files) => {
    trusted.commit(files)
    trusted.git('tag', tag)
    trusted.git('reset', '--quiet', '--hard', 'v1')
  }
  version('nested', { 'web/kustomization.yaml': kustomization('a.yaml', `${git.url}/other//web`) })
  version('file', { 'web/kustomization.yaml': kustomization('a.yaml', `${web.url}/a.yaml`) })
  version('up', { 'web/kustomization.yaml': kustomization('a.yaml', '../../../../apps/secret') })
  version('out', { 'web/kustomization.yaml': kustomization('a.yaml', '../../../../../../../../etc') })
  version('link', {
    'web/kustomization.yaml': kustomization('a.yaml', 'link.yaml'),
    'web/link.yaml': { link: '/etc/passwd' },
  })
  version('held', { 'web/kustomization.yaml': kustomization('a.yaml', '../../other') })
  trusted.git('checkout', '--quiet', '--detach', 'v1')
  foreign = trusted.commit({ 'web/a.yaml': ingress })
  trusted.git('update-ref', 'refs/pull/1/head', foreign)
  trusted.git('checkout', '--quiet', 'main')
})
afterEach(() => {
  for (const { asked } of [git, web, charts]) asked.length = 0
})
afterAll(() => Promise.all([git.close(), web.close(), charts.close()]))

const app = (...entries: readonly string[]): Files => ({ 'apps/web/kustomization.yaml': kustomization(...entries) })
const sides = (before: Files, after: Files) =>
  changeOnline({ ...allowing(`${git.url}/trusted`), ...secret, ...before }, after)
/** The content that a base must not reach. */
const secret: Files = {
  'apps/secret/kustomization.yaml': kustomization('secret.yaml'),
  'apps/secret/secret.yaml': configMap('secret'),
}
const v = (ref: string) => `${git.url}/trusted//web?ref=${ref}`
const asked = () => [...git.asked, ...web.asked, ...charts.asked]

describe('a place that only the head names', () => {
  test.each([
    ['a repository', () => `${git.url}/other//web`],
    ['a repository in a folder of the trusted one', () => `${git.url}/trusted/other//web`],
    ['a repository whose name starts like the trusted one', () => `${git.url}/trusted2//web`],
    ['the trusted one without TLS or with another port', () => 'http://127.0.0.1:1/trusted//web'],
    ['the trusted one as a user', () => `${git.url}@127.0.0.1:${web.port}/trusted//web`],
    ['a file', () => `${web.url}/a.yaml`],
    ['a forced protocol', () => `git::${git.url}/other//web`],
    ['an address of metadata', () => 'http://169.254.169.254/latest/user-data.yaml'],
  ])('is not asked: %s', async (_, entry) => {
    const report = await sides(app('../secret'), app('../secret', entry()))
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:1 source/unrendered'])
    expect(report.findings[0]?.text).toContain(entry())
    expect(asked()).toEqual([])
  })

  test('is an error that prints the line to merge first', async () => {
    const report = await sides(app('../secret'), app('../secret', `${git.url}/other//web?ref=v1`))
    expect(report.findings[0]?.text).toBe(
      `It uses ${git.url}/other//web?ref=v1, which is not in this repository, and was not fetched, because only this change names its place; copy it into this repository and name the copy, or first merge \`network: {git: ["${git.url}/other"]}\` into the config of this gate to have it fetched.`,
    )
  })

  test.each([
    ['a local repository', 'file:///etc'],
    ['a forced local repository', 'git::file:///etc//x?ref=v1'],
    ['a command', 'ext::sh -c id% >/tmp/x?ref=v1'],
    ['an option', '--upload-pack=id@host.example.com:a/b?ref=v1'],
    ['a path that leads out', 'https://github.com/acme/base//../../x?ref=v1'],
  ])('is no place: %s', async (_, entry) => {
    const report = await sides(app(v('v1')), app(v('v1'), entry))
    expect(introduced(report).filter((one) => one.startsWith('error'))).not.toEqual([])
    expect(asked().filter((one) => !one.includes('/trusted/'))).toEqual([])
  })

  test('of a chart is not asked: an error at the line that names it', async () => {
    const chart = `helmCharts:\n  - name: web\n    repo: ${charts.url}/charts\n    version: 1.0.0\n`
    const report = await sides(app('../secret'), {
      'apps/web/kustomization.yaml': `${kustomization('../secret')}${chart}`,
    })
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:4 source/not-judged'])
    expect(report.findings[0]?.text).toContain(`first merge \`network: {charts: ["${charts.url}/charts"]}\``)
    expect(asked()).toEqual([])
  })
})

test.each([
  ['is an error where the place has that of the base', '1.0.0', 'error', ', here or in the cluster'],
  ['is a warning where the place lacks that of the base, too', '0.9.0', 'warning', 'in a step before this check'],
])('a version of a chart that its place does not have %s', async (_, before, level, text) => {
  const inflating = (version: string) => ({
    'apps/web/kustomization.yaml': `helmCharts:\n  - name: web\n    repo: ${urlOf(charts)}\n    version: ${version}\n    releaseName: web\n`,
  })
  const report = await changeOnline({ ...allowing(urlOf(charts)), ...inflating(before) }, inflating('1.1.0'))
  expect(introduced(report)).toContain(`${level} head/apps/web/kustomization.yaml:2 source/unrendered`)
  expect(report.findings.map((one) => one.text)).toContainEqual(expect.stringContaining(text))
})

describe('a trusted repository', () => {
  test.each([
    ['another repository', 'nested'],
    ['a file by its URL', 'file'],
  ])('whose new version takes in %s is built without it, and that is an error', async (_, ref) => {
    const report = await sides(app(v('v1')), app(v(ref)))
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:1 source/unrendered'])
    expect(report.findings[0]?.text).toContain('was not fetched, because only this change names its place')
    expect(asked().filter((one) => !one.includes('/trusted/'))).toEqual([])
  })

  test.each([
    ['files of this repository', 'up'],
    ['files of the machine', 'out'],
    ['other fetched files', 'held'],
  ])('whose new version leads to %s is refused', async (_, ref) => {
    const report = await sides(app(v('v1')), app(v(ref)))
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:1 source/unrendered'])
    expect(report.findings[0]?.text).toMatch(/It uses \S+, which is not in this repository/)
    expect(JSON.stringify(report)).not.toContain('ConfigMap secret')
  })

  test('whose new version has a link is built without it', async () => {
    const report = await sides(app(v('v1')), app(v('link')))
    expect(JSON.stringify(report)).not.toContain('root:')
    expect(introduced(report)).toEqual(['notice head/apps/web/kustomization.yaml:1 source/not-judged'])
    expect(states(report)).toEqual(['apps/web/kustomization.yaml not-judged remote-version'])
    expect(report.findings[0]?.text).toContain(
      'and is left out, because the fetched files cannot be used: kustomize cannot build',
    )
  })

  test('has no commit that no branch and no tag holds', async () => {
    const report = await sides(app(v('v1')), app(v(foreign)))
    expect(introduced(report)).toContain('error head/apps/web/kustomization.yaml:1 source/unrendered')
    expect(report.findings.map(({ text }) => text).join()).toContain(
      `has no branch or tag that contains the commit ${foreign}`,
    )
  })

  test.each(['--foo', '--upload-pack=id', 'refs/pull/1/head', '$(id)'])('has no ref %s', async (ref) => {
    const report = await sides(app(v('v1')), app(v(ref)))
    expect(introduced(report)).toContain('error head/apps/web/kustomization.yaml:1 source/unrendered')
    // For the list of refs, and the commit and the files of v1.
    expect(asked().filter((one) => one.startsWith('POST'))).toHaveLength(3)
  })

  test('is left out on both sides where it redirects to another host', async () => {
    git.answers.set('/trusted/info/refs', redirect(`${web.url}/info/refs?service=git-upload-pack`))
    const report = await sides(app(v('v1')), app(v('nested')))
    git.answers.clear()
    expect(report.inspected.changes).toMatchObject({ added: 0, removed: 0 })
    expect(states(report)).toEqual(['apps/web/kustomization.yaml not-judged remote-version'])
    expect(report.findings[0]?.text).toMatch(/which is not in this repository, and could not be fetched: \S+/)
    expect(web.asked).toEqual([])
  })
})

describe('nothing is fetched', () => {
  test('where the change does not touch what takes it in', async () => {
    await sides({ ...app(v('v1')), 'other.yaml': configMap('a') }, { 'other.yaml': configMap('b') })
    expect(asked()).toEqual([])
  })

  test('where a change is judged offline', async () => {
    const files = { ...allowing(`${git.url}/trusted`), ...app(v('v1')) }
    await changeOnline(files, app(v('nested')), '--offline')
    expect(asked()).toEqual([])
  })
})

describe('where one side cannot be had', () => {
  test('both are built without it', async () => {
    const before = { ...app('../secret', `${git.url}/other//web`), ...secret }
    const report = await changeOnline(before, { 'apps/web/kustomization.yaml': kustomization('../secret') })
    expect(report.inspected.changes).toMatchObject({ added: 0, removed: 0 })
    expect(asked()).toEqual([])
  })

  test('nothing seems to go that another one may have replaced', async () => {
    const report = await sides(app(v('v1')), app(`${git.url}/other//web`))
    expect(report.inspected.changes).toMatchObject({ added: 0, removed: 0 })
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:1 source/unrendered'])
  })
})
