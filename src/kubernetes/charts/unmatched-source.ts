import type { Snapshot } from '../../cluster/snapshot'
import { type FluxReference, fluxReferencesOf, fluxSourcesOf, fluxUserKinds } from '../../gitops/flux-references'
import type { Change } from '../../manifest/change'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'

/** A source of Flux that nothing has, and the one beside it that the same change adds and nothing names. */
export interface UnmatchedSource {
  readonly named: FluxReference
  readonly added: Manifest
}

/**
 * The source that an object of Flux comes to name and nothing has, where the change adds exactly one other source of this
 * kind to the namespace, in the same rendering or folder, that nothing names.
 */
export function unmatchedSourceOf(change: Change, base: Snapshot, head: Snapshot): UnmatchedSource | undefined {
  if (change.kind === 'removed' || head.get(change.after.ref)[0] !== change.after) return undefined
  const { after } = change
  const [named] = fluxSourcesOf(after)
  if (!named || isPlaceholder(named.name) || isPlaceholder(named.namespace)) return undefined
  const before = change.kind === 'changed' ? fluxSourcesOf(change.before) : []
  if (before.some((one) => one.kind === named.kind && one.name === named.name)) return undefined
  const sides = [base, head]
  const isThere = ({ ref }: Manifest) => ref.name === named.name || isPlaceholder(ref.name)
  if (sides.some((side) => side.ofKind(named.kind).some(isThere))) return undefined
  const users = sides.flatMap((side) => fluxUserKinds.flatMap((kind) => side.ofKind(kind)))
  const references = users.map((user) => ({ user, names: fluxReferencesOf(user) }))
  const isNamed = (name: string, own: string) =>
    references.some(
      ({ user, names }) =>
        identityOf(user.ref) !== own && names.some((one) => one.kind === named.kind && one.name === name),
    )
  if (isNamed(named.name, identityOf(after.ref))) return undefined
  const [added, ...others] = head
    .ofKind(named.kind)
    .filter((one) => one.ref.namespace === named.namespace && head.get(one.ref)[0] === one)
    .filter((one) => isBeside(one, after) && base.get(one.ref).length === 0 && !isNamed(one.ref.name, ''))
  return added && others.length === 0 ? { named, added } : undefined
}

/** Whether two objects come together: of one rendering, or of files of one folder. */
function isBeside({ origin: a }: Manifest, { origin: b }: Manifest): boolean {
  if (a.kind === 'rendered' && b.kind === 'rendered') return a.id === b.id
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
  return a.kind === b.kind && folderOf(a.path) === folderOf(b.path)
}
