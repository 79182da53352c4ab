import type { Snapshot } from '../../cluster/snapshot'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { emptyCertificateOf } from './certificate'
import { type ProducedSecret, possibleProducersOf, secretMakers, secretsMadeBy } from './tls-producer'

/** The Secrets that a change takes their producer from, with none left at the head. */
export function lostSecrets(change: Exclude<Change, { kind: 'added' }>, head: Snapshot): ProducedSecret[] {
  const { before } = change
  if (change.kind === 'removed' && head.get(before.ref).length > 0) return []
  // When an annotation is removed from an Ingress, cert-manager keeps the Certificate that it created: sync.go,
  // SyncFnFor.
  if (change.kind === 'changed' && !secretMakers.includes(groupKindOf(before.ref))) return []
  if (['Merge', 'None', 'Orphan'].includes(creationPolicyOf(before))) return []
  return secretsMadeBy(before).filter(
    ({ namespace, name }) =>
      namespace !== undefined &&
      !possibleProducersOf(head, namespace, name, before).some(
        ({ manifest }) => !['Merge', 'None'].includes(creationPolicyOf(manifest)),
      ),
  )
}

/** A Secret that a change leaves without the certificate that something provided, and the place where it is empty. */
export interface EmptiedSecret extends ProducedSecret {
  readonly empty: Cursor
}

/** The Secrets that something provided before a change, and for which an empty certificate is all that is left at the head. */
export function emptiedSecrets(change: Exclude<Change, { kind: 'added' }>, head: Snapshot): EmptiedSecret[] {
  const { before } = change
  if (['Merge', 'None'].includes(creationPolicyOf(before)) || emptyCertificateOf(before)) return []
  if (change.kind === 'removed' && head.get(before.ref).length > 0) return []
  return secretsMadeBy(before).flatMap((made) => {
    const left = made.namespace === undefined ? [] : possibleProducersOf(head, made.namespace, made.name, before)
    const [empty, ...others] = left.map(({ manifest }) => emptyCertificateOf(manifest))
    return empty && others.every((at) => at !== undefined) ? [{ ...made, empty }] : []
  })
}

/**
 * The policy of an ExternalSecret for its Secret: with `Merge` and `None` it creates none, with `Orphan` the Secret
 * outlives it. Source: https://external-secrets.io/latest/guides/ownership-deletion-policy/
 */
export function creationPolicyOf(manifest: Manifest): string {
  return manifest.root.at('spec', 'target', 'creationPolicy').string ?? 'Owner'
}
