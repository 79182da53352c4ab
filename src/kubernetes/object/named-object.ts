import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { shareNamespace } from './namespace'

/** Any copy of an object, if all copies are equal: which of them the cluster has is unknown. */
export function uniqueCopy(copies: readonly Manifest[]): Manifest | undefined {
  const contents = new Set(copies.map(({ object }) => object.content))
  return contents.size === 1 ? copies[0] : undefined
}

/** The ConfigMap that a workload names; undefined if its content is in no manifest. */
export function configMapNamed(
  name: string | undefined,
  user: Manifest,
  snapshot: Snapshot | undefined,
): Manifest | undefined {
  if (!name) return undefined
  const { namespace } = user.ref
  const copies = snapshot?.get({ group: '', kind: 'ConfigMap', namespace, name }) ?? []
  return uniqueCopy(copies.filter((one) => shareNamespace(one, user)))
}
