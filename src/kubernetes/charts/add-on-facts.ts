import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/add-on-charts.yaml'
import { factsFile, factsIn, proof, strict, text } from '../facts-format/facts-file'
import { Cases, SettingFacts } from './chart-facts'
import { chartName } from './chart-named'

const AddOnFacts = Type.Object(
  {
    ...chartName,
    /** The newest version that was read: a range of versions that includes it means this one. */
    newest: text,
    /** The cases in which it runs no Pods. */
    idle: Type.Optional(Cases),
    ...SettingFacts,
    /** The cases in which its CRDs are part of a release, and those in which Helm never deletes them. */
    definitions: Type.Optional(Type.Object({ made: Cases, kept: Cases }, strict)),
    ...proof,
  },
  strict,
)
/** The facts about the chart of a program beside the controllers. */
export type AddOnFacts = Static<typeof AddOnFacts>

/** `facts/add-on-charts.yaml` */
export const AddOnFactsFile = factsFile({ charts: Type.Array(AddOnFacts) })

/** Every such chart that the code knows. */
export const addOnFacts: readonly AddOnFacts[] = factsIn(AddOnFactsFile, rows).charts
