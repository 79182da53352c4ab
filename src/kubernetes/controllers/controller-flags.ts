import { satisfies } from 'semver'
import * as Type from 'typebox'
import rows from '../../../facts/controller-flags.yaml'
import { entryOf } from '../../entry'
import { Mapping } from '../../mapping'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import type { NamedFlag } from '../workload/settings'
import type { Controller } from './controller'

/** `facts/controller-flags.yaml` */
export const ControllerFlagsFile = factsFile({
  programs: Type.Array(
    Type.Object(
      {
        /** The name in controllers.yaml. */
        controller: text,
        /** The releases that were read. */
        releases: text,
        /** The flags that all of them know. */
        always: texts,
        /** The flags that some of them know, with these releases. */
        some: Mapping(text),
        ...proof,
      },
      strict,
    ),
  ),
})

const { programs } = factsIn(ControllerFlagsFile, rows)

/** A flag that the release of a controller does not know, so that it does not start. */
export interface UnknownFlag extends NamedFlag {
  /** The releases that know it; undefined if none does. */
  readonly since: string | undefined
  /** The flags that the release knows. */
  readonly known: readonly string[]
}

/**
 * The flags of a controller that its release does not know; none if the release is unknown, or its flags were not read.
 */
export function unknownFlags({ facts, release, settings }: Controller): UnknownFlag[] {
  const program = programs.find(({ controller }) => controller === facts.name)
  if (!program || release === undefined || !satisfies(release, program.releases)) return []
  const { always, some } = program
  const known = [
    ...always,
    ...Object.entries(some).flatMap(([name, since]) => (satisfies(release, since) ? [name] : [])),
  ]
  return settings.named
    .filter(({ name }) => !known.includes(name))
    .map((flag) => ({ ...flag, since: entryOf(some, flag.name), known }))
}
