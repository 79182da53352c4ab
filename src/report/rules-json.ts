import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Mapping } from '../mapping'
import { Level } from '../policy/schema'

/** The rules as data. Keys are added in later versions, never changed or removed within format 1. */
export const RulesJson = Type.Object(
  {
    format: Type.Literal(1),
    version: Type.String({ description: 'The version of ingress-guard.' }),
    rules: Type.Array(
      Type.Object({
        id: Type.String(),
        summary: Type.String({ description: 'What is true when the rule reports nothing.' }),
        since: Type.String({ description: 'The first version of its policy that has the rule.' }),
        policy: Type.Union([Type.Object({ name: Type.String(), version: Type.String() }), Type.Null()], {
          description: 'The version that is in force without a config; null where that version does not have the rule.',
        }),
        levels: Mapping(Level, { description: 'The level of each of its messages there.' }),
        page: Type.String({ description: 'Its page, from the folder of the package.' }),
      }),
    ),
  },
  { title: 'The rules of ingress-guard' },
)
/** The output of `rules --format json`. */
export type RulesJson = Static<typeof RulesJson>
