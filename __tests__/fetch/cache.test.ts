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
    expect(server.asked).toEqual(['/index.yaml', '/web.tgz', '/index.yaml'])
    expect(readdirSync(path.dirname(file()))).toEqual([path.basename(file())])
  })

  test('that its index has no digest of is fetched by each run', async () => {
    await get('bare')
    await get('bare')
    expect(server.asked.filter((one) => one === '/web.tgz')).toHaveLength(2)
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

  test('of a registry is kept by its own digest, and its manifest is asked for', async () => {
    const registry = await Registry.start()
    registry.add('charts/web', '1.0.0', archive)
    const fetched = async () =>
      inShort(
        await fetcherOf([registry.url], { cache }).chart({
          repository: registry.url,
          chart: 'charts/web',
          version: '1.0.0',
        }),
      )
    expect(await fetched()).toBe('1.0.0: Chart.yaml')
    registry.asked.length = 0
    expect(await fetched()).toBe('1.0.0: Chart.yaml')
    expect(registry.asked).toEqual(['/v2/charts/web/manifests/1.0.0'])
    await registry.close()
  })
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
