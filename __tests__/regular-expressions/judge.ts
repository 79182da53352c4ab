import { checkSync } from 'recheck'

/** The result of recheck for a regular expression: linear time, super-linear time, or unknown. */
export function judge(source: string, flags: string): 'linear' | 'super-linear' | 'not decided' {
  const { status } = checkSync(source, flags, {
    checker: 'automaton',
    timeout: null,
    maxNFASize: 40_000,
    maxPatternSize: 2_000,
  })
  return { safe: 'linear', vulnerable: 'super-linear', unknown: 'not decided' }[status] as ReturnType<typeof judge>
}
