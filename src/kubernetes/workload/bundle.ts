import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'

/**
 * The objects of one namespace in a bundle: a file with the Namespace of its objects, which is applied by itself. Other
 * files with the same identities are alternatives to it. Undefined where the file of an object is none.
 */
export function bundleOf({ origin, ref }: Manifest, snapshot: Snapshot): Manifest[] | undefined {
  const isBeside = (other: Manifest) => other.origin.kind === 'file' && other.origin.path === origin.path
  const namespace = { group: '', kind: 'Namespace', namespace: '', name: ref.namespace }
  if (origin.kind !== 'file' || ref.namespace === '' || !snapshot.get(namespace).some(isBeside)) return undefined
  return snapshot.inNamespace(ref.namespace).filter(isBeside)
}
