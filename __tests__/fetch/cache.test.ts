import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { CacheFolder, digestOf, isInside } from '../../src/fetch/cache/cache-folder'
import type { TreeRequest } from '../../src/fetch/connection/fetching'
import { temporaryFolder, writeFiles } from '../source/repository'
import { GitServer, ServedRepository } from './git-server'
import { Registry } from './registry-server'
import { chart, fetcherOf, indexOf, inShort, type Server, serve, sha256 } from './servers'

let server: Server
let cache: string
let archive: Buffer

beforeEach(async () => {
  server = await serve()
  cache = temporaryFolder()
  archive = await chart('web', '1.0.0')
  server.answers.set('/web.tgz', archive)
  server.answers.set(
    '/index.yaml',
    indexOf({
      web: [{ version: '1.0.0', url: 'web.tgz', digest: sha256(archive) }],
      bare: [{ version: '1.0.0', url: 'web.tgz' }],
    }),
  )
})

afterEach(() => server.close())

const file = () => path.join(cache, 'archives', `${sha256(archive)}.tgz`)
const get = async (name = 'web') => {
  const fetcher = fetcherOf([server.url], { cache })
  return inShort(await fetcher.chart({ repository: server.url, chart: name, version: '1.0.0' }))
}

describe('an archive', () => {
  test('is fetched once by all runs', async () => {
    expect(await get()).toBe('1.0.0: Chart.yaml')
    expect(await get()).toBe('1.0.0: Chart.yaml')
    expect(server.asked).toEqual(['/index.yaml', '/web.tgz'])
    expect(readdirSync(path.dirname(file()))).toEqual([path.basename(file())])
  })

  test('that its index has no digest of is found by its version alone', async () => {
    await get('bare')
    await get('bare')
    expect(server.asked).toEqual(['/index.yaml', '/web.tgz'])
  })

  test.each(['', 'foreign', 'cut'])('that is %j in the cache is thrown away', async (content) => {
    mkdirSync(path.dirname(file()))
    writeFileSync(file(), content === 'cut' ? archive.subarray(0, 20) : content)
    expect(await get()).toBe('1.0.0: Chart.yaml')
    expect(server.asked).toEqual(['/index.yaml', '/web.tgz'])
    expect(readFileSync(file()).equals(archive)).toBe(true)
  })

  test('that does not have its digest is not kept', async () => {
    server.answers.set('/web.tgz', 'other')
    expect(await get()).toMatch(/^content-invalid: /)
    expect(readdirSync(cache)).toEqual([])
  })

  test('is fetched without a cache that can be written', async () => {
    writeFileSync(path.join(cache, 'archives'), 'a file')
    expect(await get()).toBe('1.0.0: Chart.yaml')
  })

  test('is the same for a hundred runs at a time', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => get()))
    expect(new Set(all)).toEqual(new Set(['1.0.0: Chart.yaml']))
    expect(readdirSync(path.dirname(file()))).toEqual([path.basename(file())])
  })

  test('of a registry is found by its version or its digest, and asked for by a range or another tag', async () => {
    const registry = await Registry.start()
    registry.add('charts/web', '1.0.0', archive)
    const digest = registry.add('charts/web', 'stable', archive)
    const asked = async (request: { version: string; tag?: string }) => {
      registry.asked.length = 0
      const fetched = await fetcherOf([registry.url], { cache }).chart({
        repository: registry.url,
        chart: 'charts/web',
        ...request,
      })
      expect(fetched).toMatchObject({ manifest: digest, files: new Map([['Chart.yaml', expect.anything()]]) })
      return registry.asked.map((one) => one.replace('/v2/charts/web/', ''))
    }
    expect(await asked({ version: '1.0.0' })).toHaveLength(2)
    expect(await asked({ version: '1.0.0' })).toEqual([])
    expect(await asked({ version: digest })).toEqual([`manifests/${digest}`])
    expect(await asked({ version: digest })).toEqual([])
    expect(await asked({ version: '1.x' })).toEqual(['tags/list?n=1000'])
    for (const _ of [1, 2]) expect(await asked({ version: '', tag: 'stable' })).toEqual(['manifests/stable'])
    await registry.close()
  })
})

describe('the answer of a place', () => {
  const range = async (index = indexOf({ web: [{ version: '1.0.0', url: 'web.tgz', digest: sha256(archive) }] })) => {
    server.answers.set('/index.yaml', (request, response) => {
      unless.push(String(request.headers['if-none-match'] ?? request.headers['if-modified-since']))
      const isSame = unless.at(-1) === validator
      const name = validator.startsWith('"') ? 'etag' : 'last-modified'
      response.writeHead(isSame ? 304 : 200, { [name]: validator }).end(isSame ? '' : index)
    })
    const request = { repository: server.url, chart: 'web', version: '1.x' }
    return inShort(await fetcherOf([server.url], { cache }).chart(request))
  }
  let unless: string[]
  let validator: string
  beforeEach(() => {
    unless = []
    validator = '"one"'
  })

  test.each(['"one"', 'Sat, 01 Nov 2025 10:00:00 GMT'])(
    'to a range is that of an index that is sent once: %s',
    async (own) => {
      validator = own
      for (const _ of [1, 2]) expect(await range()).toBe('1.0.0: Chart.yaml')
      expect(unless).toEqual(['undefined', validator])
      expect(server.asked).toEqual(['/index.yaml', '/web.tgz', '/index.yaml'])
    },
  )

  test('to a range is another one as soon as the index is', async () => {
    await range()
    validator = '"two"'
    const newer = await chart('web', '1.1.0')
    server.answers.set('/newer.tgz', newer)
    const index = indexOf({ web: [{ version: '1.1.0', url: 'newer.tgz', digest: sha256(newer) }] })
    expect(await range(index)).toBe('1.1.0: Chart.yaml')
    expect(unless).toEqual(['undefined', '"one"'])
  })

  test('that there is no such version is asked for by each run', async () => {
    server.answers.set('/index.yaml', indexOf({ web: [] }))
    expect(await get()).toMatch(/^version-missing: /)
    server.answers.set('/index.yaml', indexOf({ web: [{ version: '1.0.0', url: 'web.tgz' }] }))
    expect(await get()).toBe('1.0.0: Chart.yaml')
  })

  test('of another place is none, and a place that is not named gets none', async () => {
    await get()
    const other = await serve({ '/index.yaml': indexOf({ web: [] }) })
    const request = { chart: 'web', version: '1.0.0' }
    const fetcher = fetcherOf([other.url], { cache })
    expect(inShort(await fetcher.chart({ ...request, repository: other.url }))).toMatch(/^version-missing: /)
    expect(inShort(await fetcher.chart({ ...request, repository: server.url }))).toMatch(/^place-new: /)
    await other.close()
  })

  test.each([
    ['cut', (content: Buffer) => content.subarray(0, -1)],
    ['to another question', (content: Buffer) => resealed(content, '"web"', '"other"')],
    ['with a path for a digest', (content: Buffer) => resealed(content, sha256(archive), '../../file')],
    ['without its archive', (content: Buffer) => resealed(content, sha256(archive), 'f'.repeat(64))],
    ['with a number for a version', (content: Buffer) => resealed(content, '"version":"1.0.0"', '"version":1')],
  ])('that is %s in the cache is not used', async (_, changed) => {
    await get()
    const [name = ''] = readdirSync(path.join(cache, 'answers'))
    const kept = path.join(cache, 'answers', name)
    writeFileSync(path.join(cache, 'file.tgz'), 'own')
    const before = readFileSync(kept)
    writeFileSync(kept, changed(before))
    server.asked.length = 0
    expect(await get()).toBe('1.0.0: Chart.yaml')
    expect(server.asked).toEqual(['/index.yaml'])
    expect(readFileSync(kept).equals(before)).toBe(true)
    expect(readFileSync(path.join(cache, 'file.tgz'), 'utf8')).toBe('own')
  })

  test('for a file below a version is for good, and for another file as long as it is the same', async () => {
    const asked = async (file: string) => {
      server.asked.length = 0
      server.answers.set(file, (request, response) => {
        const isSame = request.headers['if-none-match'] === '"a"'
        response.writeHead(isSame ? 304 : 200, { etag: '"a"' }).end(isSame ? '' : 'a: 1\n')
      })
      const fetched = await fetcherOf([server.url], { cache }).file(server.url + file)
      expect(fetched).toMatchObject({ files: new Map([[path.basename(file), Buffer.from('a: 1\n')]]) })
      return server.asked
    }
    for (const times of [1, 0]) expect(await asked('/download/v1.2.0/install.yaml')).toHaveLength(times)
    for (const times of [1, 1]) expect(await asked('/latest/install.yaml')).toHaveLength(times)
  })

  /** An entry with a changed text, as someone who can write to the folder would make it. */
  function resealed(content: Buffer, from: string, to: string): Buffer {
    const rest = content.toString().slice(65).replace(from, to)
    return Buffer.from(`${sha256(rest)}\n${rest}`)
  }
})

describe('a tree', () => {
  let git: GitServer
  let url: string
  let commit: string

  beforeEach(async () => {
    git = await GitServer.start()
    const repository = new ServedRepository(path.join(git.root, 'apps'))
    commit = repository.commit({ 'a.yaml': 'a: 1\n', 'b/c.yaml': '', link: { link: 'a.yaml' } })
    url = `${git.url}/apps`
  })

  afterEach(() => git.close())

  const tree = async (request: Partial<TreeRequest>) => {
    const fetched = await fetcherOf([url], { cache }).tree({ repository: url, ...request })
    if ('cause' in fetched) throw new Error(fetched.reason)
    return [...fetched.files].map(([name, content]) => `${name}=${Buffer.from(content)}`).concat(fetched.links ?? [])
  }
  const files = ['a.yaml=a: 1\n', 'b/c.yaml=', 'link']

  test('of a commit is fetched once by all runs', async () => {
    expect(await tree({ branch: 'main' })).toEqual(files)
    git.asked.length = 0
    expect(await tree({ commit })).toEqual(files)
    expect(await tree({ commit: commit, folders: [''] })).toEqual(files)
    expect(git.asked).toEqual([])
  })

  test('of a branch is fetched once for each commit', async () => {
    await tree({ branch: 'main' })
    git.asked.length = 0
    expect(await tree({ branch: 'main' })).toEqual(files)
    expect(git.asked.filter((one) => one.startsWith('POST'))).toHaveLength(1)
  })

  test('of the tag of a version is fetched once by all runs, of any other name each run asks for the commit', async () => {
    const repository = new ServedRepository(path.join(git.root, 'apps'))
    for (const tag of ['v1.2.0', 'stable']) repository.git('tag', tag)
    repository.git('branch', 'v2.0.0')
    const asked = async (request: Partial<TreeRequest>) => {
      git.asked.length = 0
      expect(await tree(request)).toEqual(files)
      return git.asked.length
    }
    expect(await asked({ ref: 'v1.2.0' })).toBeGreaterThan(0)
    expect(await asked({ ref: 'v1.2.0' })).toBe(0)
    expect(await asked({ revision: commit })).toBe(0)
    for (const moving of [{ tag: 'stable' }, { semver: '1.x' }, { ref: 'v2.0.0' }, { branch: 'main' }, {}])
      for (const _ of [1, 2]) expect(await asked(moving)).toBeGreaterThan(0)
    // A commit counts for the branch that was named with it alone.
    expect(await asked({ commit, branch: 'main' })).toBeGreaterThan(0)
    expect(await asked({ commit, branch: 'main' })).toBe(0)
    expect(await asked({ commit, branch: 'v2.0.0' })).toBeGreaterThan(0)
  })

  test('of some folders is another one', async () => {
    expect(await tree({ commit, folders: ['b'] })).toEqual(['b/c.yaml='])
    expect(await tree({ commit })).toEqual(files)
  })

  test.each([
    ['cut', (content: Buffer) => content.subarray(0, -1)],
    ['changed', (content: Buffer) => Buffer.from(content.toString().replace('a: 1', 'a: 2'))],
    ['empty', () => Buffer.alloc(0)],
    [
      'one of another commit',
      (content: Buffer) => {
        const rest = content.toString().slice(65).replace(commit, 'f'.repeat(40))
        return Buffer.from(`${sha256(rest)}\n${rest}`)
      },
    ],
    ['no JSON', () => Buffer.from(`${sha256('x')}\nx`)],
  ])('that is %s in the cache is thrown away', async (_, changed) => {
    await tree({ commit })
    const [name = ''] = readdirSync(path.join(cache, 'trees'))
    const kept = path.join(cache, 'trees', name)
    const before = readFileSync(kept)
    writeFileSync(kept, changed(before))
    git.asked.length = 0
    expect(await tree({ commit })).toEqual(files)
    expect(git.asked).not.toEqual([])
    expect(readFileSync(kept).equals(before)).toBe(true)
  })
})

describe('a folder for the cache', () => {
  test('is seen inside the checkout, also by links and before it exists', async () => {
    const checkout = temporaryFolder()
    const outside = temporaryFolder()
    writeFiles(checkout, { 'a/b': '' })
    symlinkSync(checkout, path.join(outside, 'link'))
    symlinkSync(outside, path.join(checkout, 'out'))
    for (const inside of ['', 'a', 'new/cache', '..cache', 'a/../x'])
      expect(await isInside(path.join(checkout, inside), checkout)).toBe(true)
    expect(await isInside(path.join(outside, 'link', 'new'), checkout)).toBe(true)
    for (const elsewhere of [outside, path.dirname(checkout), `${checkout}-other`, path.join(checkout, 'out', 'new')])
      expect(await isInside(elsewhere, checkout)).toBe(false)
  })
})

describe('a cache that is full', () => {
  const [first, second, third] = [
    `archives/${digestOf('a')}.tgz`,
    `renderings/${digestOf('b')}`,
    `trees/${digestOf('c')}`,
  ] as const

  /** Three entries, used on three days; the first was used again. */
  async function full(): Promise<CacheFolder> {
    const folder = new CacheFolder(cache)
    for (const [day, name] of [first, second, third].entries()) {
      await folder.write(name, Buffer.alloc(10))
      utimesSync(path.join(cache, name), 1_000_000 + day, 1_000_000 + day)
    }
    await folder.read(first, (content) => content)
    return folder
  }
  const left = () => readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))

  test('loses what was not used for the longest time', async () => {
    await (await full()).trim(25)
    expect(left().sort()).toEqual([first, third])
  })

  test('loses nothing that is not its own', async () => {
    const own = ['photo.jpg', 'archives/letters.tgz', 'mail/trees/inbox']
    for (const file of own) {
      mkdirSync(path.dirname(path.join(cache, file)), { recursive: true })
      writeFileSync(path.join(cache, file), Buffer.alloc(100))
    }
    await (await full()).trim(0)
    expect(
      left()
        .concat('photo.jpg')
        .filter((name) => statSync(path.join(cache, name)).isFile())
        .sort(),
    ).toEqual(own.sort())
  })

  test('keeps all that there is room for', async () => {
    await (await full()).trim(30)
    expect(left()).toHaveLength(3)
  })

  test('is left as it is by a run that writes nothing', async () => {
    await full()
    await new CacheFolder(cache).trim(0)
    expect(left()).toHaveLength(3)
  })
})
