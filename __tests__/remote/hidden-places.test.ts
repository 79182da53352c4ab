import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { GitServer, ServedRepository } from '../fetch/git-server'
import { Registry } from '../fetch/registry-server'
import { chart, indexOf, redirect, type Server, serve, sha256 } from '../fetch/servers'
import { configMap } from '../source/objects'
import { type Files, temporaryFolder } from '../source/repository'
import { allowing, changeOnline, helmRelease, helmRepository, introduced } from './charts'

let git: GitServer
let trusted: ServedRepository
let charts: Server
let other: Server
let registry: Registry
const cache = temporaryFolder()
beforeAll(async () => {
  git = await GitServer.start()
  other = await serve()
  registry = await Registry.start()
  const archive = await chart('web', '1.0.0', { 'templates/a.yaml': configMap('a') })
  charts = await serve({ '/charts/web.tgz': archive, '/others/web.tgz': archive })
  listing(`${charts.url}/others/web.tgz`)
  new ServedRepository(path.join(git.root, 'other')).commit({ 'web/kustomization.yaml': '', 'a.yaml': configMap('b') })
  trusted = new ServedRepository(path.join(git.root, 'trusted'))
  version('v1.0.0', {})
  version('submodule', {
    '.gitmodules': `[submodule "web/part"]\n\tpath = web/part\n\turl = ${git.url}/other\n\tupdate = !touch /tmp/x\n`,
    'web/kustomization.yaml': 'resources: [a.yaml, part]\n',
  })
  version('large', {
    '.lfsconfig': `[lfs]\n\turl = ${other.url}/lfs\n`,
    '.gitattributes': '*.yaml filter=lfs diff=lfs merge=lfs -text\n',
    'web/a.yaml': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`,
  })
  version('alternates', {
    'objects/info/alternates': `${git.root}/other/.git/objects\n`,
    'objects/info/http-alternates': `${other.url}/objects\n`,
    'packed-refs': '',
    HEAD: `ref: ${git.url}/other\n`,
    'web/a.yaml': configMap('alternates'),
  })
  version('settings', {
    '.gitconfig': `[url "${other.url}/"]\n\tinsteadOf = ${git.url}/\n`,
    'web/.netrc': 'default login a password b\n',
    'web/a.yaml': configMap('settings'),
  })
  version('inflating', {
    'web/kustomization.yaml': `resources: [a.yaml]\nhelmCharts: [{name: web, repo: "${other.url}", version: 1.0.0}]\n`,
  })
  version('generating', {
    'web/kustomization.yaml': 'resources: [a.yaml]\ngenerators: [chart.yaml]\n',
    'web/chart.yaml': `apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: web}\nname: web\nrepo: ${other.url}\nversion: 1.0.0\n`,
  })
})
afterEach(() => {
  for (const { asked } of [git, charts, other, registry]) asked.length = 0
})
afterAll(() => Promise.all([git.close(), charts.close(), other.close(), registry.close()]))

function version(tag: string, files: Files): void {
  if (tag !== 'v1.0.0') trusted.git('checkout', '--quiet', 'v1.0.0')
  trusted.commit({ 'web/kustomization.yaml': 'resources: [a.yaml]\n', 'web/a.yaml': configMap('a'), ...files })
  trusted.git('tag', tag)
}

/** Makes the index of the trusted repository name an archive. */
function listing(url: string): void {
  const versions = [
    { version: '1.0.0', url: 'web.tgz' },
    { version: '1.1.0', url },
  ]
  charts.answers.set('/charts/index.yaml', indexOf({ web: versions }))
}

const based = (entry: string): Files => ({ 'apps/kustomization.yaml': `resources:\n  - ${JSON.stringify(entry)}\n` })
const at = (ref: string) => based(`${git.url}/trusted//web?ref=${ref}`)
const release = (more: Partial<Parameters<typeof helmRelease>[1]> = {}): Files => ({
  'web.yaml': helmRelease('web', { namespace: 'shop', chart: 'web', version: '1.0.0', ...more }),
})
/** A release of another archive, which the index of the trusted repository names. */
const listed = (url: () => string) => () => {
  listing(url())
  return release({ version: '1.1.0' })
}
const dependent = (repository: string, more = ''): Files => ({
  'own/Chart.yaml': `apiVersion: v2\nname: own\nversion: 1.0.0\ndependencies: [{name: web, version: 1.1.0, repository: "${repository}"${more}}]\n`,
  'own/templates/a.yaml': configMap('own'),
})

const tries: readonly [what: string, head: () => Files][] = [
  ['a submodule of a fetched base', () => at('submodule')],
  ['files that Git keeps elsewhere (LFS)', () => at('large')],
  ['alternates that a fetched base has as files', () => at('alternates')],
  ['settings of git that a fetched base has as files', () => at('settings')],
  ['a chart of a fetched base', () => at('inflating')],
  ['a chart of a generator of a fetched base', () => at('generating')],
  ['options of kustomize in a query', () => at('v1.0.0&submodules=true&timeout=1&sshkey=aQ==&depth=9')],
  ['an option of git in a fragment', () => at(`v1.0.0#--upload-pack=${other.url}`)],
  ['a second place behind the reference', () => at(`v1.0.0/../../other//web?ref=main`)],
  ['an option of ssh as a host', () => based('ssh://-oProxyCommand=touch%20x/trusted//web?ref=v1.0.0')],
  ['an option of ssh as a user', () => based('-oProxyCommand=id@127.0.0.1:trusted//web?ref=v1.0.0')],
  ['a variable of git as a place', () => based(`GIT_SSH_COMMAND=id git::${git.url}/other//web?ref=v1.0.0`)],
  ['an archive that an index names on the same host', listed(() => '../others/web.tgz')],
  ['an archive that an index names without a scheme', listed(() => `//127.0.0.1:${other.port}/web.tgz`)],
  [
    'an archive that an index names with a user',
    listed(() => `http://127.0.0.1:${charts.port}@127.0.0.1:${other.port}/a`),
  ],
  ['an archive that an index names in a registry', listed(() => `${registry.url}/charts/web:1.1.0`)],
  ['an archive that an index names as a file', listed(() => 'file:///etc/passwd')],
  [
    'a chain of redirects, with TLS and without',
    () => {
      charts.answers.set('/charts/moved.tgz', redirect('/charts/again.tgz', 307))
      charts.answers.set('/charts/again.tgz', redirect(`//127.0.0.1:${other.port}/web.tgz`, 308))
      other.answers.set('/web.tgz', redirect(`https://127.0.0.1:${other.port}/web.tgz`))
      return listed(() => 'moved.tgz')()
    },
  ],
  ['a dependency by the name of a repository', () => ({ ...dependent('@other'), 'repositories.yaml': named() })],
  ['a dependency by an alias', () => ({ ...dependent('alias:other', ', alias: more'), 'repositories.yaml': named() })],
  ['a dependency as a file out of the chart', () => dependent('file://../../../../../etc')],
  ['a chart by the URL of an archive', () => release({ chart: `${other.url}/web-1.0.0.tgz` })],
  ['a chart by the URL of a registry', () => release({ chart: `${registry.url}/charts/web` })],
  [
    'settings of a proxy in the repository',
    () => ({
      ...release({ version: '1.1.0' }),
      '.env': `HTTP_PROXY=${other.url}\nHTTPS_PROXY=${other.url}\nNO_PROXY=\n`,
      '.npmrc': `proxy=${other.url}\nhttps-proxy=${other.url}\n`,
      '.gitconfig': `[http]\n\tproxy = ${other.url}\n`,
      '.github/ingress-guard.yaml': `format: 1\nnetwork: {charts: ["${charts.url}/charts"], proxy: "${other.url}"}\n`,
    }),
  ],
]

/** Nothing is missing without what these name. */
const harmless = [
  'alternates that a fetched base has as files',
  'settings of git that a fetched base has as files',
  'options of kustomize in a query',
]

function named(): string {
  return `apiVersion: ""\nrepositories: [{name: other, url: "${other.url}"}]\n`
}

describe('a change that hides a place', () => {
  test.each(tries)('is asked for nothing of %s', async (what, head) => {
    const base = {
      ...allowing(`${charts.url}/charts`, `${git.url}/trusted`),
      'charts.yaml': helmRepository(`${charts.url}/charts`),
      ...at('v1.0.0'),
      ...release(),
    }
    // What the base names is asked for once, and not what this test is about.
    const report = await changeOnline(base, head(), '--cache', cache)
    if (!harmless.includes(what)) expect(introduced(report).join()).toContain('source/')
    expect([...other.asked, ...registry.asked]).toEqual([])
    expect(charts.asked.filter((one) => !one.startsWith('/charts/'))).toEqual([])
    expect(git.asked.filter((one) => !/^(?:GET|POST) \/trusted\//.test(one))).toEqual([])
  })

  test('is asked for what the base names: the servers of these tests answer', async () => {
    const base = {
      ...allowing(`${charts.url}/charts`, `${git.url}/trusted`),
      'charts.yaml': helmRepository(`${charts.url}/charts`),
    }
    const report = await changeOnline(base, { ...release(), ...at('v1.0.0') })
    expect(report.inspected.changes.added).toBe(3)
    expect(charts.asked.sort()).toEqual(['/charts/index.yaml', '/charts/web.tgz'])
  })
})

test('a foreign layer of a registry is taken of the registry alone', async () => {
  const archive = await chart('web', '1.0.0')
  const digest = `sha256:${sha256(archive)}`
  const layer = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', digest, size: archive.length }
  const manifest = { schemaVersion: 2, layers: [{ ...layer, urls: [`${other.url}/web.tgz`] }] }
  registry.addManifest('charts/web', '1.0.0', Buffer.from(JSON.stringify(manifest)))
  const base = { ...allowing(registry.url), 'charts.yaml': helmRepository(`${registry.url}/charts`) }
  await changeOnline(base, release())
  expect(registry.asked.some((one) => one.includes('/blobs/'))).toBe(true)
  expect(other.asked).toEqual([])
})
