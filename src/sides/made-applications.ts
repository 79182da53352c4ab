import type { Discovery } from '../discovery/discover'
import { isOfClusters, readApplicationSet } from '../gitops/application-set'
import { gitOpsKind } from '../gitops/kinds'
import type { LoadedObject } from '../manifest/load'
import { groupKindOf, identityOf } from '../manifest/manifest'

const indexes = new WeakMap<Discovery, ReadonlyMap<string, readonly LoadedObject[]>>()

/** An ApplicationSet with the Applications that it makes, where all of them are known; any other object as it is. */
export function withApplicationsMade(
  object: LoadedObject,
  path: string,
  discovery: Discovery | undefined,
): LoadedObject {
  if (!discovery || groupKindOf(object.ref) !== gitOpsKind.applicationSet) return object
  const makes = madeBySets(discovery).get(keyOf(path, object))
  return makes ? { ...object, makes } : object
}

function madeBySets(discovery: Discovery): ReadonlyMap<string, readonly LoadedObject[]> {
  const known = indexes.get(discovery)
  if (known) return known
  const found = new Map<string, readonly LoadedObject[]>()
  for (const [{ origin, object, root }, { byGenerator }] of discovery.generatedBySets) {
    // One cluster is read in place of all that Argo CD knows, so the names of their Applications are not known.
    if (readApplicationSet(root).generators.some(({ generator }) => isOfClusters(generator))) continue
    if (byGenerator.some(({ fault }) => fault)) continue
    const applications = byGenerator.flatMap((one) => one.applications.map(({ manifest }) => manifest.object))
    found.set(keyOf(origin.path, object), applications)
  }
  indexes.set(discovery, found)
  return found
}

function keyOf(path: string, { ref }: LoadedObject): string {
  return `${path} ${identityOf(ref)}`
}
