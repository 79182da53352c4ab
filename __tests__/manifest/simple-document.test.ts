import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { splitDocuments } from '../../src/manifest/documents'
import { Refusal } from '../../src/manifest/kubectl-yaml/characters'
import { parseFirst } from '../../src/manifest/kubectl-yaml/parser'
import { parseSimple } from '../../src/manifest/kubectl-yaml/simple-document'

const folder = path.resolve('__tests__/fixtures/ingress-tls')
const documents = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => splitDocuments(readFileSync(path.join(folder, file), 'utf8')))
  .map(({ text }) => `${text.replace(/^---[^\n]*\n?/, '')}\n`)

function simple(text: string) {
  return parseSimple(text, 0, new Map())
}

function whole(text: string) {
  try {
    return parseFirst(text, 0, false)
  } catch (error) {
    if (error instanceof Refusal) return error.reason
    throw error
  }
}

test('most manifests are read in the simple form, with the nodes and places of the whole parser', () => {
  const read = documents.filter((text) => simple(text) !== undefined)
  expect(read.length).toBeGreaterThan(documents.length * 0.8)
  for (const text of read) expect(simple(text)).toStrictEqual(whole(text))
})

const pieces =
  ' |  |- |: | #|"|\'|\\|[|]|{|}|, |>-|&a |*a|!x |? |\n|---\n|...\n|\t|%|é|😀|~|on|0x1|\n  |\n- a\n|k: v\n|<<: '
const piece = fc.constantFrom('|', ...pieces.split('|'))

test('a manifest that was edited in any way has the nodes of the whole parser, or is left to it', () => {
  const edit = fc.record({ at: fc.nat(2000), without: fc.nat(4), piece })
  fc.assert(
    fc.property(fc.constantFrom(...documents), fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) => {
      const edited = edits.reduce((now, one) => {
        const at = one.at % now.length
        return `${now.slice(0, at)}${one.piece}${now.slice(at + one.without)}`
      }, text)
      const read = simple(`${edited}\n`)
      if (read) expect(read).toStrictEqual(whole(`${edited}\n`))
    }),
    { numRuns: 3000 },
  )
})

describe('read in the simple form', () => {
  test.each([
    ['a list in the column of its key', 'a:\n- b\n-\n- c: 1\n  d: |\n    x\n\n    y\n  e:\nf: g # h\n'],
    ['words that are no text', 'on: yes\n0x10: 1_000\n~x: 1\n'.replace('~x', 'x')],
    ['brackets and quotes', 'a: [b, "c, d", {e: 1, f: []}]\nb: {}\nc: \'it is "d"\' # e\n'],
    ['a text with marks within words', 'a: http://b:80/c#d\nb: -x\nc: a,b [c] {d}\n'],
    ['comments and empty lines', '# a\n\na:\n  # b\n\n  b: 1\n# c\n  c: 2\n'],
    ['a map at the end of a block', 'a: >-\n  b\n   c\n# d\ne: |+\n  f\n\n'],
  ])('%s', (_, text) => {
    expect(simple(text)).toBeDefined()
    expect(simple(text)).toStrictEqual(whole(text))
  })
})

describe('left to the whole parser', () => {
  test.each([
    ['an anchor', 'a: &b c\n'],
    ['an alias', 'a: *b\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a text over two lines', 'a: b\n  c\n'],
    ['a quoted text over two lines', 'a: "b\n  c"\n'],
    ['an escape', 'a: "\\n"\n'],
    ['a doubled apostrophe', "a: 'it''s'\n"],
    ['brackets over two lines', 'a: [\n  b]\n'],
    ['a quoted key', '"a": b\n'],
    ['a colon in a text', 'a: b: c\n'],
    ['a tab', 'a:\tb\n'],
    ['a list in a list on one line', '- - a\n'],
    ['a key without a value in another column', ' a: b\nc: d\n'],
    ['an end mark', 'a: b\n...\nc: d\n'],
    ['nothing', '# a\n'],
    ['a text alone', 'a\n'],
    ['deep nesting', `${Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')}\n`],
  ])('%s', (_, text) => expect(simple(text)).toBeUndefined())
})
