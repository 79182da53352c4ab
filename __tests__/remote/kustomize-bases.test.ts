import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { GitServer, ServedRepository } from '../fetch/git-server'
import { type Server, serve } from '../fetch/servers'
import type { Files } from '../source/repository'
import { allowing, changeOnline, ingressWith, introduced, states } from './charts'

const kustomization = (...resources: readonly string[]) =>
  `resources:\n${resources.map((one) => `  - ${one}\n`).join('')}`

let git: GitServer
let web: Server
let base: ServedRepository
beforeAll(async () => {
  git = await GitServer.start()
  web = await serve({
    '/files/v1.0.0/web.yaml': ingressWith('covered.example.com'),
    '/files/v2.0.0/web.yaml': ingressWith('open.example.com'),
  })
  base = new ServedRepository(path.join(git.root, 'base'))
  base.commit({
    'deploy/web/kustomization.yaml': kustomization('ingress.yaml', '../../common'),
    'deploy/web/ingress.yaml': ingressWith('covered.example.com'),
    'common/kustomization.yaml': kustomization('settings.yaml'),
    'common/settings.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n',
  })
  base.git('tag', 'v1')
  base.commit({ 'deploy/web/ingress.yaml': ingressWith('open.example.com') })
  base.git('tag', 'v2')
  base.commit({ 'deploy/web/ingress.yaml': null })
  base.git('tag', 'broken')
})
afterEach(() => {
  git.asked.length = 0
  web.asked.length = 0
})
afterAll(() => Promise.all([git.close(), web.close()]))

const url = () => `${git.url}/base`
const overlay = (entry: string, more = ''): Files => ({
  'apps/web/kustomization.yaml': `namespace: shop\n${kustomization(entry)}${more}`,
})

describe('a remote base', () => {
  const at = (ref: string, more = '') => overlay(`${url()}//deploy/web?ref=${ref}`, more)

  test('in another version is built on both sides, and what it brings is found at the line of the version', async () => {
    const report = await changeOnline({ ...allowing(url()), ...at('v1') }, at('v2'))
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:3 ingress-tls/host-covered'])
    expect(report.findings[0]).toMatchObject({ object: { kind: 'Ingress', namespace: 'shop', name: 'web' } })
    expect(states(report)).toEqual(['apps/web/kustomization.yaml input'])
    expect(report.inspected.changes).toMatchObject({ added: 0, changed: 1, removed: 0 })
  })

  test('is judged with a patch that is laid over it, at the line of the patch', async () => {
    const patch = `patches:
  - target: {kind: Ingress}
    patch: |
      - op: replace
        path: /spec/rules/0/host
        value: open.example.com
`
    const report = await changeOnline({ ...allowing(url()), ...at('v1') }, at('v1', patch))
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:9 ingress-tls/host-covered'])
  })

  test('that cannot be built any more is an error at its line', async () => {
    const report = await changeOnline({ ...allowing(url()), ...at('v1') }, at('broken'))
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:3 source/unrendered'])
    expect(report.findings[0]?.text).toContain(`${url()}/deploy/web/ingress.yaml`)
  })

  test('in a version that the repository does not have is an error at its line', async () => {
    const report = await changeOnline({ ...allowing(url()), ...at('v1') }, at('v9'))
    expect(introduced(report)).toContain('error head/apps/web/kustomization.yaml:3 source/unrendered')
    expect(report.findings[0]?.text).toContain('has no tag, branch or commit "v9"')
  })
})

test('a base that a trusted base takes in is fetched where the base names its place, too', async () => {
  const other = new ServedRepository(path.join(git.root, 'other'))
  other.commit({ 'kustomization.yaml': kustomization('ingress.yaml'), 'ingress.yaml': ingressWith('open.example.com') })
  base.git('checkout', '--quiet', 'v1')
  base.commit({ 'deploy/web/kustomization.yaml': kustomization('../../common', `${git.url}/other//.`) })
  base.git('tag', 'nested')
  base.git('checkout', '--quiet', 'main')
  const both = allowing(url(), `${git.url}/other`)
  const report = await changeOnline(
    { ...both, ...overlay(`${url()}//deploy/web?ref=v1`) },
    overlay(`${url()}//deploy/web?ref=nested`),
  )
  expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:3 ingress-tls/host-covered'])
})

test('an Application that a base brings is judged, and what it deploys is listed', async () => {
  base.git('checkout', '--quiet', 'v1')
  const app = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: more, namespace: argocd}
spec: {source: {repoURL: https://github.com/acme/more.git, path: apps}}
`
  base.commit({
    'deploy/web/kustomization.yaml': kustomization('ingress.yaml', 'app.yaml'),
    'deploy/web/app.yaml': app,
  })
  base.git('tag', 'apps')
  base.git('checkout', '--quiet', 'main')
  const at = (ref: string) => overlay(`${url()}//deploy/web?ref=${ref}`)
  const report = await changeOnline({ ...allowing(url()), ...at('v1') }, at('apps'))
  expect(report.inspected.skipped).toContainEqual({
    path: 'apps/web/kustomization.yaml',
    reason: 'Application shop/more: it comes from elsewhere, and the sources that it deploys are not followed',
  })
})

test('a remote component is laid over what is here', async () => {
  base.git('checkout', '--quiet', 'v1')
  const component = (host: string) => `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {kind: Ingress}
    patch: '[{"op": "replace", "path": "/spec/rules/1/host", "value": "${host}"}]'
`
  for (const [tag, host] of [
    ['c1', 'covered.example.com'],
    ['c2', 'open.example.com'],
  ] as const) {
    base.commit({ 'part/kustomization.yaml': component(host) })
    base.git('tag', tag)
  }
  base.git('checkout', '--quiet', 'main')
  const own = (ref: string) => ({
    'kustomization.yaml': `${kustomization('ingress.yaml')}components:\n  - ${url()}//part?ref=${ref}\n`,
  })
  const report = await changeOnline(
    { ...allowing(url()), 'ingress.yaml': ingressWith('covered.example.com'), ...own('c1') },
    own('c2'),
  )
  expect(introduced(report)).toEqual(['error head/kustomization.yaml:4 ingress-tls/host-covered'])
})

test('a commit of a branch is built as well, without asking for more than its folder', async () => {
  const commits = ['v1', 'v2'].map((tag) => base.git('rev-parse', `${tag}^{commit}`))
  const [before, after] = commits.map((commit) => overlay(`${url()}//deploy/web?ref=${commit}`))
  const report = await changeOnline({ ...allowing(url()), ...before }, { ...after })
  expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:3 ingress-tls/host-covered'])
})

describe('a raw file of a repository', () => {
  let raw: string
  let files: ServedRepository
  beforeAll(() => {
    files = new ServedRepository(path.join(git.root, 'acme/files'))
    files.commit({ 'web/ingress.yaml': ingressWith('covered.example.com') })
    files.git('tag', 'v1')
    files.git('checkout', '--quiet', '-b', 'feature/open')
    files.commit({ 'web/ingress.yaml': ingressWith('open.example.com') })
    files.git('checkout', '--quiet', 'main')
    raw = `${git.url}/acme/files/-/raw`
  })
  const at = (ref: string) => overlay(`${raw}/${ref}/web/ingress.yaml`)
  const network = () => allowing(`${git.url}/acme/files`)

  test('is taken of the repository, also of a branch whose name has a slash', async () => {
    const report = await changeOnline({ ...network(), ...at('v1') }, at('feature/open'))
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:3 ingress-tls/host-covered'])
    expect(git.asked.filter((one) => one.includes('/raw/'))).toEqual([])
  })

  test('of a commit that no branch and no tag holds is refused', async () => {
    files.git('checkout', '--quiet', '--detach', 'v1')
    const foreign = files.commit({ 'web/ingress.yaml': ingressWith('foreign.example.com') })
    files.git('update-ref', 'refs/pull/1/head', foreign)
    files.git('checkout', '--quiet', 'main')
    const report = await changeOnline({ ...network(), ...at('v1') }, at(foreign))
    expect(introduced(report)).toContain('error head/apps/web/kustomization.yaml:3 source/unrendered')
    expect(report.findings.map(({ text }) => text).join()).toContain(
      `has no branch or tag that contains the commit ${foreign}`,
    )
  })
})

describe('a file by its URL', () => {
  const at = (version: string) => overlay(`${web.url}/files/${version}/web.yaml`)

  test('in another version is built on both sides', async () => {
    const report = await changeOnline({ ...allowing(`${web.url}/files`), ...at('v1.0.0') }, at('v2.0.0'))
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:3 ingress-tls/host-covered'])
    expect(web.asked.sort()).toEqual(['/files/v1.0.0/web.yaml', '/files/v2.0.0/web.yaml'])
  })
})
