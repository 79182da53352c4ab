import { GuardError } from '../../src/errors'
import { decodeFile } from '../../src/manifest/load'
import type { Answer } from './decoder'
import { describes, judgeChange, readSources } from './gate'
import { type Difference, differencesIn } from './judge'
import type { Mutated } from './mutate'

/** An error in the gate's reading of an input. */
export interface Fault {
  readonly cause: Difference['cause'] | 'crash'
  readonly detail: string
}

/** Does with an input all that the gate does; the change that it makes is judged whole for some. */
export async function attempt(input: Mutated, answer?: Answer): Promise<Fault[]> {
  try {
    const found = differencesIn(input.bytes, answer)
    const { text } = decodeFile(input.bytes)
    if (describes(input.origin)) await readSources(input.origin, text)
    if (input.index % (describes(input.origin) ? 20 : 50) === 0) await judgeChange(input.origin, input.before, text)
    return found
  } catch (error) {
    if (error instanceof GuardError) return []
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return [{ cause: 'crash', detail: stack.split('\n').slice(0, 4).join(' ') }]
  }
}
