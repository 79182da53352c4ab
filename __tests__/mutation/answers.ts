import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Answer } from './decoder'
import type { Mutated } from './mutate'

const folder = path.dirname(fileURLToPath(import.meta.url))

export const answersFile = path.join(folder, 'answers.jsonl')
export const differencesFile = path.join(folder, 'differences.json')

/** The seed whose first inputs have their answers on record. */
export const recordedSeed = 1
export const recordedCount = 2000

/** An input that was once read otherwise than kubectl reads it. */
export interface Once {
  readonly name: string
  readonly input: string
  readonly answer: Answer
}

export function differencesOnRecord(): Once[] {
  return JSON.parse(readFileSync(differencesFile, 'utf8'))
}

/** The hash of an input, so that an answer is never compared with another one. */
export function hashOf({ bytes }: Pick<Mutated, 'bytes'>): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 8)
}

/** The objects that kubectl's decoder read from the inputs of the seeded run, by the hash of the input. */
export function answersOnRecord(): Map<string, Answer> {
  const lines = readFileSync(answersFile, 'utf8').trimEnd().split('\n')
  return new Map(
    lines.map((line) => {
      const [hash, identities] = JSON.parse(line)
      return [hash, { identities }]
    }),
  )
}
