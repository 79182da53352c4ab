import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseDocument, stringify } from 'yaml'
import type { Region } from '../../src/region'
import { manifestIn } from './manifests'

const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n'

/** `line:column-line:column` of what is at a path of a ConfigMap with more keys from line 5 on. */
function placeOf(more: string, ...path: (string | number)[]): string {
  const { startLine, startColumn, endLine, endColumn } = manifestIn(head + more).root.at(...path).region
  return `${startLine}:${startColumn}-${endLine}:${endColumn}`
}

describe('the region of a cursor', () => {
  test.each<[string, string, (string | number)[], string]>([
    ['a plain scalar', 'data:\n  key: value # why\n', ['data', 'key'], '6:8-6:13'],
    ['a quoted scalar', 'data:\n  key: "value"\n', ['data', 'key'], '6:8-6:15'],
    ['a scalar on the next line', 'data:\n  key:\n    value\n', ['data', 'key'], '7:5-7:10'],
    ['a map: its key', 'data:\n  key: value\n', ['data'], '5:1-5:5'],
    ['a list: its key', 'list:\n  - a\n', ['list'], '5:1-5:5'],
    ['a scalar in a list', 'list:\n  - a\n  - bc\n', ['list', 1], '7:5-7:7'],
    ['a map in a list: its first key', 'list:\n  - name: a\n    b: c\n', ['list', 0], '6:5-6:9'],
    ['a flow scalar', 'list: [a, {b: cd}]\n', ['list', 1, 'b'], '5:15-5:17'],
    ['nothing written: its key', 'data:\n  key:\n', ['data', 'key'], '6:3-6:6'],
    ['a missing key: the nearest thing above', 'data:\n  key: value\n', ['data', 'other', 'deeper'], '5:1-5:5'],
    ['a missing item: the list', 'list:\n  - a\n', ['list', 3], '5:1-5:5'],
    ['an alias: the alias', 'base: &base 1\ndata:\n  key: *base\n', ['data', 'key'], '7:8-7:13'],
    ['behind an alias: where it is written', 'base: &base\n  key: value\ndata: *base\n', ['data', 'key'], '6:8-6:13'],
    [
      'a merged key: where it is written',
      'base: &base\n  key: value\ndata:\n  <<: *base\n',
      ['data', 'key'],
      '6:8-6:13',
    ],
    ['of a key written twice: the last', 'data:\n  key: a\n  key: b\n', ['data', 'key'], '7:8-7:9'],
    ['after CRLF', 'data:\r\n  key: value\r\n', ['data', 'key'], '6:8-6:13'],
    ['a block: from its mark', 'data:\n  key: |\n    one\n    two\n', ['data', 'key'], '6:8-9:1'],
  ])('%s', (_, more, path, place) => {
    expect(placeOf(more, ...path)).toBe(place)
  })

  test('the root: the lines of the object, without the lines around it', () => {
    expect(manifestIn(`# above\n---\n${head}# below\n`).root.region).toEqual({
      startLine: 3,
      startColumn: 1,
      endLine: 6,
      endColumn: 10,
    })
  })

  test('lines stay right where continuation lines had to be indented for the parser', () => {
    expect(placeOf('data:\n  a: "one\ntwo"\n  b: c\n', 'data', 'b')).toBe('8:6-8:7')
    expect(placeOf('list: [\na,\nb\n]\nlast: x\n', 'last')).toBe('9:7-9:8')
  })
})

describe('walking', () => {
  const root = manifestIn(`${head}data: {a: 1, b: [x, {c: null}]}\n`).root

  test.each<[(string | number)[], unknown]>([
    [['data', 'a'], 1],
    [['data', 'b', 0], 'x'],
    [['data', 'b', 1], { c: null }],
    [['data', 'b', 'c'], undefined],
    [['data', 0], undefined],
    [['data', 'a', 'b', 3], undefined],
    [['nothing', 'at', 'all'], undefined],
  ])('%j', (path, value) => {
    expect(root.at(...path).value).toEqual(value)
  })

  test('a missing value has no items, no entries and no string', () => {
    const nothing = root.at('nothing', 1)
    expect([nothing.exists, [...nothing.items()], [...nothing.entries()], nothing.string]).toEqual([
      false,
      [],
      [],
      undefined,
    ])
  })

  test('a written null exists', () => {
    expect(root.at('data', 'b', 1, 'c').exists).toBe(true)
  })

  test('a number is no string', () => {
    expect(root.at('data', 'a').string).toBeUndefined()
  })

  test.each(['__proto__', 'constructor', 'toString'])('the key %s is a key like any other', (key) => {
    expect(root.at('data', key).exists).toBe(false)
    expect(manifestIn(`${head}data:\n  ${key}: x\n`).root.at('data', key).string).toBe('x')
  })
})

/** The paths to every scalar of plain data. */
function scalarPaths(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => scalarPaths(item, [...path, index]))
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([key, item]) => scalarPaths(item, [...path, key]))
  return [path]
}

/** The text of a region. */
function cut(text: string, { startLine, startColumn, endLine, endColumn }: Region): string {
  const lines = text.split('\n').slice(startLine - 1, endLine)
  lines[lines.length - 1] = (lines.at(-1) ?? '').slice(0, endColumn - 1)
  lines[0] = (lines[0] ?? '').slice(startColumn - 1)
  return lines.join('\n')
}

const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9 .:#'"/_-]{0,12}$/)
/** The stringifier leaves `?` and `:` unquoted in braces and brackets, where they begin a key or a value to kubectl. */
const text = fc.string().map((any) => any.replace(/[?:]/g, '.'))
const leaf = fc.oneof(word, fc.integer({ min: -1000, max: 1000 }), fc.boolean(), fc.constant(null), text)
const data = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, tie('list'), tie('map')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  map: fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/), tie('value'), { maxKeys: 4 }),
})).value

test('for any data: the value at a path is the data’s, and its region is the text of that very scalar', () => {
  fc.assert(
    fc.property(
      data,
      fc.constantFrom('block', 'flow', 'json'),
      fc.boolean(),
      fc.boolean(),
      (value, style, crlf, second) => {
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, value }
        const plain =
          style === 'json'
            ? JSON.stringify(object, null, 2)
            : stringify(object, {
                version: '1.1',
                lineWidth: 0,
                collectionStyle: style === 'flow' ? 'flow' : 'block',
                aliasDuplicateObjects: false,
              })
        // A first document, so that regions do not start where offsets do.
        const text = (second && style !== 'json' ? `# first\na: b\n---\n${plain}` : plain).replaceAll(
          '\n',
          crlf && style !== 'block' ? '\r\n' : '\n',
        )
        const { root } = manifestIn(text)
        expect(root.value).toEqual(object)
        const lineCount = text.split('\n').length
        for (const path of scalarPaths(object)) {
          const cursor = root.at(...path)
          const { region } = cursor
          expect(region.startLine).toBeGreaterThanOrEqual(1)
          expect(region.endLine).toBeLessThanOrEqual(lineCount)
          const written = cut(text, region)
          if (cursor.value === null && written !== 'null') continue
          // A block scalar cannot be read again without its indentation; its mark is where it starts.
          if (/^[|>]/.test(written)) continue
          const again = parseDocument(`k: ${written.replace(/\n/g, '\n  ')}`, { version: '1.1', logLevel: 'silent' })
          expect([path, again.toJS().k]).toEqual([path, cursor.value])
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('for any data: a walk by entries and items meets every scalar once', () => {
  fc.assert(
    fc.property(data, (value) => {
      const { root } = manifestIn(
        stringify(
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, value },
          { version: '1.1', lineWidth: 0 },
        ),
      )
      const met: (string | number)[][] = []
      const walk = (cursor: typeof root): void => {
        const children = cursor.isMap ? [...cursor.entries()].map(([, child]) => child) : [...cursor.items()]
        if (children.length === 0 && !cursor.isMap && !Array.isArray(cursor.value)) met.push([...cursor.path])
        children.forEach(walk)
      }
      walk(root.at('value'))
      expect(met).toEqual(scalarPaths(value).map((path) => ['value', ...path]))
    }),
    { numRuns: 100 },
  )
})
