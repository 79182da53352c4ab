import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { collect } from './regular-expressions/collect'
import { judge } from './regular-expressions/judge'

interface Judged {
  /** recheck proves that they take linear time; `npm run test:long` has it do so again. */
  readonly linear: readonly string[]
  /** The problems that recheck finds or cannot decide, and why each is harmless where it is used. */
  readonly exceptions: Readonly<Record<string, string>>
  /**
   * The places that make a regular expression from a text: from our own facts and patterns, never from a file's
   * content.
   */
  readonly made: readonly string[]
}

const { literals, made } = collect(fileURLToPath(new URL('../src', import.meta.url)))
const judged: Judged = JSON.parse(readFileSync(new URL('./regular-expressions/judged.json', import.meta.url), 'utf8'))

describe('regular expressions of the sources', () => {
  const written = new Set(literals.map(({ source, flags }) => `/${source}/${flags}`))
  const known = new Set([...judged.linear, ...Object.keys(judged.exceptions)])

  test('each was judged', () => {
    expect(written.size).toBeGreaterThan(200)
    const unjudged = literals.filter(({ source, flags }) => !known.has(`/${source}/${flags}`))
    expect(unjudged.map(({ at, source, flags }) => `${at} /${source}/${flags}`)).toEqual([])
  })

  test('none was judged that is written no more', () => {
    expect([...known].filter((one) => !written.has(one))).toEqual([])
  })

  test('each exception has its reason', () => {
    expect(Object.entries(judged.exceptions).filter(([, reason]) => !/^[A-Z].*\.$/.test(reason))).toEqual([])
    expect(judged.linear.filter((one) => one in judged.exceptions)).toEqual([])
  })

  test('those that are made of a text are known', () => {
    expect([...made].sort()).toEqual(judged.made)
  })
})

describe('recheck', () => {
  test.each<[string, string, string, ReturnType<typeof judge>]>([
    ['one class, anchored', '^\\s+$', '', 'linear'],
    ['an alternative in a loop', '^(?:a|a)+$', '', 'super-linear'],
    ['two loops of one class', '^a*a*$', '', 'super-linear'],
    ['a search that fails again from each place', '\\s+$', '', 'super-linear'],
    ['a search for what is not there', '[^x]*y', 'g', 'super-linear'],
  ])('judges %s', (_, source, flags, expected) => {
    expect(judge(source, flags)).toBe(expected)
  })
})
