import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Answer, fetcherOf, inShort, redirect, type Server, serve, sha256, status } from './servers'

let server: Server
let url: string

beforeEach(async () => {
  server = await serve({ '/v1/crds.yaml': 'kind: A\n' })
  url = `${server.url}/v1/crds.yaml`
})

afterEach(() => server.close())

const get = async (file = url, options = {}) => inShort(await fetcherOf([url], options).file(file))

test('a file is fetched by its URL, once', async () => {
  const fetcher = fetcherOf([url])
  const all = await Promise.all([fetcher.file(url), fetcher.file(url), fetcher.trusting([]).file(url)])
  expect(all.map(inShort)).toEqual(Array(3).fill(`sha256:${sha256('kind: A\n')}: crds.yaml`))
  expect(server.asked).toEqual(['/v1/crds.yaml'])
})

describe('a fault', () => {
  test.each<[string, Answer, string]>([
    ['401', status(401), 'place-denied: URL answers 401: it requires credentials'],
    ['404', status(404), 'version-missing: URL answers 404'],
    ['500', status(500), 'place-unreachable: URL answers 500'],
    ['418', status(418), 'place-unreachable: URL answers 418'],
    ['too large', 'x'.repeat(2000), 'content-too-large: URL has more than 0 MiB'],
    ['a redirect inside', redirect('/secret'), 'place-refused: 127.0.0.1 has an address that is not public'],
  ])('%s', async (_, answer, expected) => {
    server.answers.set('/v1/crds.yaml', answer)
    const said = (await get(url, { limits: { archiveBytes: 1000 } })).replaceAll(url, 'URL')
    expect(said.slice(0, expected.length)).toBe(expected)
    expect(server.asked).not.toContain('/secret')
  })
})

test.each(['/v2/crds.yaml', '/v1', '/v1/crds.yaml/more', '/'])('%s is another place', async (at) => {
  expect(await get(`${server.url}${at}`)).toMatch(/^place-new: /)
  expect(server.asked).toEqual([])
})

test.each(['file:///etc/passwd', 'oci://127.0.0.1/a', 'git@github.com:a/b', './a.yaml'])(
  '%s is no URL of a file',
  async (at) => {
    expect(inShort(await fetcherOf([at]).file(at))).toBe(
      `place-refused: ${JSON.stringify(at)} is not a URL that is fetched from`,
    )
  },
)
