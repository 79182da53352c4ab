import { notInTime } from '../host/not-in-time'
import type { Options } from '../host/options'
import { visible } from '../report/words/visible'
import type { Io } from './io'

/** The options of `clusters`. */
export type ClustersFlags = Omit<Options, 'policies'> & { readonly format: 'terminal' | 'json' }

/**
 * Lists the clusters of both sides: one name for those that are judged together.
 *
 * @returns the text to print: a name on each line, or one line of JSON for the matrix of a workflow
 * @throws GuardError when the repository cannot be read in time
 */
export async function clusters({ format, ...options }: ClustersFlags, io: Io): Promise<string> {
  const run = io.run ?? (await import('../host/run')).run
  const report = await run({ ...options, policies: [], listClusters: true }, { root: io.root })
  if (!report.clusters) throw notInTime(report, '--timeout')
  if (format === 'json') return `${JSON.stringify(report.clusters.map(([name]) => name))}\n`
  return report.clusters.map((names) => `${visible(names.join(' and '))}\n`).join('')
}
