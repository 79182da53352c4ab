import rows from '../../../facts/protected-objects.yaml'
import type { ObjectRef } from '../../manifest/manifest'
import { factsIn } from '../facts-format/facts-file'
import { matchesObject } from '../object/object-glob'
import { type ClusterObjectFacts, ClusterObjectFactsFile } from './cluster-object'

const { objects } = factsIn(ClusterObjectFactsFile, rows)

/** The effect of deleting a protected object; undefined for one that only a user protects. */
export function protectedObjectFacts(ref: ObjectRef): ClusterObjectFacts | undefined {
  return objects.find((row) => row.objects.some((glob) => matchesObject(glob, ref)))
}
