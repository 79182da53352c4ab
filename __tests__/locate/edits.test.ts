import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { EditedFile, lineOfEdit, linesOf } from '../../src/locate/edits'

/** `3>3 -b +c`: the line at the base, the line at the head, the removed text, the added text. */
function shown({ edits }: EditedFile): string[] {
  return edits.map(({ before, after, beforeLine, afterLine }) =>
    [`${beforeLine}>${afterLine}`, ...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)].join(' '),
  )
}

/** The texts that each edit taken back alone leaves. */
function each(file: EditedFile): string[] {
  return file.edits.map((edit) => file.without(new Set([edit])))
}

describe('the edits of a file', () => {
  test.each<[what: string, before: string | undefined, after: string | undefined, edits: string[], without: string[]]>([
    ['a line written', 'a\nc\n', 'a\nb\nc\n', ['2>2 +b'], ['a\nc\n']],
    ['lines written at the end', 'a\n', 'a\nb\nc\n', ['2>2 +b +c'], ['a\n']],
    ['a line written at the start', 'b\n', 'a\nb\n', ['1>1 +a'], ['b\n']],
    ['a line taken away', 'a\nb\nc\n', 'a\nc\n', ['2>2 -b'], ['a\nb\nc\n']],
    ['the last line taken away', 'a\nb\n', 'a\n', ['2>2 -b'], ['a\nb\n']],
    ['a line replaced', 'a\nb\nc\n', 'a\nx\nc\n', ['2>2 -b +x'], ['a\nb\nc\n']],
    [
      'lines replaced by as many',
      'a\nb\nc\nd\n',
      'a\nx\ny\nd\n',
      ['2>2 -b +x', '3>3 -c +y'],
      ['a\nb\ny\nd\n', 'a\nx\nc\nd\n'],
    ],
    [
      'a line replaced by more',
      'a\nb\nc\n',
      'a\nx\ny\nz\nc\n',
      ['2>2 -b +x', '3>3 +y +z'],
      ['a\nb\ny\nz\nc\n', 'a\nx\nc\n'],
    ],
    [
      'lines replaced by fewer',
      'a\nb\nc\nd\ne\n',
      'a\nx\ne\n',
      ['2>2 -b +x', '3>3 -c -d'],
      ['a\nb\ne\n', 'a\nx\nc\nd\ne\n'],
    ],
    [
      'a line taken away before one that was changed',
      'a\nhosts: x\nport: 80\nd\n',
      'a\nport: 81\nd\n',
      ['2>2 -hosts: x', '3>2 -port: 80 +port: 81'],
      ['a\nhosts: x\nport: 81\nd\n', 'a\nport: 80\nd\n'],
    ],
    [
      'lines written around one that was changed',
      'port: 80\n',
      'hosts: x\nport: 81\nd\n',
      ['1>1 +hosts: x', '1>2 -port: 80 +port: 81', '2>3 +d'],
      ['port: 81\nd\n', 'hosts: x\nport: 80\nd\n', 'hosts: x\nport: 81\n'],
    ],
    [
      'edits far from each other',
      'a\nb\nc\nd\ne\n',
      'b\nc\nx\nd\n',
      ['1>1 -a', '4>3 +x', '5>5 -e'],
      ['a\nb\nc\nx\nd\n', 'b\nc\nd\n', 'b\nc\nx\nd\ne\n'],
    ],
    ['no line end at the end of either', 'a\nb', 'a\nc', ['2>2 -b +c'], ['a\nb']],
    ['only a line end at the end written, which is no edit', 'a\nb', 'a\nb\n', [], []],
    ['CRLF', 'a\r\nb\r\n', 'a\r\nc\r\n', ['2>2 -b\r +c\r'], ['a\r\nb\r\n']],
    ['a new file', undefined, 'a\nb\n', ['1>1 +a +b'], ['']],
    ['a deleted file', 'a\nb\n', undefined, ['1>1 -a -b'], ['a\nb\n']],
    ['a new file without a line end', undefined, 'a\nb', ['1>1 +a +b'], ['']],
    ['a new file without lines', undefined, '', [], []],
    ['a file that is the same', 'a\n', 'a\n', [], []],
  ])('%s', (_, before, after, edits, without) => {
    const file = new EditedFile(before, after)
    expect(shown(file)).toEqual(edits)
    expect(each(file)).toEqual(without)
  })

  test('of a long new file, or one that is deleted, are all its lines', () => {
    const long = 'a\n'.repeat(3000)
    expect(new EditedFile(undefined, long).edits.map(({ after }) => after.length)).toEqual([3000])
    expect(new EditedFile(long, undefined).edits.map(({ before }) => before.length)).toEqual([3000])
  })

  test('all taken back are the base', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ' d', ''), { maxLength: 12 })
      .map((lines) => `${lines.join('\n')}\n`)
    fc.assert(
      fc.property(text, text, (before, after) => {
        const file = new EditedFile(before, after)
        expect(file.without(new Set(file.edits))).toBe(before)
        expect(file.without(new Set())).toBe(after)
      }),
    )
  })
})

describe('the lines of an edit', () => {
  test('are those it wrote, and each can be taken back alone', () => {
    const file = new EditedFile('a\n', 'a\nb\nc\n')
    const [edit] = file.edits
    expect(edit && linesOf(edit).map((line) => [line.afterLine, file.without(new Set([line]))])).toEqual([
      [2, 'a\nc\n'],
      [3, 'a\nb\n'],
    ])
  })

  test('are each of those it took away, and itself, where it wrote one', () => {
    const edits = new EditedFile('a\nb\nc\nd\n', 'a\nd\ne\n').edits
    expect(shown({ edits } as EditedFile)).toEqual(['2>2 -b -c', '5>3 +e'])
    expect(shown({ edits: edits.flatMap(linesOf) } as unknown as EditedFile)).toEqual(['2>2 -b', '3>2 -c', '5>3 +e'])
  })
})

test.each([
  ['at the line that names its host', ['a.example.com'], 4],
  ['at the first line with content', ['nginx'], 3],
  ['where no line names it', ['b.example.com', 'hosts'], 3],
])('a finding on lines that were written together is %s', (_, keys, line) => {
  const text = '# An app.\nkind: App\nhosts: [a.example.com]\nclass: nginx\n'
  const [edit] = new EditedFile('', `---\n${text}`).edits
  expect(edit && lineOfEdit(edit, keys)).toBe(line)
})
