import { type ClusterMap, mapClusters } from '../cluster/clusters'
import { objectsOfSources } from '../sides/objects-of-sources'
import { fileObjects } from './file-objects'
import type { Sides } from './opening/open-sides'
import { PartnerSearch } from './partners/partner-search'
import type { ChangedFiles } from './read-changed'
import type { Rest } from './read-rest'
import type { ChangedRenderings } from './render-changed'

/** Finds the cluster of every file, from the configs' declarations and from folders that repeat each other. */
export function assignClusters(
  { declarations }: Sides,
  read: ChangedFiles,
  rendered: ChangedRenderings,
  rest: Rest,
  search = new PartnerSearch(),
): ClusterMap {
  const others = objectsOfSources(rest.rendered, ['base', 'head'])
  return mapClusters(declarations, [...fileObjects(read, rendered, rest.texts, search), ...others], rest.repeated)
}
