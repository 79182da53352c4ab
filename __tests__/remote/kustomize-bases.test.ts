import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { GitServer, ServedRepository } from '../fetch/git-server'
import { type Server, serve } from '../fetch/servers'
import type { Files } from '../source/repository'
import { allowing, changeOnline, introduced, states } from './charts'

const ingress = (host: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  tls: [{hosts: [covered.example.com], secretName: web}]
  rules:
    - host: covered.example.com
    - host: ${host}
`
const kustomization = (...resources: readonly string[]) =>
  `resources:\n${resources.map((one) => `  - ${one}\n`).join('')}`

let git: GitServer
let web: Server
let base: ServedRepository
beforeAll(async () => {
  git = await GitServer.start()
  web = await serve({
    '/files/v1.0.0/web.yaml': ingress('covered.example.com'),
    '/files/v2.0.0/web.yaml': ingress('open.example.com'),
  })
  base = new ServedRepository(path.join(git.root, 'base'))
  base.commit({
    'deploy/web/kustomization.yaml': kustomization('ingress.yaml', '../../common'),
    'deploy/web/ingress.yaml': ingress('covered.example.com'),
    'common/kustomization.yaml': kustomization('settings.yaml'),
    'common/settings.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n',
  })
  base.git('tag', 'v1')
  base.commit({ 'deploy/web/ingress.yaml': ingress('open.example.com') })
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

describe('a file by its URL', () => {
  const at = (version: string) => overlay(`${web.url}/files/${version}/web.yaml`)

  test('in another version is built on both sides', async () => {
    const report = await changeOnline({ ...allowing(`${web.url}/files`), ...at('v1.0.0') }, at('v2.0.0'))
    expect(introduced(report)).toEqual(['error head/apps/web/kustomization.yaml:3 ingress-tls/host-covered'])
    expect(web.asked.sort()).toEqual(['/files/v1.0.0/web.yaml', '/files/v2.0.0/web.yaml'])
  })
})
