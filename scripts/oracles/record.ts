// npm run oracles:record: writes what kubectl's decoder answers to the inputs that `npm test` reads.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  answersFile,
  differencesFile,
  differencesOnRecord,
  hashOf,
  recordedCount,
  recordedSeed,
} from '../../__tests__/mutation/answers'
import { Decoder } from '../../__tests__/mutation/decoder'
import { identitiesIn } from '../../__tests__/mutation/judge'
import { mutated } from '../../__tests__/mutation/mutate'

const { values } = parseArgs({ options: { decoder: { type: 'string' } } })
if (!values.decoder) throw new Error('name the binary of scripts/oracles/decoder with --decoder')
const decoder = new Decoder(values.decoder)

const inputs = Array.from({ length: recordedCount }, (_, index) => mutated(recordedSeed, index))
const answers = await decoder.read(inputs.map(({ bytes }) => bytes))
const lines = inputs.map((input, at) => JSON.stringify([hashOf(input), identitiesIn(answers[at])]))
writeFileSync(answersFile, `${[...new Set(lines)].join('\n')}\n`)

const differences = differencesOnRecord()
const again = await decoder.read(differences.map(({ input }) => Buffer.from(input)))
const asked = differences.map(({ name, input }, at) => ({ name, input, answer: { objects: again[at]?.objects ?? [] } }))
writeFileSync(differencesFile, `${JSON.stringify(asked, null, 2)}\n`)
decoder.end()
