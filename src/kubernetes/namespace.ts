import type { Manifest } from '../manifest/manifest'

/**
 * Whether two objects reach one namespace. Where none is written a tool or the command line gives it, folder by folder,
 * so two such objects count only when one stands in the other's folder or below it.
 */
export function shareNamespace(a: Manifest, b: Manifest): boolean {
  if (a.ref.namespace !== b.ref.namespace) return false
  if (a.ref.namespace !== '') return true
  const [one, other] = [folderOf(a), folderOf(b)]
  return one.startsWith(other) || other.startsWith(one)
}

function folderOf({ origin }: Manifest): string {
  return origin.path.slice(0, origin.path.lastIndexOf('/') + 1)
}
