import type { Report } from '../finding/report'
import { notInTime } from '../host/not-in-time'
import type { Options } from '../host/options'
import type { Coverage } from '../ledger/coverage'
import { coverageReport } from '../report/coverage'
import { coverageJson } from '../report/coverage-json'
import type { Paint } from '../report/terminal'
import type { Io } from './io'

/** The options of `coverage`. */
export type CoverageFlags = Pick<Options, 'repo' | 'head' | 'config' | 'helm' | 'kustomize' | 'timeout'> & {
  readonly format: 'terminal' | 'json'
}

/**
 * Shows how much of a repository is seen.
 *
 * @returns the text to print
 * @throws GuardError when the repository cannot be read in time
 */
export async function coverage({ format, ...options }: CoverageFlags, io: Io, paint: Paint): Promise<string> {
  const { inspected, coverage } = await coverageOf(options, io)
  return format === 'json'
    ? `${JSON.stringify(coverageJson(coverage), null, 2)}\n`
    : coverageReport(coverage, inspected.head.revision, paint)
}

/** Finds out how much of a repository is seen, without running a rule. */
export async function coverageOf(
  options: Omit<CoverageFlags, 'format'>,
  io: Io,
): Promise<{ inspected: Report['inspected']; coverage: Coverage }> {
  const run = io.run ?? (await import('../host/run')).run
  const { inspected, unfinished } = await run(
    { ...options, policies: [], all: true, coverage: true },
    { root: io.root },
  )
  if (inspected.coverage) return { inspected, coverage: inspected.coverage }
  throw notInTime({ unfinished }, '--timeout')
}
