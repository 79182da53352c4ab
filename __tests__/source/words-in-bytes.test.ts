import { expect, test } from '@jest/globals'
import { decodeFile } from '../../src/manifest/load'
import { mentionsOneOf } from '../../src/manifest/mentions'
import { WordsInBytes } from '../../src/revision/words-in-bytes'

/** Contents one after another in the same memory, as Git prints them. */
function printed(contents: readonly Buffer[], between = ''): Buffer[] {
  const memory = new Uint8Array(Buffer.concat(contents.flatMap((one) => [one, Buffer.from(between)])))
  let at = 0
  return contents.map(({ length }) => {
    const content = Buffer.from(memory.buffer, at, length)
    at += length + between.length
    return content
  })
}

function searchOf(contents: readonly Buffer[]): WordsInBytes {
  const search = new WordsInBytes()
  for (const content of contents) search.add(content)
  return search
}

const samples = [
  Buffer.from('apiVersion: argoproj.io/v1alpha1\nkind: Application\n'),
  Buffer.from('apiVersion: "argoproj.io\\x2fv1alpha1"\n'),
  Buffer.from('apiVersion: !!binary YXJnb3Byb2ouaW8vdjFhbHBoYTE=\n'),
  Buffer.from('%TAG ! tag:yaml.org,2002:\n---\na: !b\n'),
  Buffer.from(''),
  Buffer.from('argo'),
  Buffer.from('proj.io'),
  Buffer.from('\ufeffkind: Ingress # größer\n'),
  Buffer.from('\ufeffkind: argoproj.io\n', 'utf16le'),
  Buffer.from('\ufeffkind: argoproj.io\n', 'utf16le').swap16(),
  Buffer.concat([Buffer.from('kind: \xff', 'latin1'), Buffer.from('argoproj.io größer')]),
  Buffer.from('kind: Service\nname: größer\n'),
]
const words = ['argoproj.io', 'größer', 'kind', '', '\ufffd', 'Ingress', 'nowhere', 'argo', '/v1', '\ud800']

test.each([
  ['in one memory', printed(samples)],
  ['with headers between', printed(samples, '\nargoproj.io kind\n')],
  ['each in its own', samples.map((one) => Buffer.from(new Uint8Array(one).buffer))],
])('no word is ruled out that a text mentions, with contents %s', (_, contents) => {
  const search = searchOf(contents)
  for (const content of contents) {
    for (const word of words) {
      const isMentioned = mentionsOneOf(decodeFile(content).text, [word])
      expect([word, String(content), isMentioned && search.hasNone(content, [word])]).toEqual([
        word,
        String(content),
        false,
      ])
    }
  }
})

test('a word is ruled out in contents that do not have it, also where it is between two', () => {
  const [first, second, third] = printed([
    Buffer.from('a: argo'),
    Buffer.from('proj.io'),
    Buffer.from('b: argoproj.io'),
  ])
  const search = searchOf([third, first, second].flatMap((one) => one ?? []))
  const found = [first, second, third].map((one) => search.hasNone(one ?? Buffer.alloc(0), ['argoproj.io', 'x']))
  expect(found).toEqual([true, true, false])
})

test('thousands of contents are searched at once for each word', () => {
  const contents = printed(Array.from({ length: 5000 }, (_, index) => Buffer.from(`kind: Service\nname: n${index}\n`)))
  const search = searchOf(contents)
  for (const content of contents) expect(search.hasNone(content, ['argoproj.io', 'toolkit.fluxcd.io'])).toBe(true)
  // Two marks of other spellings, and two words.
  expect(search.searches).toBe(4)
})
