import type { Snapshot } from '../../cluster/snapshot'
import type { Change } from '../../manifest/change'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
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

/**
 * The policy of an ExternalSecret for its Secret: with `Merge` and `None` it creates none, with `Orphan` the Secret
 * outlives it. Source: https://external-secrets.io/latest/guides/ownership-deletion-policy/
 */
export function creationPolicyOf(manifest: Manifest): string {
  return manifest.root.at('spec', 'target', 'creationPolicy').string ?? 'Owner'
}
