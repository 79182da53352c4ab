import { expect, test } from '@jest/globals'
import { mergeByPlace, mergeCopies } from '../../src/finding/finding'
import type { Finding } from '../../src/finding/report'
import { manyFindings } from './many'

test.each([
  ['of one place', mergeByPlace],
  ['of copies', mergeCopies],
])('findings %s become one, and each is looked at once', async (_, merge) => {
  const { findings } = await manyFindings(1)
  const [finding] = findings as [Finding]
  let written = 0
  const all = Array.from({ length: 100 }, (_, index): Finding => {
    const place = { ...finding.location, path: `elsewhere/${index}.yaml` }
    const toJSON = () => {
      written++
      return place
    }
    return { ...finding, related: [Object.assign({ toJSON }, place)], sources: [] }
  })
  const merged = merge(all)
  expect(merged.map(({ related }) => related.filter(({ path }) => path.startsWith('elsewhere/')).length)).toEqual([100])
  expect(written).toBe(100)
})
