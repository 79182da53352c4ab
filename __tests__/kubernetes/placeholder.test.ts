import { describe, expect, test } from '@jest/globals'
import { areComparable, mayBecome } from '../../src/kubernetes/ingress/placeholder'

describe('names that a tool fills in', () => {
  test.each([
    ['a.example.com', 'b.example.com', true],
    ['a.$' + '{DOMAIN}', 'b.$' + '{domain}', true],
    ['a.$' + '{DOMAIN}', 'b.$' + '{HOST}', false],
    ['a.{{ .x }}', 'a.example.com', false],
    ['$' + '{A:=$' + '{B}}.com', 'b.$' + '{B}', false],
  ])('%s and %s', (one, other, comparable) => {
    expect(areComparable(one, other)).toBe(comparable)
    expect(areComparable(other, one)).toBe(comparable)
  })

  test.each([
    ['$' + '{HOST}', 'a.example.com', true],
    ['a.$' + '{DOMAIN}', 'a.example.com', true],
    ['a.$' + '{DOMAIN}', 'b.example.com', false],
    ['{{ .x }}.example.com', 'a.example.org', false],
    ['{{ .x }}.a.{{ .y }}', 'one.a.two', true],
    ['{{ .x }}.a.{{ .y }}', 'one.b.two', false],
    // The start and the end may not overlap.
    ['aba{{ .x }}aba', 'aba', false],
    ['aba{{ .x }}aba', 'abaaba', true],
    ['a.$' + '{DOMAIN}', 'a.{{ .domain }}', true],
    ['a.$' + '{DOMAIN}', 'b.$' + '{DOMAIN}', false],
    ['a.example.com', 'A.example.com', true],
    ['$' + '{A:=$' + '{B}}.example.com', 'b.example.com', true],
  ])('whether %s may become %s', (one, other, may) => {
    expect(mayBecome(one, other)).toBe(may)
    expect(mayBecome(other, one)).toBe(may)
  })
})
