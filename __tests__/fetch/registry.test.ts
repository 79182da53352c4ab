import { execFile } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { ChartRequest } from '../../src/fetch/connection/fetching'
import { credentialsOf, registryConfigs } from '../../src/fetch/registry-credentials'
import { tool } from '../source/rendered'
import { temporaryFolder, withEnvironment, writeFiles } from '../source/repository'
import { Registry } from './registry-server'
import {
  type Answer,
  chart,
  cut,
  fetcherOf,
  indexOf,
  inShort,
  redirect,
  type Server,
  serve,
  sha256,
  status,
  tgz,
} from './servers'

const run = promisify(execFile)
let registry: Registry
let folder: string
let archive: Buffer

beforeEach(async () => {
  registry = await Registry.start()
  folder = `${registry.url}/charts`
  archive = await chart('web', '1.2.0', { 'values.yaml': 'a: 1\n' })
  registry.add('charts/web', '1.1.0', await chart('web', '1.1.0'))
  registry.add('charts/web', '1.2.0', archive)
  registry.add('charts/web', '2.0.0-rc.1', await chart('web', '2.0.0-rc.1'))
  registry.add('charts/web', '1.0.0_build.5', await chart('web', '1.0.0+build.5'))
  registry.add('charts/web', 'latest', archive)
})

afterEach(() => registry.close())

const none = async () => undefined
const get = (request: Partial<ChartRequest>, fetcher = fetcherOf([folder], { credentials: none })) =>
  fetcher.chart({ repository: folder, chart: 'web', version: '', ...request }).then(inShort)

describe('a chart of a registry', () => {
  test.each<[Partial<ChartRequest>, string]>([
    [{ version: '1.2.0' }, '1.2.0: Chart.yaml values.yaml'],
    [{ version: '' }, '1.2.0: Chart.yaml values.yaml'],
    [{ version: '~1.1' }, '1.1.0: Chart.yaml'],
    [{ version: '>=1.0.0-0' }, '2.0.0-rc.1: Chart.yaml'],
    [{ version: '1.0.0+build.5' }, '1.0.0+build.5: Chart.yaml'],
    [{ version: '~1.0' }, '1.0.0+build.5: Chart.yaml'],
    [{ version: 'latest' }, 'latest: Chart.yaml values.yaml'],
    [{ tag: 'latest' }, 'latest: Chart.yaml values.yaml'],
    [{ tag: '1.1.0' }, '1.1.0: Chart.yaml'],
    [{ tag: '1.1' }, 'version-missing: FOLDER/web does not have 1.1: it answers 404'],
    [{ version: '9.9.9' }, 'version-missing: FOLDER/web does not have 9.9.9: it answers 404'],
    [{ version: '3.x' }, 'version-missing: FOLDER/web has no tag that is 3.x'],
    [{ chart: 'absent' }, 'version-missing: FOLDER/absent does not have its tags: it answers 404'],
    [{ tag: '../../x' }, 'version-missing: FOLDER/web has no tag "../../x", as that is not valid'],
    [{ chart: 'Web?x' }, 'place-refused: FOLDER/Web?x is not the name of a chart or an artifact in a registry'],
    [
      { chart: '../../v2/web' },
      'place-refused: FOLDER/../../v2/web is not the name of a chart or an artifact in a registry',
    ],
  ])('%j', async (request, expected) => {
    expect((await get(request)).replaceAll(folder, 'FOLDER')).toBe(expected)
  })

  test('by a digest, and by its whole name', async () => {
    const digest = registry.add('charts/web', '3.0.0', await chart('web', '3.0.0'))
    const named = { repository: `${folder}/web`, chart: '' }
    expect(await get({ ...named, version: digest })).toBe(`${digest}: Chart.yaml`)
    expect(await get({ ...named, version: '3.0.0' })).toBe('3.0.0: Chart.yaml')
    const fetched = await fetcherOf([`${folder}/web`]).chart({ ...named, version: '3.0.0' })
    expect(fetched).toMatchObject({ manifest: digest })
    expect(await get({}, fetcherOf([`${folder}/web`]))).toBe('3.0.0: Chart.yaml')
  })

  test('is the highest of all pages of tags, and each page is asked for once', async () => {
    registry.pageSize = 2
    const fetcher = fetcherOf([folder])
    expect(await get({ version: '1.x' }, fetcher)).toBe('1.2.0: Chart.yaml values.yaml')
    expect(await get({ version: '1.1.x' }, fetcher)).toBe('1.1.0: Chart.yaml')
    expect(registry.asked.filter((url) => url.includes('/tags/'))).toEqual([
      '/v2/charts/web/tags/list?n=1000',
      '/v2/charts/web/tags/list?last=1.2.0&n=2',
      '/v2/charts/web/tags/list?last=1.0.0_build.5&n=2',
    ])
  })

  test('is not one of another folder', async () => {
    const fetcher = fetcherOf([`${registry.url}/other`, `${folder}/api`])
    expect(await get({}, fetcher)).toBe(`place-new: ${folder} is not named by the base`)
    expect(await get({ repository: registry.url, chart: 'charts/web' }, fetcher)).toMatch(/^place-new: /)
    expect(registry.asked).toEqual([])
  })

  test('that an index of a repository names', async () => {
    const server = await serve()
    const index = (digest: string) => indexOf({ web: [{ version: '1.2.0', url: `${folder}/web:1.2.0`, digest }] })
    server.answers.set('/index.yaml', index(sha256(archive)))
    server.answers.set('/wrong/index.yaml', index(sha256('')))
    const fetcher = fetcherOf([server.url, `${server.url}/wrong`, folder])
    const request = { repository: server.url, version: '1.2.0' }
    expect(await get(request, fetcher)).toBe('1.2.0: Chart.yaml values.yaml')
    expect(await get({ ...request, repository: `${server.url}/wrong` }, fetcher)).toMatch(/^content-invalid: .* digest/)
    registry.asked.length = 0
    expect(await get(request, fetcherOf([server.url]))).toMatch(/^place-refused: 127.0.0.1 has an address that is not/)
    expect(registry.asked).toEqual([])
    await server.close()
  })
})

describe('an artifact of Flux', () => {
  test('is the first layer, with its files where they are', async () => {
    const files = await tgz({ './apps/web.yaml': 'kind: A\n', 'kustomization.yaml': 'resources: []\n' })
    registry.add('charts/apps', 'v1', files, { type: 'application/vnd.cncf.flux.content.v1.tar+gzip' })
    expect(await get({ chart: 'apps', tag: 'v1' })).toBe('v1: apps/web.yaml kustomization.yaml')
  })

  test('has a chart in a layer of another type, if its config is that of a chart', async () => {
    const config = 'application/vnd.cncf.helm.config.v1+json'
    registry.add('charts/old', '1.0.0', archive, { type: 'application/tar+gzip', config })
    expect(await get({ chart: 'old', version: '1.0.0' })).toBe('1.0.0: Chart.yaml values.yaml')
  })

  test('is another one than the chart of the same archive, which is without its top folder', async () => {
    const fetcher = fetcherOf([folder])
    const fetched = (name: string) => fetcher.chart({ repository: folder, chart: name, version: '1.2.0' })
    registry.add('charts/same', '1.2.0', archive, { type: 'application/vnd.cncf.flux.content.v1.tar+gzip' })
    const [own, artifact] = [await fetched('web'), await fetched('same')]
    expect([inShort(own), inShort(artifact)]).toEqual([
      '1.2.0: Chart.yaml values.yaml',
      '1.2.0: web/Chart.yaml web/values.yaml',
    ])
    expect(own).toMatchObject({ digest: `sha256:${sha256(archive)}` })
    expect(artifact).toMatchObject({ digest: `artifact sha256:${sha256(archive)}` })
  })
})

describe('a fault of the registry', () => {
  const manifest = '/v2/charts/web/manifests/1.2.0'
  const answers: [string, string, Answer | undefined, string][] = [
    ['401', manifest, status(401), 'place-denied: NAME answers 401 to the request for 1.2.0: it requires credentials'],
    ['403', manifest, status(403), 'place-denied: NAME answers 403 to the request for 1.2.0: it requires credentials'],
    ['429', manifest, status(429), 'place-unreachable: HOST/v2/charts/web/manifests/1.2.0 answers 429'],
    ['500', manifest, status(500), 'place-unreachable: HOST/v2/charts/web/manifests/1.2.0 answers 500'],
    ['cut', manifest, cut, 'place-unreachable: HOST/v2/charts/web/manifests/1.2.0 did not answer (ECONNRESET)'],
    ['no JSON', manifest, '<html>', 'content-invalid: the manifest of NAME:1.2.0 is not valid JSON'],
    [
      'an index of images',
      manifest,
      '{"manifests": []}',
      'content-invalid: NAME:1.2.0 is no chart and no artifact: its manifest has no layer with a digest of sha256',
    ],
    [
      'another digest than it says',
      manifest,
      (_, response) => response.writeHead(200, { 'docker-content-digest': `sha256:${sha256('')}` }).end('{}'),
      `content-invalid: NAME:1.2.0 does not have the digest sha256:${sha256('')}`,
    ],
    [
      'a blob that is another',
      'BLOB',
      'other',
      'content-invalid: the content of NAME:1.2.0 does not have the digest DIGEST',
    ],
    [
      'a blob that is not there',
      'BLOB',
      status(404),
      'version-missing: NAME does not have the content DIGEST of NAME:1.2.0: it answers 404',
    ],
    [
      'a redirect to file',
      'BLOB',
      redirect('file:///etc/passwd'),
      'place-refused: HOST/v2/charts/web/blobs/DIGEST redirects to a URL that is not https',
    ],
    [
      'a redirect beside the place',
      'BLOB',
      redirect('/admin'),
      'place-refused: 127.0.0.1 has an address that is not public, and such a host is only asked if `network` in the config of the base names the URL',
    ],
  ]
  test.each(answers)('%s', async (_, place, answer, expected) => {
    const digest = `sha256:${sha256(archive)}`
    if (answer !== undefined) registry.answers.set(place.replace('BLOB', `/v2/charts/web/blobs/${digest}`), answer)
    const said = (await get({ version: '1.2.0' }))
      .replaceAll(`${folder}/web`, 'NAME')
      .replaceAll(`http://127.0.0.1:${registry.port}`, 'HOST')
      .replaceAll(digest, 'DIGEST')
    expect(said).toBe(expected)
  })

  test('a digest that its manifest does not have', async () => {
    const wrong = `sha256:${sha256('other')}`
    registry.answers.set(`/v2/charts/web/manifests/${wrong}`, '{"layers": []}')
    expect(await get({ version: wrong })).toBe(
      `content-invalid: ${folder}/web@${wrong} does not have the digest ${wrong}`,
    )
  })

  test('a list of tags that goes on elsewhere', async () => {
    registry.answers.set('/v2/charts/web/tags/list', (_, response) =>
      response.writeHead(200, { link: '<http://169.254.169.254/latest>; rel="next"' }).end('{"tags": []}'),
    )
    expect(await get({})).toBe(`place-refused: ${folder}/web continues its list of tags at another URL`)
  })

  test('a list of tags without an end', async () => {
    registry.answers.set('/v2/charts/web/tags/list', (_, response) =>
      response.writeHead(200, { link: '</v2/charts/web/tags/list?last=x>; rel="next"' }).end('{"tags": []}'),
    )
    expect(await get({})).toBe(`content-too-large: ${folder}/web has more than 100 pages of tags`)
  })
})

describe('a token', () => {
  let realm: Server

  beforeEach(async () => {
    realm = await serve()
    const challenge = `Bearer realm="http://127.0.0.1:${registry.port}/token",service="reg",scope="x"`
    registry.wants = { authorization: 'Bearer abc', challenge }
    registry.answers.set('/token', '{"token": "abc"}')
  })

  afterEach(() => realm.close())

  test('is asked for once, without credentials', async () => {
    const fetcher = fetcherOf([folder], { credentials: none })
    expect(await get({ version: '1.2.0' }, fetcher)).toBe('1.2.0: Chart.yaml values.yaml')
    expect(registry.asked).toEqual([
      '/v2/charts/web/manifests/1.2.0',
      '/token?service=reg&scope=repository%3Acharts%2Fweb%3Apull',
      '/v2/charts/web/manifests/1.2.0',
      `/v2/charts/web/blobs/sha256:${sha256(archive)}`,
    ])
    expect(registry.authorized).toEqual([undefined, undefined, 'Bearer abc', 'Bearer abc'])
  })

  test('is asked for with the credentials of the host', async () => {
    const credentials = async (host: string) =>
      host === `127.0.0.1:${registry.port}` ? { username: 'me', password: 'secret' } : undefined
    expect(await get({ version: '1.1.0' }, fetcherOf([folder], { credentials }))).toBe('1.1.0: Chart.yaml')
    expect(registry.authorized[1]).toBe(`Basic ${Buffer.from('me:secret').toString('base64')}`)
  })

  test('is not sent to where a blob redirects to', async () => {
    const sent: unknown[] = []
    realm.answers.set('/blob', (request, response) => {
      sent.push(request.headers.authorization)
      response.end(archive)
    })
    registry.answers.set(`/v2/charts/web/blobs/sha256:${sha256(archive)}`, redirect(`${realm.url}/blob`))
    const fetcher = fetcherOf([folder, `${realm.url}/blob`], { credentials: none })
    expect(await get({ version: '1.2.0' }, fetcher)).toBe('1.2.0: Chart.yaml values.yaml')
    expect(sent).toEqual([undefined])
  })

  test.each([
    ['a private address', (port: number) => `Bearer realm="http://127.0.0.1:${port}/token"`, 'is not https'],
    ['a file', () => 'Bearer realm="file:///etc/passwd"', 'is not https'],
    ['a private address with TLS', (port: number) => `Bearer realm="https://127.0.0.1:${port}/"`, 'not public'],
  ])('is not asked for at %s elsewhere', async (_, challenge, reason) => {
    registry.wants = { authorization: 'Bearer abc', challenge: challenge(realm.port) }
    const credentials = async () => ({ username: 'me', password: 'secret' })
    const said = await get({ version: '1.2.0' }, fetcherOf([folder], { credentials }))
    expect(said).toMatch(/^place-refused: /)
    expect(said).toContain(reason)
    expect(realm.asked).toEqual([])
  })

  test('that is refused is a place that wants credentials', async () => {
    registry.answers.set('/token', status(403))
    expect(await get({ version: '1.2.0' })).toBe(
      `place-denied: ${folder}/web answers 401 to the request for 1.2.0: it requires credentials`,
    )
  })

  test('is not needed where the registry takes the credentials themselves', async () => {
    const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`
    registry.wants = { authorization, challenge: 'Basic realm="registry"' }
    const credentials = async () => ({ username: 'me', password: 'secret' })
    expect(await get({ version: '1.1.0' }, fetcherOf([folder], { credentials }))).toBe('1.1.0: Chart.yaml')
    expect(await get({ version: '1.1.0' })).toMatch(/^place-denied: /)
  })
})

describe('credentials', () => {
  const auth = (text: string) => ({ auth: Buffer.from(text).toString('base64') })

  test('are those of helm, then those of docker, by host', async () => {
    const home = temporaryFolder()
    writeFiles(home, {
      '.config/helm/registry/config.json': JSON.stringify({ auths: { 'ghcr.io': auth('helm:a:b') } }),
      '.docker/config.json': JSON.stringify({
        auths: {
          'ghcr.io': auth('docker:x'),
          'https://index.docker.io/v1/': auth('hub:y'),
          'Registry.Example.com:5000': { username: 'u', password: 'p' },
          'token.example.com': { identitytoken: 't' },
        },
      }),
    })
    const credentials = credentialsOf(registryConfigs({ HOME: home }))
    expect(await credentials('ghcr.io')).toEqual({ username: 'helm', password: 'a:b' })
    expect(await credentials('registry-1.docker.io')).toEqual({ username: 'hub', password: 'y' })
    expect(await credentials('registry.example.com:5000')).toEqual({ username: 'u', password: 'p' })
    expect(await credentials('registry.example.com')).toBeUndefined()
    expect(await credentials('token.example.com')).toBeUndefined()
  })

  test('are those of a helper that the file names', async () => {
    const home = temporaryFolder()
    const helper = '#!/bin/sh\nread -r host\ncase "$host" in absent*) exit 1;; esac\n'
    const answer = (name: string) => `${helper}echo "{\\"Username\\": \\"${name}\\", \\"Secret\\": \\"$1 $host\\"}"\n`
    writeFiles(home, {
      'docker-credential-one': answer('one'),
      'docker-credential-two': answer('two'),
      'docker-credential-token': answer('<token>'),
      'config.json': JSON.stringify({
        auths: { 'https://index.docker.io/v1/': {}, 'plain.example.com': auth('plain:x') },
        credsStore: 'one',
        credHelpers: {
          'ghcr.io': 'two',
          'token.example.com': 'token',
          'none.example.com': 'none',
          'path.example.com': '../docker-credential-one',
        },
      }),
    })
    for (const name of ['one', 'two', 'token']) chmodSync(path.join(home, `docker-credential-${name}`), 0o755)
    const credentials = credentialsOf([path.join(home, 'config.json')])
    const hosts = ['ghcr.io', 'registry-1.docker.io', 'other.example.com', 'plain.example.com', 'token.example.com']
    const refused = ['none.example.com', 'path.example.com', 'absent.example.com']
    const found = await withEnvironment({ PATH: `${home}:${process.env.PATH}` }, () =>
      Promise.all([...hosts, ...refused].map((host) => credentials(host))),
    )
    expect(found.map((one) => one && `${one.username}: ${one.password}`)).toEqual([
      'two: get ghcr.io',
      'one: get https://index.docker.io/v1/',
      'one: get other.example.com',
      'plain: x',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('of files that cannot be read are none', async () => {
    const home = temporaryFolder()
    writeFiles(home, { 'config.json': '{"auths"' })
    const credentials = credentialsOf([path.join(home, 'config.json'), path.join(home, 'absent.json')])
    expect(await credentials('ghcr.io')).toBeUndefined()
  })
})

test('a chart that helm pushes is fetched, and helm pulls the same version of a range', async () => {
  const home = temporaryFolder()
  for (const version of ['0.1.0', '0.2.0+b.1', '0.3.0-rc.1']) {
    writeFiles(home, {
      'api/Chart.yaml': `apiVersion: v2\nname: api\nversion: ${version}\n`,
      'api/values.yaml': 'a: 1\n',
    })
    await run(tool('helm'), ['package', path.join(home, 'api'), '--destination', home])
    await run(tool('helm'), ['push', path.join(home, `api-${version}.tgz`), folder, '--plain-http'])
  }
  for (const [range, version] of [
    ['0.x', '0.2.0+b.1'],
    ['0.1.0', '0.1.0'],
    ['>=0.1.0-0', '0.3.0-rc.1'],
  ] as const) {
    const into = temporaryFolder()
    await run(tool('helm'), ['pull', `${folder}/api`, '--version', range, '--plain-http', '--destination', into])
    const request = { repository: folder, chart: 'api', version: range }
    const fetched = await fetcherOf([folder]).chart(request)
    expect(inShort(fetched)).toBe(`${version}: Chart.yaml values.yaml`)
    expect(fetched).toMatchObject({ digest: `sha256:${sha256(readFileSync(path.join(into, `api-${version}.tgz`)))}` })
  }
})
