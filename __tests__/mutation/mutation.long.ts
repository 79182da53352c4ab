import { expect, test } from '@jest/globals'
import { attempt, type Fault } from './attempt'
import { Decoder } from './decoder'
import { mutated } from './mutate'

const count = 20_000
const binary = process.env.KUBECTL_DECODER

// With the binary of scripts/oracles/decoder in KUBECTL_DECODER, the objects are compared as well.
test(`${count} mutated inputs crash nothing${binary ? ', and no object is lost' : ''}`, async () => {
  const decoder = binary ? new Decoder(binary) : undefined
  const faults: (Fault & { index: number })[] = []
  for (let index = 0; index < count; index++) {
    const input = mutated(2, index)
    const [answer] = (await decoder?.read([input.bytes])) ?? []
    for (const fault of await attempt(input, answer)) faults.push({ index, ...fault })
  }
  decoder?.end()
  expect(faults).toEqual([])
})
