import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import type { TarHeader } from 'modern-tar'
import { unpack } from '../../src/fetch/archive'
import { FetchFailure } from '../../src/fetch/connection/failure'
import { defaultFetchLimits, type FetchLimits } from '../../src/fetch/connection/limits'
import { tgz } from './servers'

async function unpacked(archive: Uint8Array, hasTop = true, limits: Partial<FetchLimits> = {}): Promise<string> {
  try {
    const files = await unpack(archive, 'web 1.0.0', { hasTop, limits: { ...defaultFetchLimits, ...limits } })
    return [...files].map(([path, content]) => `${path}=${Buffer.from(content)}`).join(' ')
  } catch (error) {
    if (error instanceof FetchFailure) return `${error.fault.cause}: ${error.fault.reason}`
    throw error
  }
}

describe('an archive', () => {
  test('of a chart is unpacked without its top folder', async () => {
    const archive = await tgz({ 'web/Chart.yaml': 'a', 'web/templates/x.yaml': 'b', 'web/empty': '' })
    expect(await unpacked(archive)).toBe('Chart.yaml=a templates/x.yaml=b empty=')
  })

  test('may name folders, and paths that begin with a dot', async () => {
    const archive = await tgz({ './web/./Chart.yaml': 'a' }, [{ name: 'web/templates/', size: 0, type: 'directory' }])
    expect(await unpacked(archive)).toBe('Chart.yaml=a')
  })

  test('may have long names', async () => {
    const name = `${'folder/'.repeat(30)}${'x'.repeat(120)}`
    expect(await unpacked(await tgz({ [`web/${name}`]: 'a' }))).toBe(`${name}=a`)
  })
})

describe('an archive is refused', () => {
  test.each([
    '../evil',
    'web/../../evil',
    'web/..',
    '/etc/passwd',
    'web\\..\\..\\evil',
    'C:/evil',
    'web/a\nb',
    'Chart.yaml',
    '..',
  ])('with the path %j', async (name) => {
    expect(await unpacked(await tgz({ 'web/Chart.yaml': 'a', [name]: 'x' }))).toBe(
      `content-invalid: web 1.0.0 has the file ${JSON.stringify(name)}, whose path leads out of it or is not valid`,
    )
  })

  test.each<[TarHeader, string]>([
    [{ name: 'web/l', size: 0, type: 'symlink', linkname: '/etc/passwd' }, 'as a link to "/etc/passwd"'],
    [{ name: 'web/l', size: 0, type: 'symlink', linkname: 'Chart.yaml' }, 'as a link to "Chart.yaml"'],
    [{ name: 'web/l', size: 0, type: 'link', linkname: '../../etc/passwd' }, 'as a link to "../../etc/passwd"'],
    [{ name: 'web/l', size: 0, type: 'character-device' }, 'as a device'],
    [{ name: 'web/l', size: 0, type: 'block-device' }, 'as a device'],
    [{ name: 'web/l', size: 0, type: 'fifo' }, 'as a device'],
  ])('with %j', async (header, expected) => {
    expect(await unpacked(await tgz({ 'web/Chart.yaml': 'a' }, [header]))).toBe(
      `content-invalid: web 1.0.0 has "web/l" ${expected}; only files and folders are allowed`,
    )
  })

  test('with two files at a path', async () => {
    expect(await unpacked(await tgz({ 'web/a': '1', 'other/a': '2' }))).toBe(
      'content-invalid: web 1.0.0 has two files a',
    )
  })

  test('with a file below a file', async () => {
    expect(await unpacked(await tgz({ 'web/a': '1', 'web/a/b': '2' }))).toBe(
      'content-invalid: web 1.0.0 has a as a file and as a folder',
    )
  })

  test('that unpacks to far more than it is', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 9 })
    expect(bomb.length).toBeLessThan(300_000)
    expect(await unpacked(bomb)).toMatch(/^content-too-large: web 1.0.0 has more than \d+ MiB when it is unpacked$/)
    expect(await unpacked(bomb, true, { ratio: 1e6 })).toBe(
      'content-too-large: web 1.0.0 has more than 128 MiB when it is unpacked',
    )
  })

  test('with more files than allowed', async () => {
    const files = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`web/${index}`, '']))
    expect(await unpacked(await tgz(files), true, { files: 10 })).toBe(
      'content-too-large: web 1.0.0 has more than 10 files',
    )
  })

  test.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['that is no gzip', () => Buffer.from('<html>'), 'is no valid gzip file'],
    ['that is empty', () => Buffer.alloc(0), 'is no valid gzip file'],
    ['that is cut', async () => (await tgz({ 'web/a': 'x'.repeat(999) })).subarray(0, 60), 'is no valid gzip file'],
    ['that is no tar', () => gzipSync(Buffer.alloc(2048, 'x')), 'is no valid archive'],
  ])('%s', async (_, made, expected) => {
    expect(await unpacked(await made())).toContain(`content-invalid: web 1.0.0 ${expected}`)
  })
})
