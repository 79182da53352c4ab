import type { Random } from '../../../__tests__/mutation/random'

/** Questions to a program of upstream code, which the gate answers as well. */
export interface Oracle {
  /** The folder of the program. */
  readonly name: string
  /** A question, as the program reads it on a line, and the gate's answer. */
  ask(random: Random): { readonly line: string; readonly gate: string }
  /** The program's answer in the words of the gate's; undefined where the gate is not asked for that. */
  upstream(line: string): string | undefined
}

/** Some values of a list, each at most once; none at all as often as that many are left. */
export function someOf<T>(random: Random, values: readonly T[], most: number): T[] {
  return [...new Set(Array.from({ length: random.below(most + 1) }, () => random.of(values)))].filter(
    (value) => value !== undefined,
  )
}
