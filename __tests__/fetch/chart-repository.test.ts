import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type Answer,
  chart,
  cut,
  fetcherOf,
  indexOf,
  inShort,
  inTurn,
  redirect,
  type Server,
  serve,
  sha256,
  silent,
  status,
} from './servers'

let server: Server
let url: string
let archive: Buffer

beforeEach(async () => {
  server = await serve()
  url = `${server.url}/charts`
  archive = await chart('web', '1.2.0', { 'values.yaml': 'a: 1\n' })
  server.answers.set('/charts/web-1.2.0.tgz', archive)
  server.answers.set('/charts/web-1.1.0.tgz', await chart('web', '1.1.0'))
  server.answers.set('/charts/web-2.0.0-rc.1.tgz', await chart('web', '2.0.0-rc.1'))
  server.answers.set(
    '/charts/index.yaml',
    indexOf({
      other: [{ version: '9.0.0', url: 'other-9.0.0.tgz' }],
      web: [
        { version: '1.1.0', url: `${url}/web-1.1.0.tgz` },
        { version: '2.0.0-rc.1', url: 'web-2.0.0-rc.1.tgz' },
        { version: '1.2.0', url: 'web-1.2.0.tgz', digest: sha256(archive) },
      ],
    }),
  )
})

afterEach(() => server.close())

const get = (version: string, fetcher = fetcherOf([url]), name = 'web') =>
  fetcher.chart({ repository: url, chart: name, version }).then(inShort)

describe('a chart of a repository with an index', () => {
  test.each([
    ['1.2.0', '1.2.0: Chart.yaml values.yaml'],
    ['v1.2.0', '1.2.0: Chart.yaml values.yaml'],
    ['', '1.2.0: Chart.yaml values.yaml'],
    ['*', '1.2.0: Chart.yaml values.yaml'],
    ['~1.1', '1.1.0: Chart.yaml'],
    ['>=1.0.0-0', '2.0.0-rc.1: Chart.yaml'],
    ['2.0.0-rc.1', '2.0.0-rc.1: Chart.yaml'],
  ])('at version %j', async (version, expected) => {
    expect(await get(version)).toBe(expected)
  })

  test('is identified by the digest of its archive', async () => {
    const fetched = await fetcherOf([url]).chart({ repository: url, chart: 'web', version: '1.2.0' })
    expect(fetched).toMatchObject({ digest: `sha256:${sha256(archive)}` })
  })

  test.each([
    ['3.x', 'web', 'has no web 3.x'],
    ['1.2.9', 'web', 'has no web 1.2.9'],
    ['latest', 'web', 'has no web latest'],
    ['1.0.0', 'absent', 'has no chart absent'],
    ['1.0.0', 'version', 'has no chart version'],
  ])('%s of %s is not there', async (version, name, reason) => {
    expect(await get(version, fetcherOf([url]), name)).toBe(`version-missing: ${url} ${reason}`)
  })

  test('is fetched once, and the index once, for 300 releases', async () => {
    const fetcher = fetcherOf([url])
    const wanted = Array.from({ length: 300 }, (_, index) => get(index === 0 ? '1.1.0' : '1.2.0', fetcher))
    expect(new Set(await Promise.all(wanted)).size).toBe(2)
    await get('^1.2', fetcher)
    await get('1.2.0', fetcher.trusting(['https://charts.example.com']))
    expect(server.asked.sort()).toEqual(['/charts/index.yaml', '/charts/web-1.1.0.tgz', '/charts/web-1.2.0.tgz'])
  })

  test('comes with an index that is sent compressed', async () => {
    const index = gzipSync(Buffer.from(String(server.answers.get('/charts/index.yaml'))))
    server.answers.set('/charts/index.yaml', (request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(index)
    })
    expect(await get('1.2.0')).toBe('1.2.0: Chart.yaml values.yaml')
  })
})

const fine = Buffer.from('a')
const largeIndex: Answer = (_, response) =>
  response.writeHead(200, { 'content-length': String(1e12) }).end('apiVersion')
const endless: Answer = (_, response) => {
  response.writeHead(200)
  const more = () => {
    while (response.write(Buffer.alloc(65536))) if (response.destroyed) return
    response.once('drain', more)
  }
  more()
}

describe('a fault of the index', () => {
  test.each<[string, Answer, string, number]>([
    ['401', status(401), 'place-denied: URL/index.yaml answers 401: it requires credentials', 1],
    ['403', status(403), 'place-denied: URL/index.yaml answers 403: it requires credentials', 1],
    ['404', status(404), 'place-unreachable: URL/index.yaml answers 404', 1],
    ['429', status(429, { 'retry-after': '86400' }), 'place-unreachable: URL/index.yaml answers 429', 3],
    ['500', status(500), 'place-unreachable: URL/index.yaml answers 500', 3],
    ['503', status(503), 'place-unreachable: URL/index.yaml answers 503', 3],
    ['cut', cut, 'place-unreachable: URL/index.yaml did not answer (ECONNRESET)', 3],
    ['too large', largeIndex, 'content-too-large: URL/index.yaml has more than 1 MiB', 1],
    ['endless', endless, 'content-too-large: URL/index.yaml has more than 1 MiB', 1],
    ['a page', '<html>Sign in</html>', 'content-invalid: URL has no valid index: its index has no entries', 1],
    ['endless redirects', redirect('index.yaml'), 'place-unreachable: URL/index.yaml redirects more than 5 times', 6],
  ])('%s', async (_, answer, expected, asked) => {
    server.answers.set('/charts/index.yaml', answer)
    const fetcher = fetcherOf([url], { limits: { indexBytes: 1024 * 1024 } })
    expect((await get('1.2.0', fetcher)).replaceAll(url, 'URL')).toBe(expected)
    expect(server.asked).toHaveLength(asked)
    expect((await get('1.1.0', fetcher)).replaceAll(url, 'URL')).toBe(expected)
    expect(server.asked).toHaveLength(asked)
  })

  test('that passes is tried again', async () => {
    const index = server.answers.get('/charts/index.yaml') ?? ''
    server.answers.set('/charts/index.yaml', inTurn(status(503), cut, index))
    server.answers.set('/charts/web-1.2.0.tgz', inTurn(status(429, { 'retry-after': '1' }), status(502), archive))
    expect(await get('1.2.0')).toBe('1.2.0: Chart.yaml values.yaml')
    expect(server.asked).toHaveLength(6)
  })

  test('is reported when no answer comes in time, and the host is not asked again', async () => {
    server.answers.set('/charts/index.yaml', silent)
    server.answers.set('/more/index.yaml', fine)
    const fetcher = fetcherOf([url, `${server.url}/more`], { limits: { seconds: 0.05 } })
    expect(await get('1.2.0', fetcher)).toBe(`place-unreachable: ${url}/index.yaml did not answer within 0.05 seconds`)
    const other = await fetcher.chart({ repository: `${server.url}/more`, chart: 'web', version: '1' })
    expect(inShort(other)).toMatch(/^place-unreachable: /)
    expect(server.asked).toEqual(['/charts/index.yaml'])
  })

  test('is reported when the time for fetching is used up', async () => {
    expect(await get('1.2.0', fetcherOf([url], { limits: { totalSeconds: 0 } }))).toBe(
      `place-unreachable: ${url}/index.yaml was not asked or did not answer within the 0 seconds that a run has for fetching`,
    )
    expect(server.asked).toEqual([])
  })

  test('is reported when there is no server', async () => {
    await server.close()
    expect(await get('1.2.0')).toBe(`place-unreachable: ${url}/index.yaml did not answer (ECONNREFUSED)`)
  })
})

describe('a fault of the archive', () => {
  const file = 'URL/web-1.2.0.tgz'
  test.each<[string, Answer, string]>([
    [
      '401',
      status(401),
      `place-denied: ${file}, the archive of web 1.2.0 of URL, answers 401: it requires credentials`,
    ],
    ['404', status(404), `version-missing: ${file}, the archive of web 1.2.0 of URL, answers 404`],
    ['500', status(500), `place-unreachable: ${file} answers 500`],
    ['cut', cut, `place-unreachable: ${file} did not answer (ECONNRESET)`],
    ['other content', fine, 'content-invalid: web-1.2.0.tgz does not match the digest that URL lists'],
    ['endless', endless, `content-too-large: ${file} has more than 0.1 MiB`],
  ])('%s', async (_, answer, expected) => {
    server.answers.set('/charts/web-1.2.0.tgz', answer)
    const fetcher = fetcherOf([url], { limits: { archiveBytes: 102400 } })
    expect((await get('1.2.0', fetcher)).replaceAll(url, 'URL')).toBe(expected)
  })
})

test('at most eight are fetched at a time', async () => {
  const waiting: (() => void)[] = []
  const places = Array.from({ length: 20 }, (_, index) => `/many-${index}`)
  for (const place of places)
    server.answers.set(`${place}/index.yaml`, (_, response) => {
      waiting.push(() => response.writeHead(404).end())
      expect(waiting.length).toBeLessThanOrEqual(8)
      // The eighth request releases all that wait; the last four are released as they come.
      if (waiting.length === 8 || server.asked.length > 16) for (const release of waiting.splice(0)) release()
    })
  const fetcher = fetcherOf(places.map((place) => server.url + place))
  const all = places.map((place) => fetcher.chart({ repository: server.url + place, chart: 'web', version: '1' }))
  expect((await Promise.all(all)).map(inShort)).toHaveLength(20)
  expect(server.asked).toHaveLength(20)
})
