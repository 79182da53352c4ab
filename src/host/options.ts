import type { Static } from 'typebox'
import * as Type from 'typebox'
import { GuardError } from '../errors'
import { FailOn } from '../policy/schema'

/** The options of a run, from the command line or the Action's inputs. Defaults are here and nowhere else. */
export const Options = Type.Object({
  repo: Type.String({ default: '.', description: 'The folder of the repository.' }),
  base: Type.Optional(
    Type.String({
      description:
        'The revision or folder to compare with; default: the default branch. For a revision, its merge base with the head is used. A name that is both means the revision; ./x always means the folder.',
    }),
  ),
  head: Type.Optional(Type.String({ description: 'The revision or folder to check; default: the working tree.' })),
  config: Type.Optional(
    Type.String({
      description:
        'The config: a path in the base revision, or an absolute path on this machine; default: .github/ingress-guard.yaml.',
    }),
  ),
  policies: Type.Array(Type.String(), {
    default: [],
    description: 'The policies to use instead of those in the config, as NAME@RANGE.',
  }),
  all: Type.Boolean({ default: false, description: 'Check the whole head instead of a change.' }),
  coverage: Type.Optional(Type.Boolean({ description: 'Only find out how much of the head is seen: no rule is run.' })),
  fixes: Type.Optional(
    Type.Boolean({ description: 'Verify the fixes of findings: the head is judged again with them.' }),
  ),
  failOn: Type.Optional(FailOn),
  helm: Type.Optional(Type.String({ description: 'The helm to render charts with; default: helm in the PATH.' })),
  kustomize: Type.Optional(
    Type.String({
      description: 'The kustomize or kubectl to build Kustomizations with; default: the one in the PATH.',
    }),
  ),
  offline: Type.Optional(
    Type.Boolean({
      description: 'Fetch nothing: releases of charts that are not in the repository are judged by their values alone.',
    }),
  ),
  cache: Type.Optional(
    Type.String({
      description:
        'A folder outside of the checkout that keeps fetched charts and renderings for later runs; default: charts that others depend on are kept in ~/.cache, and others are not.',
    }),
  ),
  today: Type.Optional(
    Type.String({
      description: 'The date for the expiry of exceptions and certificates, YYYY-MM-DD; default: today in UTC.',
    }),
  ),
  timeout: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description:
        'The time limit of the run in minutes (0.5 for half a minute); default: 10. A run that does not finish in time fails.',
    }),
  ),
})
export type Options = Static<typeof Options>

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
