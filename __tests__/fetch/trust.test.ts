import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { isPublic, lookupOf, publicAddresses } from '../../src/fetch/connection/address'
import { redirected } from '../../src/fetch/connection/http-client'
import { placeOf } from '../../src/fetch/connection/place'
import { TrustedPlaces } from '../../src/fetch/connection/trust'
import type { Fetcher } from '../../src/fetch/fetcher'
import { chart, fetcherOf, indexOf, inShort, names, redirect, type Server, serve } from './servers'

describe('a place is one URL, however it is written', () => {
  test.each([
    ['https://charts.example.com', 'HTTPS://Charts.Example.com/'],
    ['https://charts.example.com/a', 'https://charts.example.com:443/a//'],
    ['http://charts.example.com/a', 'http://charts.example.com:80/a'],
    ['https://git.example.com/a/b', 'https://git.example.com/a/b.git'],
    ['https://git.example.com/a/b', 'https://somebody:secret@git.example.com/a/b.git/'],
    ['https://git.example.com/b', 'https://git.example.com/a/../b'],
    ['oci://ghcr.io/a/b', 'oci://GHCR.io:443/a/b/'],
    ['ssh://git@github.com/a/b', 'git@github.com:a/b.git'],
    ['ssh://git@github.com/a/b', 'ssh://git@GitHub.com:22/a/b'],
    ['ssh://git@ssh.github.com:443/a/b', 'ssh://git@ssh.github.com:443/a/b'],
    ['https://127.0.0.1/a', 'https://2130706433/a'],
    ['https://127.0.0.1/a', 'https://0x7f.1/a'],
    ['oci://127.0.0.1/a', 'oci://0177.0.0.1/a'],
  ])('%s as %s', (key, written) => {
    expect(placeOf(written)?.key).toBe(key)
    expect(placeOf(key)?.key).toBe(key)
  })

  test.each([
    ['https://charts.example.com/a', 'https://charts.example.com/A'],
    ['https://charts.example.com', 'http://charts.example.com'],
    ['https://charts.example.com', 'https://charts.example.com:8443'],
    ['https://charts.example.com/a', 'https://charts.example.com'],
    ['https://charts.example.com/a', 'https://charts.example.com/a/b'],
    ['oci://ghcr.io/a', 'https://ghcr.io/a'],
    ['ssh://git@github.com/a', 'ssh://other@github.com/a'],
    ['https://github.com/a', 'https://github.com@evil.example/a'],
    ['https://github.com/a', 'https://github.com.evil.example/a'],
  ])('%s is another one than %s', (one, other) => {
    expect(placeOf(one)?.key).not.toBe(placeOf(other)?.key)
  })

  test.each([
    '',
    'charts.example.com',
    '/etc/passwd',
    './charts',
    'file:///etc',
    'git://github.com/a/b',
    'ext::sh -c id',
    'ext::sh',
    'https::https://a.example',
    'git::https://a.example/b',
    'ftp://a.example/b',
    'data:text/plain,x',
    'https:a.example/b',
    'https:///a/b',
    'https://',
    'https://a.example/b?ref=main',
    'https://a.example/b#frag',
    'https://a.example/b c',
    'https://a.example/b\n',
    'https:\\\\a.example\\b',
    '--upload-pack=id',
    '-oProxyCommand=id:b',
    'ssh://-oProxyCommand=id/b',
    'ssh://-o@a.example/b',
    'https://a.example:99999/b',
  ])('%j is none', (written) => {
    expect(placeOf(written)).toBeUndefined()
  })
})

describe('an address', () => {
  test.each(['1.1.1.1', '140.82.121.4', '2606:4700::1111', '2a00:1450:4001:81b::200e', '64:ff9b::101:101'])(
    '%s is public',
    (address) => expect(isPublic(address)).toBe(true),
  )

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.100.100.200',
    '127.0.0.1',
    '127.8.8.8',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:1.1.1.1',
    '::127.0.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    'nonsense',
    '',
  ])('%j is not', (address) => expect(isPublic(address)).toBe(false))
})

/** A server that is never to be asked. */
let inside: Server
/** A server of a place that is trusted. */
let trusted: Server

beforeEach(async () => {
  inside = await serve()
  trusted = await serve()
  inside.answers.set('/index.yaml', indexOf({ web: [{ version: '1.0.0', url: 'web.tgz' }] }))
  inside.answers.set('/web.tgz', await chart('web', '1.0.0'))
})

afterEach(() => Promise.all([inside.close(), trusted.close()]))

const get = (fetcher: Fetcher, repository: string) =>
  fetcher.chart({ repository, chart: 'web', version: '1.0.0' }).then(inShort)

describe('nothing is fetched', () => {
  test.each([
    'http://127.0.0.1:PORT',
    'http://localhost:PORT',
    'http://[::ffff:127.0.0.1]:PORT',
    'http://2130706433:PORT',
    'http://0x7f000001:PORT',
    'http://0177.1:PORT',
    'http://127.1:PORT',
    'http://0.0.0.0:PORT',
    'http://[::]:PORT',
    'http://charts.example.com@127.0.0.1:PORT',
    'http://rebound.example.com:PORT',
  ])('from %s, which the base names by an object and not by its config', async (written) => {
    const url = written.replace('PORT', String(inside.port))
    const resolve = names({ localhost: '127.0.0.1', 'rebound.example.com': '127.0.0.1' })
    const fetcher = fetcherOf([], { trusted: new TrustedPlaces([url]), resolve })
    expect(await get(fetcher, url)).toMatch(/^place-refused: .* has an address that is not public/)
    expect(inside.asked).toEqual([])
  })

  test.each([
    'http://127.0.0.1:PORT',
    'http://127.0.0.1:PORT/other',
    'http://user:password@127.0.0.1:PORT/',
    'http://localhost:PORT',
  ])('from %s, which the base does not name', async (written) => {
    const url = written.replace('PORT', String(inside.port))
    const fetcher = fetcherOf([`${inside.url}/more`])
    expect(await get(fetcher, url)).toMatch(/^place-new: .* is not named by the base$/)
    expect(inside.asked).toEqual([])
  })

  test.each(['file:///etc', 'ext::sh -c id', '--upload-pack=id', 'git@github.com:a/b', 'http://a.example/?x'])(
    'from %s, even if the base names it',
    async (url) => {
      expect(await get(fetcherOf([url]), url)).toBe(
        `place-refused: ${JSON.stringify(url)} is not a URL that is fetched from`,
      )
    },
  )

  test('offline', async () => {
    expect(await get(fetcherOf([inside.url], { offline: true }), inside.url)).toBe('fetch-off: fetching is off')
    expect(inside.asked).toEqual([])
  })

  test.each([
    ['http://127.0.0.1:PORT/web.tgz', 'place-refused: 127.0.0.1 has an address that is not public'],
    ['//127.0.0.1:PORT/web.tgz', 'place-refused: 127.0.0.1 has an address that is not public'],
    ['http://2130706433:PORT/web.tgz', 'place-refused: 127.0.0.1 has an address that is not public'],
    ['http://[::ffff:7f00:1]:PORT/web.tgz', 'place-refused: [::ffff:7f00:1] has an address that is not public'],
    ['http://rebound.example.com:PORT/web.tgz', 'has an address that is not public, 127.0.0.1'],
    ['http://169.254.169.254/latest/meta-data', 'place-refused: 169.254.169.254 has an address that is not public'],
    ['file:///etc/passwd', 'names "file:///etc/passwd" as the archive of web 1.0.0, which is not an https URL'],
    ['ftp://127.0.0.1:PORT/web.tgz', 'which is not an https URL'],
    ['http://user:secret@127.0.0.1:PORT/web.tgz', 'which is not an https URL'],
    ['data:text/plain,x', 'which is not an https URL'],
  ])('from %s, which the index of a trusted place names', async (url, reason) => {
    const foreign = url.replace('PORT', String(inside.port))
    trusted.answers.set('/charts/index.yaml', indexOf({ web: [{ version: '1.0.0', url: `"${foreign}"` }] }))
    const resolve = names({ 'rebound.example.com': '127.0.0.1' })
    const result = await get(fetcherOf([`${trusted.url}/charts`], { resolve }), `${trusted.url}/charts`)
    expect(result).toMatch(/^place-refused: /)
    expect(result).toContain(reason)
    expect([inside.asked, trusted.asked]).toEqual([[], ['/charts/index.yaml']])
  })

  test('from the trusted host beside the trusted place', async () => {
    trusted.answers.set('/charts/index.yaml', indexOf({ web: [{ version: '1.0.0', url: '/metadata/web.tgz' }] }))
    const result = await get(fetcherOf([`${trusted.url}/charts`]), `${trusted.url}/charts`)
    expect(result).toMatch(/^place-refused: 127.0.0.1 has an address that is not public/)
    expect(trusted.asked).toEqual(['/charts/index.yaml'])
  })

  test.each([
    ['http://127.0.0.1:PORT/web.tgz', 'has an address that is not public'],
    ['//127.0.0.1:PORT/web.tgz', 'has an address that is not public'],
    ['http://rebound.example.com:PORT/', 'has an address that is not public'],
    ['http://[::1]:PORT/', 'has an address that is not public'],
    ['file:///etc/passwd', 'redirects to a URL that is not https'],
    ['ext::sh', 'redirects to a URL that is not https'],
    ['http://user:secret@127.0.0.1:PORT/', 'redirects to a URL that is not https'],
    ['/elsewhere', 'has an address that is not public'],
  ])('from %s, which a trusted place redirects to', async (to, reason) => {
    trusted.answers.set('/charts/index.yaml', redirect(to.replace('PORT', String(inside.port))))
    const resolve = names({ 'rebound.example.com': '127.0.0.1' })
    const result = await get(fetcherOf([`${trusted.url}/charts`], { resolve }), `${trusted.url}/charts`)
    expect(result).toMatch(/^place-refused: /)
    expect(result).toContain(reason)
    expect([inside.asked, trusted.asked]).toEqual([[], ['/charts/index.yaml']])
  })

  test('from a name that has another address when it is asked again', async () => {
    let resolved = 0
    const resolve = async () => [{ address: resolved++ === 0 ? '192.0.2.1' : '127.0.0.1', family: 4 }]
    const url = `http://rebound.example.com:${inside.port}`
    const fetcher = fetcherOf([], { trusted: new TrustedPlaces([url]), resolve })
    expect(await get(fetcher, url)).toMatch(/^place-refused: /)
    expect([resolved, inside.asked]).toEqual([1, []])
  })
})

test('of the addresses of a name, only public ones are used', async () => {
  const all = [
    { address: '10.0.0.1', family: 4 },
    { address: '1.1.1.1', family: 4 },
    { address: '::1', family: 6 },
    { address: '2606:4700::1111', family: 6 },
  ]
  expect(await publicAddresses('a.example.com', async () => all)).toEqual([all[1], all[3]])
  await expect(publicAddresses('a.example.com', async () => [{ address: '::1', family: 6 }])).rejects.toThrow(
    'a.example.com has an address that is not public, ::1',
  )
})

test('a connection is made to the addresses that were checked, asked for one or for all', async () => {
  const lookup = lookupOf(async () => [{ address: '1.1.1.1', family: 4 }])
  const answers = await Promise.all(
    [false, true].map((all) => new Promise((done) => lookup('a.example.com', { all }, (...answer) => done(answer)))),
  )
  expect(answers).toEqual([
    [null, '1.1.1.1', 4],
    [null, [{ address: '1.1.1.1', family: 4 }]],
  ])
})

test.each([
  ['http://charts.example.com/', 'redirects to a URL without TLS, http://charts.example.com'],
  ['https://user@charts.example.com/', 'redirects to a URL that is not https'],
  ['javascript:alert(1)', 'redirects to a URL that is not https'],
  ['http://[', 'redirects to a URL that is not https'],
])('a place with TLS does not redirect to %s', (to, reason) => {
  expect(() => redirected(new URL('https://a.example.com/x'), to)).toThrow(`https://a.example.com/x ${reason}`)
  expect(redirected(new URL('https://a.example.com/x'), '//b.example.com/y').href).toBe('https://b.example.com/y')
})

test('a place of the config may have a private address, and its archive be at another one that it names', async () => {
  trusted.answers.set('/charts/index.yaml', indexOf({ web: [{ version: '1.0.0', url: `${inside.url}/web.tgz` }] }))
  const fetcher = fetcherOf([`${trusted.url}/charts`, inside.url])
  expect(await get(fetcher, `${trusted.url}/charts/`)).toBe('1.0.0: Chart.yaml')
  expect(inside.asked).toEqual(['/web.tgz'])
})
