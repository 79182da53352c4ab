import { GuardError } from '../errors'
import type { Options } from '../host/options'
import { coverageReport } from '../report/coverage'
import { coverageJson } from '../report/coverage-json'
import type { Paint } from '../report/terminal'
import type { Io } from './io'

export type CoverageFlags = Pick<Options, 'repo' | 'head' | 'config' | 'helm' | 'kustomize' | 'timeout'> & {
  readonly format: 'terminal' | 'json'
}

/**
 * Finds out how much of a repository is seen, without running a rule.
 *
 * @returns the text to print
 * @throws GuardError when the repository cannot be read in time
 */
export async function coverage({ format, ...options }: CoverageFlags, io: Io, paint: Paint): Promise<string> {
  const run = io.run ?? (await import('../host/run')).run
  const { inspected, unfinished } = await run(
    { ...options, policies: [], all: true, coverage: true },
    { root: io.root },
  )
  if (!inspected.coverage) {
    const { minutes, doing } = unfinished ?? { minutes: 0, doing: 'reading the repository' }
    throw new GuardError(
      'source',
      `The time limit of the run (${minutes} min) was reached while ${doing}. Raise --timeout.`,
    )
  }
  return format === 'json'
    ? `${JSON.stringify(coverageJson(inspected.coverage), null, 2)}\n`
    : coverageReport(inspected.coverage, inspected.head.revision, paint)
}
