import { expect, test } from '@jest/globals'
import { Markers } from '../../src/locate/markers'
import { markedLines } from './marked-lines'

markedLines('helm')

test('marks come after the indent, of spaces or tabs, or after the start of a document, and not on empty lines', () => {
  expect(new Markers('n').into('a:\n  b\n\tc\n\n  \n---\n--- # d')).toBe(
    '\u0002n:1\u0003a:\n  \u0002n:2\u0003b\n\t\u0002n:3\u0003c\n\n  \n---\n--- \u0002n:7\u0003# d',
  )
})

test('a mark of another nonce is text', () => {
  expect(new Markers('n').outOf('\u0002n:4\u0003a \u0002m:9\u0003\nb')).toEqual({
    text: 'a \u0002m:9\u0003\nb',
    origins: [4, 4],
  })
})
