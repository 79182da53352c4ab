import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { holdsBinary, refersTo, spelledOut } from '../../src/manifest/mentions'
import { WordIndex } from '../../src/pipeline/partners/word-index'

function refersIn(text: string, word: string): boolean {
  return holdsBinary(text) || refersTo(text, word) || refersTo(spelledOut(text), word)
}

describe('an index of many words', () => {
  test.each<[text: string, words: string[], found: string[]]>([
    ['kind: Ingress', ['Service', 'Ingress'], ['Ingress']],
    ['kind: Ingress', ['ingress', 'gress', 's', 'Ingres'], ['Ingres']],
    ['apiVersion: v1, name: api', ['api', 'v', 'v1'], ['api', 'v1']],
    ['metadata: {labels: {app: web-ui}}', ['metadata', 'labels', 'app', 'ui', 'web'], ['ui', 'web']],
    ['{"metadata":{"name":"metadata"}}', ['metadata', 'name'], ['metadata']],
    ['"tcp: |\\nweb/api:80"', ['web', 'api'], ['web', 'api']],
    ['kind: Ingress', ['Ingress of another'], []],
    ['kind: Ingress', ['', 'sx'], ['']],
    ['aaaa-b', ['aaa-b', 'aaaaa-'], ['aaa-b']],
    ['name: "\\u0065dge-of"', ['edge-of'], ['edge-of']],
    ['key: !!binary aGk=', ['edge-of', 'b'], ['edge-of', 'b']],
    ['name: größe', ['größe'], ['größe']],
  ])('finds in %j of %j', (text, words, found) => {
    expect([...new WordIndex(words).in(text)]).toEqual(found)
  })

  test('finds what a search for each word finds', () => {
    const part = fc.constantFrom('edge', 'web', '-', '.', 'a', '\\x65', '\n', '!', 'ä')
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.array(text, { maxLength: 4 }), (words, texts) => {
        const index = new WordIndex(words)
        for (const within of texts)
          expect([...index.in(within)].sort()).toEqual(
            [...new Set(words.filter((one) => refersIn(within, one)))].sort(),
          )
      }),
      { numRuns: 500 },
    )
  })

  test('compares texts with the words alone that they may contain', () => {
    const index = new WordIndex(Array.from({ length: 1000 }, (_, each) => `certificate-${each}.example.com`))
    for (let each = 0; each < 50; each++)
      expect([...index.in(`host: certificate-${each * 20 + 1}.example.com`)]).toContain(
        `certificate-${each * 20 + 1}.example.com`,
      )
    // Of 50,000 pairs.
    expect(index.comparisons).toBeLessThan(5000)
  })
})
