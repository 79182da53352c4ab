import { GuardError } from '../errors'
import type { FailOn } from '../policy/schema'

/** The texts of the options of a run, for the help. */
export const optionTexts = {
  repo: 'The folder of the repository.',
  base: 'The revision or folder to compare with; default: the default branch. For a revision, its merge base with the head is used. A name that is both means the revision; ./x always means the folder.',
  head: 'The revision or folder to check; default: the working tree.',
  config:
    'The config: a path in the base revision, or an absolute path on this machine; default: .github/ingress-guard.yaml.',
  policies: 'The policies to use instead of those in the config, as NAME@RANGE.',
  all: 'Check the whole head instead of a change.',
  clusters:
    'The names or globs of the clusters to judge, in one of several jobs: `clusters` lists them, `merge` makes one report of all.',
  coverage: 'Only find out how much of the head is seen: no rule is run.',
  fixes: 'Verify the fixes of findings: the head is judged again with them.',
  helm: 'The helm to render charts with; default: helm in the PATH.',
  kustomize: 'The kustomize or kubectl to build Kustomizations with; default: the one in the PATH.',
  offline: 'Fetch nothing: releases of charts that are not in the repository are judged by their values alone.',
  cache:
    'A folder outside of the checkout that keeps fetched charts and renderings for later runs; default: only dependencies of charts that the change does not touch are kept, in ~/.cache.',
  quiet: 'In the terminal, show the findings that count and nothing else.',
  verbose: 'In the terminal, show also older and resolved findings, all that was not inspected, and each changed file.',
  timings: 'Measure what the time of the run is spent on.',
  today: 'The date for the expiry of exceptions and certificates, YYYY-MM-DD; default: today in UTC.',
  timeout:
    'The time limit of the run in minutes (0.5 for half a minute); default: 10. A run that does not finish in time fails.',
}

/** The options of a run, from the command line or the Action's inputs. */
export interface Options {
  readonly repo: string
  readonly base?: string
  readonly head?: string
  readonly config?: string
  readonly policies: readonly string[]
  readonly all: boolean
  readonly coverage?: boolean
  readonly clusters?: readonly string[]
  readonly listClusters?: boolean
  readonly fixes?: boolean
  readonly timings?: boolean
  readonly failOn?: FailOn
  readonly helm?: string
  readonly kustomize?: string
  readonly offline?: boolean
  readonly cache?: string
  readonly today?: string
  readonly timeout?: number
}

/** The minutes that a run may take. */
export const defaultTimeout = 10

/**
 * Reads a number of minutes.
 *
 * @throws GuardError `usage`, with the name of the option or input
 */
export function minutesIn(text: string, name: string): number {
  const minutes = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0
  if (minutes > 0) return minutes
  throw new GuardError('usage', `${name} must be a number of minutes above 0, not ${JSON.stringify(text)}.`)
}

/** The levels `fail-on` takes. */
export const failOnLevels: readonly FailOn[] = ['error', 'warning', 'notice', 'never']
