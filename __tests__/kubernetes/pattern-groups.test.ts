import { expect, test } from '@jest/globals'
import { groupsIn, lastGroupIn } from '../../src/kubernetes/ingress/pattern-groups'

test.each([
  ['/', 0],
  ['/(.*)', 1],
  ['/shop(/|$)(.*)', 2],
  ['/(?:v1|v2)/(.*)', 1],
  ['/(?<rest>.*)', 1],
  ['/(?P<rest>.*)', 1],
  ['/(?<=a)(?<!b)(?=c)', 0],
  ['/\\(a\\)', 0],
  ['/[(]a', 0],
  [`/${'['.repeat(100_000)}(`, 0],
])('the groups of %.40s', (pattern, groups) => {
  expect(groupsIn(pattern)).toBe(groups)
})

test.each([
  ['/', 0],
  ['/$1', 1],
  ['/$2/$1', 2],
  ['/$rest', 0],
  ['$'.repeat(1_000_000), 0],
])('the last group in %.40s', (target, group) => {
  expect(lastGroupIn(target)).toBe(group)
})
