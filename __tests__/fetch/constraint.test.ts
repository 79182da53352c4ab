import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { constraintOf, satisfies, versionOf } from '../../src/fetch/connection/constraint'

/** The answers of github.com/Masterminds/semver 3.5.0: the versions in each range, or an error. */
const recorded: { versions: string[]; constraints: Record<string, string[] | null> } = JSON.parse(
  readFileSync(new URL('masterminds.json', import.meta.url), 'utf8'),
)

describe('a range takes what Flux, Argo CD and Helm take', () => {
  test.each(Object.entries(recorded.constraints))('%j', (text, expected) => {
    const constraint = constraintOf(text)
    const taken = recorded.versions.filter((version) => {
      const parsed = versionOf(version)
      return constraint && parsed && satisfies(parsed, constraint)
    })
    expect(constraint ? taken : null).toEqual(expected)
  })
})

test.each(['1.2', '1', 'v1.2', 'latest', '', '=1.2.3', ' 1.2.3', '1.2.3.4'])('%j is no version', (text) => {
  expect(versionOf(text)).toBeUndefined()
})

test('a range of endless length is none', () => {
  expect(constraintOf(`1.2.3 ${'1.2.3 '.repeat(100)}`)).toBeUndefined()
  expect(constraintOf(Array(33).fill('1').join('||'))).toBeUndefined()
  expect(constraintOf(Array(32).fill('1').join('||'))).toBeDefined()
})
