import type { Static } from 'typebox'
import * as Type from 'typebox'
import { aspects } from '../kubernetes/versions/brought'

/** The changes that a new version of a chart brings to a release, in the JSON report. */
export const BumpJson = Type.Object({
  chart: Type.String({ description: 'The name of a chart that was fetched, or its folder.' }),
  repository: Type.Optional(Type.String({ description: 'Where the chart was fetched from.' })),
  release: Type.String(),
  namespace: Type.String(),
  from: Type.String({ description: 'The version at the base.' }),
  to: Type.String({ description: 'The version at the head.' }),
  path: Type.String({ description: 'The file that asks for the version.' }),
  rows: Type.Array(
    Type.Object({
      aspect: Type.Enum([...aspects], { description: 'A definition is a CustomResourceDefinition.' }),
      object: Type.String({ description: 'The object, and the part of it: Deployment web/web, container web.' }),
      goes: Type.Array(Type.String()),
      comes: Type.Array(Type.String()),
    }),
  ),
  more: Type.Integer({ minimum: 0, description: 'How many rows are left out.' }),
})
/** The table of a new chart version in the JSON report. */
export type BumpJson = Static<typeof BumpJson>
