import { identityOf, Manifest } from '../../manifest/manifest'
import { inNamespace } from '../../sides/rendered-objects'

/**
 * The objects of one side. One without a namespace gets that of the same object on the other side, if an Application gave
 * it: a file that moves into or out of the folder of an Application removes no object.
 */
export function alignedWith(others: readonly Manifest[], manifests: readonly Manifest[]): Manifest[] {
  const there = new Map<string, Manifest[]>()
  for (const other of others) {
    const key = withoutNamespace(other)
    const same = there.get(key)
    if (same) same.push(other)
    else there.set(key, [other])
  }
  return manifests.map((manifest) => {
    if (manifest.ref.namespace !== '') return manifest
    const same = there.get(withoutNamespace(manifest)) ?? []
    const given = same.find(({ root }) => !root.at('metadata', 'namespace').exists)
    if (given === undefined || same.some(({ ref }) => ref.namespace === '')) return manifest
    const { object, side, origin, clusters, evidence, values, assumption } = manifest
    const moved = inNamespace(object, given.ref.namespace)
    return new Manifest(moved, side, origin, clusters, evidence, values, assumption)
  })
}

function withoutNamespace({ ref }: Manifest): string {
  return identityOf({ ...ref, namespace: '' })
}
