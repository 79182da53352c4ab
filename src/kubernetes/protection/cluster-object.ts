import { braceExpand } from 'minimatch'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/cluster-objects.yaml'
import type { ObjectRef } from '../../manifest/manifest'
import { factsFile, factsIn, proof, strict } from '../facts-format/facts-file'
import { matchesObject, objectGlobPattern } from '../object/object-glob'

const ClusterObjectFacts = Type.Object(
  {
    /** Globs of `Kind/namespace/name` or `Kind/name`. */
    objects: Type.Array(Type.String({ pattern: objectGlobPattern }), { minItems: 1 }),
    /** The effect of deleting one of them, as a clause. */
    harm: Type.String({ minLength: 1 }),
    /** The component that recreates it, if there is one. */
    restoredBy: Type.Optional(Type.String({ minLength: 1 })),
    ...proof,
  },
  strict,
)
/** The facts about some objects that a cluster depends on. */
export type ClusterObjectFacts = Static<typeof ClusterObjectFacts>

/** `facts/cluster-objects.yaml` */
export const ClusterObjectFactsFile = factsFile({ objects: Type.Array(ClusterObjectFacts) })

/** The rows by the kinds that they name: nearly every object has a kind without rows. */
const rowsByKind = new Map<string, { readonly glob: string; readonly facts: ClusterObjectFacts }[]>()
for (const facts of factsIn(ClusterObjectFactsFile, rows).objects) {
  for (const glob of facts.objects.flatMap((one) => braceExpand(one))) {
    const kind = glob.slice(0, glob.indexOf('/'))
    rowsByKind.set(kind, [...(rowsByKind.get(kind) ?? []), { glob, facts }])
  }
}

/** The facts about an object that a cluster depends on; undefined for any other. */
export function clusterObjectFacts(ref: ObjectRef): ClusterObjectFacts | undefined {
  return rowsByKind.get(ref.kind)?.find(({ glob }) => matchesObject(glob, ref))?.facts
}
