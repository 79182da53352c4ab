import { expect, test } from '@jest/globals'
import { LaidOver } from '../../src/revision/laid-over'

test('a map that is laid over another one reads as a copy with the new entries', () => {
  const below = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ])
  const above = new Map([
    ['d', 4],
    ['b', 20],
  ])
  const copy = new Map([...below, ...above])
  const laid = new LaidOver(below, above)
  expect([...laid]).toEqual([...copy])
  expect([...laid.keys()]).toEqual([...copy.keys()])
  expect([...laid.values()]).toEqual([...copy.values()])
  expect(laid.size).toBe(copy.size)
  expect(['a', 'b', 'd', 'e'].map((key) => [laid.has(key), laid.get(key)])).toEqual([
    [true, 1],
    [true, 20],
    [true, 4],
    [false, undefined],
  ])
  const seen: unknown[] = []
  laid.forEach((value, key) => {
    seen.push([key, value])
  })
  expect(seen).toEqual([...copy])
})
