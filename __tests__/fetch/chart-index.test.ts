import { describe, expect, test } from '@jest/globals'
import { chosenOf, versionsIn } from '../../src/fetch/chart-index'
import { indexOf, sha256 } from './servers'

const read = (text: string, chart = 'web') => {
  const entries = versionsIn(Buffer.from(text), chart)
  return entries?.map(({ version, url, sha256 }) => `${version} ${url} ${sha256}`.trim())
}

const one = '- version: 1.0.0\n  urls: [web.tgz]\n'
const indented = (text: string, by: string) => text.replace(/^(?=.)/gm, by)

describe('the versions of a chart are read from an index', () => {
  test.each([
    ['that Helm wrote', indexOf({ web: [{ version: '1.0.0', url: 'web.tgz' }] })],
    ['with lists that are indented more', `entries:\n  web:\n${indented(one, '    ')}`],
    ['with more indentation', `apiVersion: v1\nentries:\n      web:\n${indented(one, '      ')}generated: x\n`],
    ['with comments', `# a\nentries:\n  # b\n\n  web:\n${indented(one, '  ')}`],
    ['with a quoted name', `entries:\n  "web":\n${indented(one, '  ')}`],
    ['with another quoted name', `entries:\n  'web':\n${indented(one, '  ')}`],
    [
      'after charts with like names',
      `entries:\n  webs:\n  - version: 9\n  we: []\n  web:\n${indented(one, '  ')}  web2: []\n`,
    ],
    ['without indentation', `entries:\n web:\n${indented(one, ' ')}`],
    ['in one line', 'entries: {web: [{version: 1.0.0, urls: [web.tgz]}]}'],
    ['with items in flow style', 'entries:\n  web:\n  - {version: 1.0.0, urls: [web.tgz]}\n'],
    ['in JSON', '{"entries": {"web": [{"version": "1.0.0", "urls": ["web.tgz"]}]}}'],
    ['with the lists at the left', `entries:\n  web:\n  -  version: 1.0.0\n     urls:\n     - web.tgz\n`],
    ['with other line ends', `entries:\r\n  web:\r\n  - version: 1.0.0\r\n    urls:\r\n    - web.tgz\r\n`],
    [
      'with urls and a description that name other fields',
      'entries:\n  web:\n  - description: |\n      version: 3.0.0\n\n      urls: []\n    urls:\n      - web.tgz\n    annotations:\n      version: 2.0.0\n    version: 1.0.0\n  x:\n  - version: 4.0.0\n',
    ],
  ])('%s', (_, text) => {
    expect(read(text)).toEqual(['1.0.0 web.tgz'])
  })

  test('with their digests', () => {
    const digest = sha256('x')
    const listed = [
      { version: '1.0.0', url: 'a', digest },
      { version: '2.0.0', url: 'b', digest: `sha256:${digest.toUpperCase()}` },
      { version: '3.0.0', url: 'c', digest: 'md5:1' },
    ]
    expect(read(indexOf({ web: listed }))).toEqual([`1.0.0 a ${digest}`, `2.0.0 b ${digest}`, '3.0.0 c'])
  })

  test('and there are none of a chart that is not in it', () => {
    expect(read(indexOf({ other: [{ version: '1.0.0', url: 'x' }] }))).toBeUndefined()
    expect(read('entries: {}\n')).toBeUndefined()
    expect(read('{"entries": null}')).toBeUndefined()
    expect(read(indexOf({ web: [] }), '__proto__')).toBeUndefined()
  })

  test.each(['', 'a page', '<html>', '{}', '[]', '{"a"'])('but not from %j', (text) => {
    expect(() => read(text)).toThrow()
  })

  test('with 60 MB of other charts', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ version: `1.0.${index}`, url: 'x'.repeat(250) }))
    const others = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`chart-${index}`, many]))
    const text = indexOf({ ...others, web: [{ version: '1.0.0', url: 'web.tgz' }] })
    expect(text.length).toBeGreaterThan(60_000_000)
    expect(read(text)).toEqual(['1.0.0 web.tgz'])
  })
})

describe('of the versions', () => {
  const entry = (version: string, created = '2024-01-01T00:00:00Z') => ({ version, created, url: created, sha256: '' })
  const chosen = (wanted: string, ...versions: string[]) =>
    chosenOf(
      versions.map((version) => entry(version)),
      wanted,
    )?.version

  test.each([
    ['1.2.0', ['1.2.0', '1.2.1'], '1.2.0'],
    ['v1.2.0', ['1.2.0'], '1.2.0'],
    ['1.2.0', ['v1.2.0'], 'v1.2.0'],
    ['1.2', ['1.2.0', '1.2.9', '1.3.0'], '1.2.9'],
    ['1.2', ['1.2', '1.2.9'], '1.2'],
    ['', ['1.2.0', '1.10.0', '2.0.0-rc.1', 'nightly'], '1.10.0'],
    ['', ['1.0', 'nightly'], undefined],
    ['nightly', ['1.0.0', 'nightly'], 'nightly'],
    ['weekly', ['1.0.0', 'nightly'], undefined],
  ])('%j of %j is %j', (wanted, versions, expected) => {
    expect(chosen(wanted, ...versions)).toBe(expected)
  })

  test('that are equal, the one made last is taken', () => {
    const dates = ['2024-01-01T00:00:00Z', '2025-01-01T00:00:00.5Z', '2024-06-01T00:00:00+02:00']
    const entries = dates.map((created, index) => entry(`1.0.0+b${index}`, created))
    expect(chosenOf(entries, '1.x')?.version).toBe('1.0.0+b1')
  })
})
