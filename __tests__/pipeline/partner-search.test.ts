import { expect, test } from '@jest/globals'
import type { MayHold } from '../../src/pipeline/partners/may-hold'
import { PartnerSearch } from '../../src/pipeline/partners/partner-search'

test('a source with the same files is looked through once, one without a key each time', async () => {
  const search = new PartnerSearch()
  let looked = 0
  const find = async (): Promise<MayHold> => {
    looked++
    return ({ strings }) => strings.includes('web')
  }
  const wanted = { kinds: [], strings: ['web'] }
  for (const key of ['one', 'one', 'two', undefined, undefined])
    expect((await search.mayHold(key, find))(wanted)).toBe(true)
  expect(looked).toBe(4)
})
