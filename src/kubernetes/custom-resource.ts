import type { Manifest } from '../manifest/manifest'
import type { Snapshot } from '../manifest/snapshot'

export const definitionKind = 'CustomResourceDefinition.apiextensions.k8s.io'

/** The objects of the kind that a CustomResourceDefinition defines. */
export function objectsOf({ root }: Manifest, snapshot: Snapshot): readonly Manifest[] {
  const [group, kind] = [root.at('spec', 'group').string, root.at('spec', 'names', 'kind').string]
  return group && kind ? snapshot.ofKind(`${kind}.${group}`) : []
}
