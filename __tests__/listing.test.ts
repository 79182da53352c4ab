import { describe, expect, test } from '@jest/globals'
import { abridged, enumerated, shortened } from '../src/listing'

const names = ['a', 'b', 'c', 'd', 'e', 'f']

describe('names in messages', () => {
  test.each([
    [0, ''],
    [1, 'a'],
    [3, 'a, b, c'],
    [4, 'a, b, c and 1 more'],
    [6, 'a, b, c and 3 more'],
  ])('%i names abridged to three', (count, expected) => {
    expect(abridged(names.slice(0, count))).toBe(expected)
  })

  test('abridged with another number and another separator', () => {
    expect(abridged(names, 2, '; ')).toBe('a; b and 4 more')
    expect(abridged(names, 6, '; ')).toBe('a; b; c; d; e; f')
  })

  test.each([
    [0, ''],
    [1, 'a'],
    [2, 'a and b'],
    [3, 'a, b and c'],
    [4, 'a, b and 2 more'],
    [6, 'a, b and 4 more'],
  ])('%i names enumerated in three parts at most', (count, expected) => {
    expect(enumerated(names.slice(0, count), 3)).toBe(expected)
  })

  test('all names are enumerated where no limit is given', () => {
    expect(enumerated(names)).toBe('a, b, c, d, e and f')
  })

  test('shortened to a list whose last item counts the rest', () => {
    expect(shortened(names, 6)).toEqual(names)
    expect(shortened(names, 4)).toEqual(['a', 'b', 'c', 'd', '2 more'])
  })
})
