import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import path from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { proxyFor } from '../../src/fetch/connection/proxy'
import { TrustedPlaces } from '../../src/fetch/connection/trust'
import { withEnvironment } from '../source/repository'
import { GitServer, ServedRepository } from './git-server'
import { chart, fetcherOf, indexOf, inShort, names, redirect, type Server, serve } from './servers'
import { TestProxy } from './test-proxy'

/** A certificate of charts.example.com that no one trusts, with its key. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguOV9GTMPIXZld8Ix
QGoyapI+Hb/kW2v+QDtcFwYQtSehRANCAAS39wnpgGIwvKJ0rXYB0OvLh0uDAgno
CCpMEC07jLqP/OrVzHKwi++GDHwdh/mW1yC1JeYvI/GymlAsN3a+bxL+
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBsTCCAVagAwIBAgIUMzmzt587AGekX9TL3BpGl78rQSswCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSY2hhcnRzLmV4YW1wbGUuY29tMCAXDTI2MTEyMjIzMzIyOFoY
DzIxMjYxMDI5MjMzMjI4WjAdMRswGQYDVQQDDBJjaGFydHMuZXhhbXBsZS5jb20w
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS39wnpgGIwvKJ0rXYB0OvLh0uDAgno
CCpMEC07jLqP/OrVzHKwi++GDHwdh/mW1yC1JeYvI/GymlAsN3a+bxL+o3IwcDAd
BgNVHQ4EFgQUS1Vo8/1qHwPWRYfTeYcBFj3tfV4wHwYDVR0jBBgwFoAUS1Vo8/1q
HwPWRYfTeYcBFj3tfV4wDwYDVR0TAQH/BAUwAwEB/zAdBgNVHREEFjAUghJjaGFy
dHMuZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSQAwRgIhAPvyNAGmM0qAj8vmJIY9
OP+IAvvbwUu3hUJ+FMr1cXt0AiEA/CaoV5JYan2yIRgz8UhU+MImfTnUnYWI6BVs
aWOFRv0=
-----END CERTIFICATE-----`

let proxy: TestProxy
let server: Server
beforeAll(async () => {
  proxy = await TestProxy.start()
  server = await serve({
    '/index.yaml': indexOf({ web: [{ version: '1.0.0', url: 'web.tgz' }] }),
    '/web.tgz': await chart('web', '1.0.0'),
  })
  proxy.to.set('charts.example.com', server.port)
})
afterEach(() => {
  proxy.asked.length = 0
  server.asked.length = 0
  proxy.login = ''
})
afterAll(() => Promise.all([proxy.close(), server.close()]))

/** Fetches as a machine with a proxy does, from a place that the base names. */
function behind<T>(variables: Record<string, string>, task: () => Promise<T>): Promise<T> {
  const none = Object.fromEntries(
    ['http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) => [
      [name, undefined],
      [name.toUpperCase(), undefined],
    ]),
  )
  return withEnvironment({ ...none, ...variables }, task)
}

function get(repository: string, variables: Record<string, string>, known: Record<string, string> = {}) {
  return behind(variables, async () => {
    const fetcher = fetcherOf([], { trusted: new TrustedPlaces([repository]), resolve: names(known) })
    return inShort(await fetcher.chart({ repository, chart: 'web', version: '1.0.0' }))
  })
}

const place = 'http://charts.example.com'

describe('a chart', () => {
  test('is fetched through the proxy, whose names this machine does not know', async () => {
    expect(await get(place, { HTTP_PROXY: proxy.url })).toBe('1.0.0: Chart.yaml')
    expect(proxy.asked).toEqual([`GET ${place}/index.yaml`, `GET ${place}/web.tgz`])
    expect(server.asked).toEqual(['/index.yaml', '/web.tgz'])
  })

  test('is fetched with TLS in a tunnel, and its certificate is verified', async () => {
    const answer = server.answers
    const hosts: (string | undefined)[] = []
    const secure = createSecureServer({ key, cert }, (request, response) => {
      hosts.push(request.headers.host)
      response.end(answer.get(request.url ?? ''))
    })
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
    proxy.to.set('charts.example.com:443', (secure.address() as AddressInfo).port)
    const variables = { https_proxy: proxy.url }
    const trusting = { ...variables, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    expect(await get('https://charts.example.com', trusting)).toBe('1.0.0: Chart.yaml')
    expect(proxy.asked).toEqual(['CONNECT charts.example.com:443', 'CONNECT charts.example.com:443'])
    expect(hosts).toEqual(['charts.example.com', 'charts.example.com'])
    expect(await get('https://charts.example.com', variables)).toBe(
      'place-unreachable: https://charts.example.com/index.yaml did not answer (DEPTH_ZERO_SELF_SIGNED_CERT)',
    )
    secure.closeAllConnections()
    await new Promise((resolve) => secure.close(resolve))
  })

  test('is fetched with the user of the proxy, which the place does not get and no message has', async () => {
    proxy.login = 'me:p@ss'
    const login = proxy.url.replace('//', '//me:p%40ss@')
    server.answers.set('/own/index.yaml', (request, response) =>
      response.end(indexOf({ web: [{ version: '1.0.0', url: String(request.headers.authorization) }] })),
    )
    expect(await get(`${place}/own`, { HTTP_PROXY: login })).toContain('/own/undefined')
    for (const [name, its] of [
      ['HTTP_PROXY', place],
      ['HTTPS_PROXY', 'https://charts.example.com'],
    ] as const) {
      const said = await get(its, { [name]: login.replace('p%40ss', 'other') })
      expect(said).toMatch(/^place-unreachable: the proxy 127\.0\.0\.1:\d+ answers 407/)
      expect(said).not.toContain('other')
    }
  })

  test('is fetched with a password that has a % of its own', async () => {
    proxy.login = 'me:50%off'
    expect(await get(place, { HTTP_PROXY: proxy.url.replace('//', '//me:50%off@') })).toBe('1.0.0: Chart.yaml')
  })

  test('is not fetched where the proxy refuses, is down, or is none of HTTP', async () => {
    const secure = 'https://other.example.com'
    expect(await get(secure, { HTTPS_PROXY: proxy.url })).toMatch(
      /^place-unreachable: the proxy 127\.0\.0\.1:\d+ answers 403 to a connection with other\.example\.com:443$/,
    )
    expect(await get(secure, { HTTPS_PROXY: 'http://127.0.0.1:1' })).toBe(
      'place-unreachable: https://other.example.com/index.yaml did not answer (ECONNREFUSED, through the proxy 127.0.0.1:1)',
    )
    expect(await get(secure, { HTTPS_PROXY: 'socks5://127.0.0.1:1' })).toBe(
      'place-unreachable: HTTPS_PROXY of this machine does not name a proxy of HTTP',
    )
  })
})

describe('a private network', () => {
  test.each([
    ['an address', 'http://10.1.2.3', {}],
    ['metadata', 'http://169.254.169.254/latest', {}],
    ['a number', 'http://2852039166/latest', {}],
    ['an address of IPv6', 'http://[fd00::1]', {}],
    ['a name without a dot', 'http://charts', {}],
    ['a name of metadata', 'http://metadata.google.internal', {}],
    ['a name of the cluster', 'http://charts.default.svc.cluster.local.', {}],
    ['a name that this machine knows as private', place, { 'charts.example.com': '10.0.0.1' }],
  ])('is not asked for through a proxy either: %s', async (_, repository, known) => {
    expect(await get(repository, { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }, known)).toMatch(/^place-refused: /)
    expect(proxy.asked).toEqual([])
  })

  test.each(['http://169.254.169.254/web.tgz', 'http://intranet/web.tgz'])(
    'is not asked for by a redirect either: %s',
    async (to) => {
      server.answers.set('/moved/index.yaml', redirect(to))
      expect(await get(`${place}/moved`, { HTTP_PROXY: proxy.url })).toMatch(/^place-refused: /)
      expect(proxy.asked).toEqual([`GET ${place}/moved/index.yaml`])
    },
  )
})

test('a tree is fetched by git through the proxy', async () => {
  const git = await GitServer.start()
  const repository = new ServedRepository(path.join(git.root, 'apps'))
  repository.commit({ 'a.yaml': 'a: 1\n' })
  proxy.to.set('git.example.com', git.port)
  proxy.login = 'me:pass'
  const url = 'http://git.example.com/apps'
  const tree = (variables: Record<string, string>, its = url, known = {}) =>
    behind(variables, async () => {
      const fetcher = fetcherOf([], { trusted: new TrustedPlaces([its]), resolve: names(known) })
      return inShort(await fetcher.tree({ repository: its, branch: 'main' }))
    })
  const http_proxy = proxy.url.replace('//', '//me:pass@')
  expect(await tree({ http_proxy })).toMatch(/^[0-9a-f]{40}: a\.yaml$/)
  expect(proxy.asked[0]).toBe(`GET ${url}/info/refs?service=git-upload-pack`)
  proxy.asked.length = 0
  expect(await tree({ http_proxy }, url, { 'git.example.com': '192.168.0.1' })).toMatch(/^place-refused: /)
  expect(await tree({ http_proxy }, 'http://gitea/apps')).toMatch(/^place-refused: /)
  expect(await tree({ http_proxy, no_proxy: 'example.com' })).toMatch(/^place-unreachable: /)
  expect(proxy.asked).toEqual([])
  await git.close()
})

/** A server of TLS in front of another one. */
async function secured(port: number) {
  const secure = createTlsServer({ key, cert }, (socket) => {
    const other = connect(port, '127.0.0.1')
    for (const one of [socket, other]) one.on('error', () => {})
    socket.pipe(other).pipe(socket)
  })
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
  return secure
}

describe('a repository that ssh names, at a host that serves public ones by https,', () => {
  const variables = {
    GIT_SSH_COMMAND: 'false',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.sslVerify',
    GIT_CONFIG_VALUE_0: 'false',
  }
  const tree = (repository: string, trusted = repository) =>
    behind({ https_proxy: proxy.url, ...variables }, async () => {
      const fetcher = fetcherOf([], {
        trusted: new TrustedPlaces([trusted]),
        resolve: names({ 'github.com': '140.82.121.4', 'git.example.com': '140.82.121.4' }),
      })
      return inShort(await fetcher.tree({ repository, branch: 'main' }))
    })
  let git: GitServer
  let secure: Awaited<ReturnType<typeof secured>>
  beforeAll(async () => {
    git = await GitServer.start()
    new ServedRepository(path.join(git.root, 'org/apps')).commit({ 'a.yaml': 'a: 1\n' })
    secure = await secured(git.port)
    for (const host of ['github.com:443', 'git.example.com:443'])
      proxy.to.set(host, (secure.address() as AddressInfo).port)
  })
  afterAll(async () => {
    await git.close()
    secure.close()
  })

  test.each(['git@github.com:org/apps', 'ssh://git@github.com/org/apps', 'ssh://git@github.com:22/org/apps'])(
    'is fetched without a key: %s',
    async (written) => {
      expect(await tree(written)).toMatch(/^[0-9a-f]{40}: a\.yaml$/)
    },
  )

  test('is the one that https names', async () => {
    expect(await tree('git@github.com:org/apps', 'https://github.com/org/apps')).toMatch(/: a\.yaml$/)
    expect(await tree('https://github.com/org/apps', 'git@github.com:org/apps')).toMatch(/: a\.yaml$/)
    expect(await tree('git@github.com:org/other', 'https://github.com/org/apps')).toMatch(/^place-new: /)
  })

  test('is asked for with the key where it is not public', async () => {
    expect(await tree('git@github.com:org/hidden')).toMatch(
      /^place-unreachable: ssh:\/\/git@github\.com\/org\/hidden cannot be read with git: .*; and without a key, https:\/\/github\.com\/org\/hidden is no repository, or one that requires credentials: /,
    )
  })

  test.each(['git@git.example.com:org/apps', 'ssh://me@github.com/org/apps', 'ssh://git@github.com:2222/org/apps'])(
    'is asked for with the key alone elsewhere: %s',
    async (written) => {
      proxy.asked.length = 0
      expect(await tree(written)).toMatch(/^place-unreachable: ssh:/)
      expect(proxy.asked).toEqual([])
    },
  )
})

test.each([
  ['https://a.example.com/x', { https_proxy: 'http://p:1' }, 'http://p:1/'],
  ['https://a.example.com/x', { HTTPS_PROXY: 'p:3128' }, 'http://p:3128/'],
  ['https://a.example.com/x', { HTTP_PROXY: 'http://p:1', ALL_PROXY: 'http://p:2' }, undefined],
  ['http://a.example.com/x', { HTTP_PROXY: 'http://p:1', http_proxy: 'http://q:1' }, 'http://q:1/'],
  ['http://127.0.0.1/x', { HTTP_PROXY: 'http://p:1' }, undefined],
  ['http://[::1]/x', { HTTP_PROXY: 'http://p:1' }, undefined],
  ['http://localhost:80/x', { HTTP_PROXY: 'http://p:1' }, undefined],
])('%s with %j has the proxy %s', (url, env, proxied) => {
  expect(proxyFor(new URL(url), env)?.href).toBe(proxied)
})

test.each([
  ['*', 'a.example.com', true],
  ['example.com', 'a.example.com', true],
  ['b.org, example.com', 'example.com', true],
  ['ample.com', 'example.com', false],
  ['.example.com', 'a.example.com', true],
  ['*.example.com', 'a.example.com', true],
  ['.example.com', 'example.com', false],
  ['EXAMPLE.com', 'example.com', true],
  ['example.com:443', 'example.com', false],
  ['example.com:80', 'example.com', true],
  ['10.0.0.0/8', '10.2.3.4', true],
  ['10.0.0.0/8', '11.2.3.4', false],
  ['10.0.0.0/', '11.2.3.4', false],
  ['10.0.0.0/-1', '11.2.3.4', false],
  ['x/8', '10.2.3.4', false],
  ['fd00::/8', '[fd00::1]', true],
  ['fd00::1', '[fd00::1]', true],
  ['[fd00::1]:80', '[fd00::1]', true],
  ['', 'a.example.com', false],
])('NO_PROXY=%s takes %s: %s', (entry, host, isTaken) => {
  const env = { http_proxy: 'http://p:1', NO_PROXY: entry }
  expect(proxyFor(new URL(`http://${host}/x`), env) === undefined).toBe(isTaken)
})
