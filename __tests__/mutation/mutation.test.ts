import { describe, expect, test } from '@jest/globals'
import { answersOnRecord, differencesOnRecord, hashOf, recordedCount, recordedSeed } from './answers'
import { attempt, type Fault } from './attempt'
import { differencesIn } from './judge'
import { mutated } from './mutate'

describe('inputs that were read otherwise before', () => {
  test.each(differencesOnRecord())('$name', ({ input, answer }) => {
    expect(differencesIn(Buffer.from(input), answer)).toEqual([])
  })
})

// After a change of the corpus or the mutations, `npm run oracles:record` writes new answers.
test(`of ${recordedCount} mutated inputs none crashes the gate, and no object is lost`, async () => {
  const answers = answersOnRecord()
  const faults: (Fault & { index: number })[] = []
  for (let index = 0; index < recordedCount; index++) {
    const input = mutated(recordedSeed, index)
    const answer = answers.get(hashOf(input))
    if (!answer) throw new Error(`input ${index} has no answer on record; run npm run oracles:record`)
    for (const fault of await attempt(input, answer)) faults.push({ index, ...fault })
  }
  expect(faults).toEqual([])
})
