import path from 'node:path'
import type * as core from '@actions/core'
import { GuardError } from '../errors'
import { failOnLevels, type Options } from '../options'

/** The Action's inputs: the options of a run, and where the checkout is. */
export interface Inputs extends Options {
  readonly token: string | undefined
  /** Where the report is written as SARIF, from the workspace. */
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
  const failOn = failOnLevels.find((level) => level === input('fail-on'))
  if (input('fail-on') && !failOn) {
    throw new GuardError(
      'usage',
      `The input fail-on has to be one of ${failOnLevels.join(', ')}, not ${JSON.stringify(input('fail-on'))}.`,
    )
  }
  const all = input('all') ?? 'false'
  if (all !== 'true' && all !== 'false') {
    throw new GuardError('usage', `The input all has to be true or false, not ${JSON.stringify(all)}.`)
  }
  return {
    repo: path.resolve(workspace, folder ?? '.'),
    base: input('base'),
    head: input('head'),
    config: input('config'),
    policies: (input('policies') ?? '').split(/[\s,]+/).filter(Boolean),
    all: all === 'true',
    failOn,
    helm: input('helm'),
    kustomize: input('kustomize'),
    today: input('today'),
    token: input('token'),
    sarifFile: input('sarif-file'),
  }
}
