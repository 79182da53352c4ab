import type { Region } from '../../region'
import type { Checkout } from '../../revision/checkout'
import { realPlace } from '../../sources/places'

/** A values file that a release names and that is not there, so that its deployer fails. */
export interface MissingValues {
  readonly deployer: 'helmfile' | 'Fleet' | 'Argo CD' | 'Flux'
  /** The file that names it. */
  readonly path: string
  readonly region: Region
  /** The name of the release, or the object that names it. */
  readonly release: string
  /** Its path as it is written. */
  readonly written: string
  /** From the repository's root; it may be a glob that matches nothing. */
  readonly place: string
  /** The list that names it. Files of secrets are often kept elsewhere; helm-secrets reads decrypted ones for Argo CD. */
  readonly list: 'values' | 'secrets' | 'set' | 'decrypted'
  /** The branch that it is taken from, where that is named. */
  readonly branch?: string
}

/** Whether a path has a file, or leads where the files are not known. */
export function mayBeThere(place: string, checkout: Checkout): boolean {
  const { entries } = checkout.tree
  const real = realPlace(checkout.tree, place)
  const folders = real.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
  const isOutside = (one: string) => ['submodule', 'link'].includes(entries.get(one)?.type ?? '')
  return checkout.has(real) || folders.some(isOutside)
}
