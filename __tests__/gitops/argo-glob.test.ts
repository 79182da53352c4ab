import { expect, test } from '@jest/globals'
import { matchesArgoGlob } from '../../src/gitops/argo-glob'

// As gobwas/glob v0.2.3 decides without separators.
test.each<[glob: string, file: string, matches: boolean]>([
  ['*.yaml', 'a/b/c.yaml', true],
  ['*.yaml', 'a.yml', false],
  ['**/a.yaml', 'x/y/a.yaml', true],
  ['**/a.yaml', 'a.yaml', false],
  ['test*', 'test/a/b.yaml', true],
  ['a?b', 'a/b', true],
  ['a?b', 'ab', false],
  ['{a,b*}.yaml', 'b/c.yaml', true],
  ['{a,{c,d}}.yaml', 'd.yaml', true],
  ['{a,b', 'b', true],
  ['a,b', 'a,b', true],
  ['a}', 'a}', true],
  ['[abc].yaml', 'b.yaml', true],
  ['[!abc].yaml', 'b.yaml', false],
  ['[!abc].yaml', 'd.yaml', true],
  ['[a-c].yaml', 'b.yaml', true],
  ['[!a-c].yaml', 'd.yaml', true],
  ['[^a].yaml', '^.yaml', true],
  ['[c-a].yaml', 'b.yaml', false],
  ['[', '[', false],
  ['[]', ']', false],
  ['a[bc', 'ab', false],
  ['\\*.yaml', '*.yaml', true],
  ['\\*.yaml', 'a.yaml', false],
  ['.hidden*', '.hidden.yaml', true],
  ['*', '.hidden.yaml', true],
  ['', 'a', false],
  ['+(a).yaml', 'a.yaml', false],
])('%s and %s', (glob, file, matches) => {
  expect(matchesArgoGlob(glob, file)).toBe(matches)
})

test('work grows with the text, not with the ways to split it', () => {
  expect(matchesArgoGlob(`${'*a'.repeat(60)}b`, 'a'.repeat(400))).toBe(false)
})

// As gobwas/glob v0.2.3 decides with the separator of `sourceRepos`.
test.each<[glob: string, text: string, matches: boolean]>([
  ['https://example.org/*', 'https://example.org/infra', true],
  ['https://example.org/*', 'https://example.org/team/infra', false],
  ['https://example.org/**', 'https://example.org/team/infra', true],
  ['https://example.org/*/infra', 'https://example.org/team/infra', true],
  ['https://example.org/?', 'https://example.org/a', true],
  ['a?b', 'a/b', false],
  ['*', 'a/b', false],
  ['**', 'a/b', true],
])('%s and %s, with slashes as separators', (glob, text, matches) => {
  expect(matchesArgoGlob(glob, text, '/')).toBe(matches)
})
