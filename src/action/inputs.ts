import path from 'node:path'
import type * as core from '@actions/core'
import { GuardError } from '../errors'
import { failOnLevels, minutesIn, type Options } from '../host/options'
import { commentModes } from './comment'
import { annotationModes, type Delivery } from './deliver'

/** The Action's inputs: the options of a run, where the checkout is, and how the report is delivered. */
export interface Inputs {
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
  }
  const delivery: Delivery = {
    annotations: oneOf('annotations', annotationModes) ?? 'auto',
    comment: oneOf('comment', commentModes) ?? 'never',
    suggestions,
    checkName: input('check-name') ?? 'ingress-guard findings',
    token: input('token'),
  }
  return { options, delivery, sarifFile: input('sarif-file') }
}
