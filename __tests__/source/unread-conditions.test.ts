import { expect, test } from '@jest/globals'
import { change } from './probe'
import type { Files } from './repository'

const chartWith = (condition: string, alias = '') =>
  `apiVersion: v2\nname: edge\nversion: 1.0.0\ndependencies:\n  - name: redis-operator\n    version: 3.1.4\n    condition: ${condition}\n${alias}`
const dependency: Files = {
  'charts/edge/charts/redis-operator/Chart.yaml': 'apiVersion: v2\nname: redis-operator\nversion: 3.1.4\n',
}
const valuesOf = (text: string): Files => ({ 'charts/edge/values.yaml': text })
const file = 'charts/edge/Chart.yaml'
const right = 'redis-operator.enabled'
const base = { ...dependency, ...valuesOf('redis-operator: {enabled: false}\n'), [file]: chartWith(right) }

async function unread(head: Files, more: Files = {}): Promise<string[]> {
  const { findings } = await change({ ...base, ...more }, head)
  return findings
    .filter(({ rule }) => rule === 'source/value-unread')
    .map(
      ({ level, status, location: { path, region }, text }) => `${status} ${level} ${path}:${region.startLine} ${text}`,
    )
}

test('a condition that misspells the name of its dependency is reported', async () => {
  expect(await unread({ [file]: chartWith('rediso-perator.enabled') })).toEqual([
    'introduced warning charts/edge/Chart.yaml:5 The condition rediso-perator.enabled of the dependency redis-operator of charts/edge begins with a key that no values of this chart have, so helm ignores it, and redis-operator.enabled of these values does not switch redis-operator. Write condition: redis-operator.enabled.',
  ])
})

test.each<[string, Files, Files?]>([
  ['is right', { [file]: chartWith(right).replace('1.0.0', '1.0.1') }],
  [
    'names a key of the values',
    {
      [file]: chartWith('redisoperator.enabled'),
      ...valuesOf('redisoperator: {enabled: true}\nredis-operator: {enabled: true}\n'),
    },
  ],
  ['is for users to set', { [file]: chartWith('redisoperator.enabled'), ...valuesOf('redis-operator: {image: a}\n') }],
  ['names another key', { [file]: chartWith('cache.enabled') }],
  [
    'was so before',
    { [file]: chartWith('rediso-perator.enabled').replace('1.0.0', '1.0.1') },
    { [file]: chartWith('rediso-perator.enabled') },
  ],
])('a condition that %s is passed over', async (_, head, more = {}) => {
  expect(await unread(head, more)).toEqual([])
})
