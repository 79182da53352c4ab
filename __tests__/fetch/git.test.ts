import { cpSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { TreeRequest } from '../../src/fetch/connection/fetching'
import { TrustedPlaces } from '../../src/fetch/connection/trust'
import { temporaryFolder, withEnvironment } from '../source/repository'
import { GitServer, ServedRepository } from './git-server'
import { type Answer, fetcherOf, inShort, inTurn, names, redirect, silent, status } from './servers'

let server: GitServer
let repository: ServedRepository
let url: string
let commits: { first: string; second: string; side: string; main: string }

/** The repository as it is before each test. */
const template = path.join(temporaryFolder(), 'apps')

beforeAll(() => {
  const made = new ServedRepository(template)
  const first = made.commit({ 'base/kustomization.yaml': 'resources: [web.yaml]\n', 'base/web.yaml': 'a: 1\n' })
  made.git('tag', 'v1.0.0')
  const second = made.commit({ 'base/web.yaml': 'a: 2\n' })
  made.git('tag', '-a', '-m', 'x', 'v1.1.0')
  made.git('checkout', '--quiet', '-b', 'side')
  const side = made.commit({ 'side.yaml': 'a: 3\n' })
  made.git('tag', 'v2.0.0-rc.1')
  made.commit({ 'side.yaml': 'a: 4\n' })
  made.git('checkout', '--quiet', 'main')
  const main = made.commit({ 'docs/README.md': 'x\n' })
  commits = { first, second, side, main }
})

beforeEach(async () => {
  server = await GitServer.start()
  cpSync(template, path.join(server.root, 'org/apps'), { recursive: true })
  repository = new ServedRepository(path.join(server.root, 'org/apps'))
  url = `${server.url}/org/apps`
})

afterEach(() => server.close())

const get = async (request: Partial<TreeRequest>, fetcher = fetcherOf([url])) => {
  const result = inShort(await fetcher.tree({ repository: url, ...request }))
  const replaced = Object.entries(commits).reduce((text, [name, id]) => text.replaceAll(id, name), result)
  return replaced.replaceAll(url, 'URL')
}

const base = 'base/kustomization.yaml base/web.yaml'

describe('a tree', () => {
  test.each<[string, Partial<TreeRequest> | (() => Partial<TreeRequest>), string]>([
    ['of the default branch', {}, `main: ${base} docs/README.md`],
    ['of a branch', { branch: 'main' }, `main: ${base} docs/README.md`],
    ['of a tag', { tag: 'v1.0.0' }, `v1.0.0: ${base}`],
    ['of a tag with a message', { tag: 'v1.1.0' }, `v1.1.0: ${base}`],
    ['of a range', { semver: '>=1.0.0' }, `v1.1.0: ${base}`],
    ['of a range with prereleases', { semver: '>=1.0.0-0' }, `v2.0.0-rc.1: ${base} side.yaml`],
    ['of a tag before a range and a branch', { tag: 'v1.0.0', semver: '*', branch: 'main' }, `v1.0.0: ${base}`],
    ['of a commit at the end of a branch', () => ({ commit: commits.main }), `main: ${base} docs/README.md`],
    ['of a commit at a tag', () => ({ commit: commits.second }), `second: ${base}`],
    ['of a commit in the history of a branch', () => ({ commit: commits.side }), `side: ${base} side.yaml`],
    ['of a commit that its branch has', () => ({ commit: commits.first, branch: 'main' }), `first: ${base}`],
    ['of a revision that is a branch', { revision: 'main' }, `main: ${base} docs/README.md`],
    ['of a revision that is a tag', { revision: 'v1.0.0' }, `v1.0.0: ${base}`],
    ['of a revision that is a range', { revision: '1.*' }, `v1.1.0: ${base}`],
    ['of a revision with its full name', { revision: 'refs/heads/main' }, `main: ${base} docs/README.md`],
    ['of a revision HEAD', { revision: 'HEAD' }, `main: ${base} docs/README.md`],
    ['of a ref as git fetches it, a tag before a range', { ref: 'v1.0.0' }, `v1.0.0: ${base}`],
    ['of a ref that is a branch', { ref: 'main' }, `main: ${base} docs/README.md`],
    ['of a ref that is a commit', () => ({ ref: commits.side }), `side: ${base} side.yaml`],
    ['of a ref with its full name', { ref: 'refs/tags/v1.0.0' }, `refs/tags/v1.0.0: ${base}`],
    ['of an empty ref', { ref: '' }, `main: ${base} docs/README.md`],
    ['of a ref that is a range', { ref: '1.*' }, 'version-missing: URL has no tag, branch or commit "1.*"'],
    ['of a ref that is an option', { ref: '--foo' }, 'version-missing: URL has no tag, branch or commit "--foo"'],
    [
      'of a ref of a pull request',
      { ref: 'refs/pull/1/head' },
      'version-missing: URL has no tag, branch or commit "refs/pull/1/head"',
    ],
    ['of a short commit', () => ({ revision: commits.first.slice(0, 9) }), `first: ${base}`],
    ['of some folders', { tag: 'v1.0.0', folders: ['base', 'absent'] }, `v1.0.0: ${base}`],
    ['of no folder', { folders: ['absent'] }, 'main: '],
    ['of a tag that is not there', { tag: 'v9' }, 'version-missing: URL has no tag v9'],
    ['of a range that no tag is in', { semver: '3.x' }, 'version-missing: URL has no tag that is 3.x'],
    ['of a branch that is not there', { branch: 'v1.0.0' }, 'version-missing: URL has no branch v1.0.0'],
    [
      'of a revision that is not there',
      { revision: 'absent' },
      'version-missing: URL has no branch, tag or commit "absent"',
    ],
    [
      'of an option',
      { revision: '--upload-pack=id' },
      'version-missing: URL has no branch, tag or commit "--upload-pack=id"',
    ],
    [
      'of a ref of a pull request',
      { revision: 'refs/pull/1/head' },
      'version-missing: URL has no branch, tag or commit "refs/pull/1/head"',
    ],
    [
      'of a commit that its branch does not have',
      () => ({ commit: commits.side, branch: 'main' }),
      'version-missing: URL has no branch main that contains the commit side',
    ],
    [
      'of a commit that is not there',
      { commit: 'a'.repeat(40) },
      `version-missing: URL has no branch or tag that contains the commit ${'a'.repeat(40)}`,
    ],
    ['of a commit that is none', { commit: 'main' }, 'version-missing: URL has no commit "main"'],
  ])('%s', async (_, request, expected) => {
    expect(await get(typeof request === 'function' ? request() : request)).toBe(expected)
  })

  test('has the content of its commit', async () => {
    symlinkSync('apps', path.join(server.root, 'org/apps.git'))
    const fetched = await fetcherOf([url]).tree({ repository: `${url}.git/`, tag: 'v1.0.0' })
    expect(fetched).toMatchObject({ digest: commits.first })
    if ('cause' in fetched) throw new Error(fetched.reason)
    expect(Buffer.from(fetched.files.get('base/web.yaml') ?? '').toString()).toBe('a: 1\n')
  })

  test('is fetched without the content of other folders', async () => {
    repository.commit({ 'large.bin': 'x'.repeat(100_000), 'base/web.yaml': 'a: 5\n' })
    const limits = { unpackedBytes: 50_000 }
    expect(await get({ folders: ['base'] }, fetcherOf([url], { limits }))).toMatch(/^[0-9a-f]{40}: base\/kustomization/)
    expect(await get({}, fetcherOf([url], { limits }))).toMatch(/^content-too-large: /)
  })

  test.each<[string, readonly string[], readonly string[] | undefined, boolean]>([
    ['with other folders is another one', ['base'], ['docs'], false],
    ['with more folders is another one', ['base'], ['base', 'docs'], false],
    ['with all folders is another one', ['base'], undefined, false],
    ['with the same folders is the same one', ['docs', 'base'], ['base', 'docs'], true],
    ['with the folder that has all is the whole one', [''], undefined, true],
  ])('of the same commit %s', async (_, folders, others, isSame) => {
    const fetcher = fetcherOf([url])
    const fetched = async (its: readonly string[] | undefined) => {
      const tree = await fetcher.tree({ repository: url, branch: 'main', ...(its ? { folders: its } : {}) })
      if ('cause' in tree) throw new Error(tree.reason)
      return { digest: tree.digest, files: [...tree.files.keys()] }
    }
    const [one, other] = [await fetched(folders), await fetched(others)]
    expect(one.digest === other.digest).toBe(isSame)
    expect(JSON.stringify(one.files) === JSON.stringify(other.files)).toBe(isSame)
  })

  test('is fetched once, and the branches are listed once', async () => {
    const fetcher = fetcherOf([url])
    const requests = [{ branch: 'main' }, { revision: 'main' }, { branch: 'main' }, { commit: commits.main }]
    await Promise.all(requests.map((request) => fetcher.tree({ repository: url, ...request })))
    expect(server.asked.filter((one) => one.startsWith('POST'))).toHaveLength(2)
  })

  test('comes without links, submodules and filters', async () => {
    symlinkSync('/etc/passwd', path.join(repository.folder, 'base/passwd'))
    repository.commit({
      '.gitattributes': '* filter=evil\n',
      '.gitmodules': `[submodule "m"]\n\tpath = m\n\turl = ${server.url}/secret\n`,
    })
    repository.git('update-index', '--add', '--cacheinfo', `160000,${commits.first},m`)
    repository.git('commit', '--quiet', '-m', 'x')
    const fetcher = fetcherOf([url])
    const fetched = await fetcher.tree({ repository: url, branch: 'main' })
    expect(fetched).toMatchObject({ links: ['base/passwd', 'm'] })
    expect(inShort(fetched)).toContain(
      ': .gitattributes .gitmodules base/kustomization.yaml base/web.yaml docs/README.md',
    )
    expect(server.asked.filter((one) => one.includes('secret'))).toEqual([])
  })
})

describe('a commit that no branch and no tag holds', () => {
  test('is refused, although the host serves it, as it does those of forks', async () => {
    repository.git('checkout', '--quiet', '--detach', commits.first)
    const foreign = repository.commit({ 'base/web.yaml': 'a: evil\n' })
    repository.git('update-ref', 'refs/pull/1/head', foreign)
    repository.git('checkout', '--quiet', 'main')
    expect(await get({ commit: foreign })).toBe(
      `version-missing: URL has no branch or tag that contains the commit ${foreign}`,
    )
    expect(await get({ ref: foreign })).toMatch(/^version-missing: /)
    expect(await get({ revision: foreign.slice(0, 10) })).toMatch(/^version-missing: /)
  })
})

describe('a fault of the place', () => {
  const refs = '/org/apps/info/refs'
  test.each<[string, Answer, string, number]>([
    ['401', status(401), 'place-denied: URL requires credentials, and git has none', 1],
    ['403', status(403), 'place-denied: URL requires credentials, and git has none', 1],
    ['404', status(404), 'place-denied: URL is no repository, or one that requires credentials', 1],
    ['429', status(429), 'place-unreachable: URL cannot be read with git', 3],
    ['500', status(500), 'place-unreachable: URL cannot be read with git', 3],
    ['a page', '<html>', 'place-unreachable: URL lists no branches and no tags', 2],
  ])('%s', async (_, answer, expected, asked) => {
    server.answers.set(refs, answer)
    const fetcher = fetcherOf([url])
    expect((await get({}, fetcher)).slice(0, expected.length)).toBe(expected)
    expect(server.asked).toHaveLength(asked)
    expect((await get({ tag: 'v1.0.0' }, fetcher)).slice(0, expected.length)).toBe(expected)
    expect(server.asked).toHaveLength(asked)
  })

  test('that passes', async () => {
    const list = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers: { 'git-protocol': 'version=2' } })
    const body = Buffer.from(await list.arrayBuffer())
    const right: Answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end(body)
    server.answers.set(refs, inTurn(status(503), status(429), right))
    expect(await get({ tag: 'v1.0.0' })).toBe(`v1.0.0: ${base}`)
  })

  test('that never answers', async () => {
    server.answers.set(refs, silent)
    expect(await get({}, fetcherOf([url], { limits: { seconds: 0.5 } }))).toBe(
      'place-unreachable: URL did not answer within 0.5 seconds',
    )
  })

  test('that is not there', async () => {
    await server.close()
    expect(await get({})).toMatch(/^place-unreachable: URL cannot be read with git: unable to access/)
  })
})

describe('a redirect', () => {
  const refs = '/org/old/info/refs'

  test('within the host is followed', async () => {
    server.answers.set(refs, redirect('/org/apps/info/refs?service=git-upload-pack', 301))
    const old = `${server.url}/org/old`
    const fetched = await fetcherOf([old]).tree({ repository: old, tag: 'v1.0.0' })
    expect(inShort(fetched)).toBe(`v1.0.0: ${base}`)
  })

  test.each([
    ['to another host', 'http://localhost:PORT/org/apps/info/refs?service=git-upload-pack'],
    ['to another port', 'http://127.0.0.1:9/org/apps/info/refs?service=git-upload-pack'],
    ['to metadata', 'http://169.254.169.254/info/refs?service=git-upload-pack'],
    ['to a file', 'file:///etc/passwd'],
    ['to a program', 'ext::sh'],
  ])('%s is not', async (_, to) => {
    server.answers.set(refs, redirect(to.replace('PORT', String(server.port))))
    const old = `${server.url}/org/old`
    const fetched = inShort(await fetcherOf([old]).tree({ repository: old }))
    expect(fetched).toMatch(/^place-refused: .* redirects to /)
    expect(server.asked.every((one) => one.startsWith(`GET ${refs}`))).toBe(true)
  })
})

describe('nothing is asked', () => {
  test.each([
    'http://127.0.0.1:PORT/org/apps',
    'http://localhost:PORT/org/apps',
    'http://[::ffff:127.0.0.1]:PORT/org/apps',
    'http://2130706433:PORT/org/apps',
    'http://git.example.com:PORT/org/apps',
    'http://github.com@127.0.0.1:PORT/org/apps',
    'ssh://git@localhost:PORT/org/apps',
    'git@localhost:org/apps',
  ])('of %s, which the base names by an object and not by its config', async (written) => {
    const named = written.replace('PORT', String(server.port))
    const resolve = names({ localhost: '127.0.0.1', 'git.example.com': '10.0.0.1' })
    const fetcher = fetcherOf([], { trusted: new TrustedPlaces([named]), resolve })
    expect(inShort(await fetcher.tree({ repository: named }))).toMatch(/^place-refused: .* is not public/)
    expect(server.asked).toEqual([])
  })

  test.each([
    'file:///etc',
    '/etc',
    'git://127.0.0.1/a',
    'ext::sh -c "touch /tmp/x"',
    'fd::1',
    '--upload-pack=touch /tmp/x',
    '-u',
    'ssh://-oProxyCommand=touch/a',
    'http://127.0.0.1:PORT/org/apps?ref=main',
    'http::http://127.0.0.1:PORT/org/apps',
    'oci://127.0.0.1:PORT/org/apps',
  ])('of %s, even if the config names it', async (written) => {
    const named = written.replace('PORT', String(server.port))
    expect(inShort(await fetcherOf([named]).tree({ repository: named }))).toBe(
      `place-refused: ${JSON.stringify(named)} is not a URL that is fetched from`,
    )
    expect(server.asked).toEqual([])
  })

  test.each(['/org/other', '/org', '/org/apps/more', ''])('of %j beside the place', async (at) => {
    const other = `${server.url}${at}`
    expect(inShort(await fetcherOf([url]).tree({ repository: other }))).toMatch(/^place-new: /)
    expect(server.asked).toEqual([])
  })
})

describe('credentials', () => {
  const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`
  const helper = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'credential.helper',
    GIT_CONFIG_VALUE_0: '!echo username=me; echo password=secret;:',
  }

  test('are those of the helper that git has', async () => {
    const sent: (string | undefined)[] = []
    server.answers.set('/org/apps/info/refs', (request, response) => {
      sent.push(request.headers.authorization)
      response.writeHead(request.headers.authorization ? 404 : 401, { 'www-authenticate': 'Basic realm="x"' }).end()
    })
    expect(await withEnvironment(helper, () => get({}))).toMatch(/^place-denied: /)
    expect(sent).toEqual([undefined, authorization])
  })

  test('are not those of a URL', async () => {
    const sent: (string | undefined)[] = []
    server.answers.set('/org/apps/info/refs', (request, response) => {
      sent.push(request.headers.authorization)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
    })
    const repository = url.replace('//', '//me:secret@')
    expect(await get({ repository })).toMatch(/^place-denied: URL requires credentials, and git has none/)
    expect(sent).toEqual([undefined])
  })
})

test('a name is asked at the address that was checked', async () => {
  const named = `http://git.example.com:${server.port}/org/apps`
  const resolve = names({ 'git.example.com': '127.0.0.1' })
  const fetched = await fetcherOf([named], { resolve }).tree({ repository: named, tag: 'v1.0.0' })
  expect(inShort(fetched)).toBe(`v1.0.0: ${base}`)
})
