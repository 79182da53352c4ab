import path from 'node:path'
import type * as core from '@actions/core'
import { GuardError } from '../errors'
import { failOnLevels, minutesIn, type Options } from '../host/options'
import { commentModes } from './comment'
import { annotationModes, type Delivery } from './deliver'

/** What the Action does: it checks, lists the clusters, or merges the reports of several runs. */
export const commands = ['check', 'clusters', 'merge'] as const

/** The Action's inputs: the options of a run, where the checkout is, and how the report is delivered. */
export interface Inputs {
  readonly command: (typeof commands)[number]
  /** The reports to merge. */
  readonly reports: readonly string[]
  readonly options: Options
  readonly delivery: Delivery
  /** The SARIF file, from the workspace. */
  readonly sarifFile: string | undefined
}

/**
 * Reads the inputs.
 *
 * @param workspace the folder that `working-directory` starts from
 * @throws GuardError `usage`, naming the input
 */
export function readInputs({ getInput }: Pick<typeof core, 'getInput'>, workspace: string): Inputs {
  const input = (name: string) => getInput(name) || undefined
  const folder = input('working-directory')
  const oneOf = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const given = input(name)
    const value = values.find((candidate) => candidate === given)
    if (given === undefined || value) return value
    const words = values.length === 2 ? values.join(' or ') : `one of ${values.join(', ')}`
    throw new GuardError('usage', `The input ${name} must be ${words}, not ${JSON.stringify(given)}.`)
  }
  const timeout = input('timeout')
  const suggestions = oneOf('suggestions', ['true', 'false']) === 'true'
  const lines = (name: string) =>
    (input(name) ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  const command = oneOf('command', commands) ?? 'check'
  const clusters = lines('cluster')
  const isPart = clusters.length > 0
  if (isPart && command !== 'check')
    throw new GuardError('usage', `The input cluster is for the command check, not for ${command}. Remove one of them.`)
  if (suggestions && (isPart || command !== 'check'))
    throw new GuardError(
      'usage',
      'The input suggestions needs one run that judges all clusters: fixes edit files that several may share. Remove it.',
    )
  const options: Options = {
    repo: path.resolve(workspace, folder ?? '.'),
    base: input('base'),
    head: input('head'),
    config: input('config'),
    policies: (input('policies') ?? '').split(/[\s,]+/).filter(Boolean),
    all: oneOf('all', ['true', 'false']) === 'true',
    fixes: suggestions,
    failOn: oneOf('fail-on', failOnLevels),
    helm: input('helm'),
    kustomize: input('kustomize'),
    offline: oneOf('offline', ['true', 'false']) === 'true',
    cache: input('cache'),
    today: input('today'),
    timeout: timeout === undefined ? undefined : minutesIn(timeout, 'The input timeout'),
    ...(isPart ? { clusters } : {}),
    ...(command === 'clusters' ? { listClusters: true } : {}),
  }
  const delivery: Delivery = {
    // The job that merges the reports delivers the whole one.
    annotations: isPart ? 'none' : (oneOf('annotations', annotationModes) ?? 'auto'),
    comment: isPart ? 'never' : (oneOf('comment', commentModes) ?? 'never'),
    suggestions,
    checkName: input('check-name') ?? 'ingress-guard findings',
    token: input('token'),
  }
  return {
    command,
    reports: lines('reports').map((file) => path.resolve(workspace, file)),
    options,
    delivery,
    sarifFile: input('sarif-file'),
  }
}
