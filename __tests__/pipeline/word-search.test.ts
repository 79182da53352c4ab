import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { holdsBinary, refersTo, spelledOut } from '../../src/manifest/mentions'
import { WordSearch } from '../../src/pipeline/partners/word-search'

function refersIn(text: string, word: string): boolean {
  return holdsBinary(text) || refersTo(text, word) || refersTo(spelledOut(text), word)
}

describe('a search for many words in many texts', () => {
  test.each<[text: string, words: string[], found: boolean]>([
    ['kind: Ingress', ['Service', 'Ingress'], true],
    ['kind: Ingress', ['Service', 'ingress'], false],
    ['kind: Ingress', ['s'], false],
    ['kind: Ingress', ['Ingres'], true],
    ['apiVersion: v1', ['api'], false],
    ['backend: {service: {name: api}}', ['api'], true],
    ['kind: Ingress', ['sx'], false],
    ['kind: Ingress', [], false],
    ['', ['a'], false],
    ['name: "\\u0065dge"', ['edge'], true],
    ['key: !!binary aGk=', ['edge'], true],
    ['name: größe', ['größe'], true],
  ])('in %j for %j', (text, words, found) => {
    expect(new WordSearch().mentionsOneOf(text, words)).toBe(found)
  })

  test('finds what a search of each text for each word finds', () => {
    const search = new WordSearch()
    const part = fc.constantFrom('edge', 'web', '-', '.', 'a', '\\x65', '\n', '!', 'ä')
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), (within, words) => {
        expect(search.mentionsOneOf(within, words)).toBe(words.some((word) => refersIn(within, word)))
      }),
      { numRuns: 500 },
    )
  })

  test('searches few texts for words that they do not contain', () => {
    const search = new WordSearch()
    const texts = Array.from({ length: 50 }, (_, index) => `kind: ConfigMap\nmetadata: {name: settings-of-${index}}\n`)
    const words = Array.from({ length: 1000 }, (_, index) => `certificate-${index}.example.com`)
    for (const text of texts) expect(search.mentionsOneOf(text, words)).toBe(false)
    // Of 50,000 pairs.
    expect(search.searches).toBeLessThan(500)
  })
})
