import Type, { type Static } from 'typebox'
import { GuardError } from '../errors'
import { FailOn } from '../policy/schema'

/** The options of a run, from the command line or the Action's inputs. Defaults are here and nowhere else. */
export const Options = Type.Object({
  repo: Type.String({ default: '.', description: 'The folder of the repository.' }),
  base: Type.Optional(
    Type.String({
      description:
        'The revision or folder to compare with; default: the default branch. A revision stands for its merge base with the head. A name that is both is the revision; ./x is always the folder.',
    }),
  ),
  head: Type.Optional(Type.String({ description: 'The revision or folder to judge; default: the working tree.' })),
  config: Type.Optional(
    Type.String({
      description:
        'The config: a path in the base revision, or an absolute path of yours; default: .github/ingress-guard.yaml.',
    }),
  ),
  policies: Type.Array(Type.String(), {
    default: [],
    description: 'The policies to use instead of the config’s, as NAME@RANGE.',
  }),
  all: Type.Boolean({ default: false, description: 'Judge the head whole instead of a change.' }),
  failOn: Type.Optional(FailOn),
  helm: Type.Optional(Type.String({ description: 'The helm that renders charts; default: the one of the PATH.' })),
  kustomize: Type.Optional(
    Type.String({
      description: 'The kustomize or kubectl that builds Kustomizations; default: the one of the PATH.',
    }),
  ),
  today: Type.Optional(
    Type.String({ description: 'The day exceptions are judged by, YYYY-MM-DD; default: today in UTC.' }),
  ),
  timeout: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description:
        'The minutes that the run may take, 0.5 for half a minute; default: 10. What is not judged by then fails.',
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
  throw new GuardError('usage', `${name} has to be a number of minutes above 0, not ${JSON.stringify(text)}.`)
}

/** The levels `fail-on` takes. */
export const failOnLevels: readonly FailOn[] = ['error', 'warning', 'notice', 'never']
