import type { ObjectRef } from '../manifest/manifest'
import type { ClusterObjectFacts, ClusterObjectFactsFile } from './cluster-object'
import { matchesObject } from './object-glob'
// Written by `npm run facts` from policies/facts/protected-objects.yaml.
import written from './protected-objects.json' with { type: 'json' }

const { objects: rows } = written as ClusterObjectFactsFile

/** What stops when a protected object is deleted; undefined for one that only a user protects. */
export function protectedObjectFacts(ref: ObjectRef): ClusterObjectFacts | undefined {
  return rows.find(({ objects }) => objects.some((glob) => matchesObject(glob, ref)))
}
