import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { shareNamespace } from '../../kubernetes/object/namespace'
import {
  type ProducedSecret,
  possibleProducersOf,
  producerKinds,
  secretMakers,
  secretsMadeBy,
} from '../../kubernetes/tls/tls-producer'
import { namedSecrets, openShiftController } from '../../kubernetes/tls/tls-user'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Loss = { secret: string; user: string; producer: string }

const usingKinds = ['Ingress.networking.k8s.io', 'Gateway.gateway.networking.k8s.io', openShiftController] as const

export default defineRule({
  id: 'ingress-tls/secret-kept',
  summary: 'The source of a Secret that an Ingress or a Gateway uses for TLS is kept.',
  since: '1.1.0',
  scope: 'change',
  kinds: producerKinds,
  reads: [openShiftController],
  subjects: [{ kinds: usingKinds }],
  messages: {
    removed: ({ secret, user, producer }: Loss) =>
      `This change removes ${producer}, and nothing else provides the Secret ${secret}, which ${user} uses for TLS. Keep it, or change ${user} to another Secret first.`,
    // cert-manager leaves the Secret of a deleted Certificate alone, unless it runs with
    // --enable-certificate-owner-ref. Source:
    // https://cert-manager.io/docs/usage/certificate/#cleaning-up-secrets-when-certificates-are-deleted
    unrenewed: ({ secret, user, producer }: Loss) =>
      `This change removes ${producer}, so nothing renews the certificate in the Secret ${secret}, which ${user} uses for TLS. Keep it, or change ${user} to another Secret first.`,
    renamed: ({ secret, user, producer }: Loss) =>
      `After this change, ${producer} no longer creates the Secret ${secret}, which ${user} uses for TLS, and nothing else provides it. Change ${user} to the Secret that is created now.`,
  },
  *partners(manifest) {
    // A copy of it.
    if (secretMakers.includes(groupKindOf(manifest.ref))) yield manifest.ref.name
    for (const { name } of secretsMadeBy(manifest)) yield name
    for (const { name } of namedSecrets(manifest)) yield name
  },
  check({ change, head, report, skip }) {
    if (change.kind === 'added') return
    const { before } = change
    for (const made of lostSecrets(change, head)) {
      if (isPlaceholder(made.name)) {
        skip(made.at, `the Secret name ${made.name} is filled in before it reaches the cluster`)
        continue
      }
      for (const { manifest, at } of usersOf(head, made, before)) {
        const names = {
          secret: made.namespace ? `${made.namespace}/${made.name}` : made.name,
          user: nameOf(manifest.ref),
          producer: nameOf(before.ref),
        }
        const renews = ['Certificate', 'Ingress', 'Gateway'].includes(before.ref.kind)
        if (change.kind === 'changed') report([made.at, at], 'renamed', names, { keys: [made.name] })
        else report([before.root, at], renews ? 'unrenewed' : 'removed', names, { keys: [made.name] })
      }
    }
  },
})

/** The Secrets that a change takes their producer from, with none left at the head. */
function lostSecrets(change: Exclude<Change, { kind: 'added' }>, head: Snapshot): ProducedSecret[] {
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
function creationPolicyOf(manifest: Manifest): string {
  return manifest.root.at('spec', 'target', 'creationPolicy').string ?? 'Owner'
}

/** The Ingresses and Gateways that name a Secret, each at its first name; of several copies of one, the first. */
function usersOf(head: Snapshot, { name, namespace }: ProducedSecret, producer: Manifest) {
  const users = userIndexes.get(head) ?? usersBySecret(head)
  userIndexes.set(head, users)
  return [...(users.get(keyOf(namespace, name)) ?? [])].flatMap(([manifest, at]) =>
    namespace === '' && !shareNamespace(manifest, producer) ? [] : [{ manifest, at }],
  )
}

/** Kept, as a change may take many Secrets away. */
const userIndexes = new WeakMap<Snapshot, ReadonlyMap<string, ReadonlyMap<Manifest, Cursor>>>()

function usersBySecret(head: Snapshot): Map<string, Map<Manifest, Cursor>> {
  const users = new Map<string, Map<Manifest, Cursor>>()
  for (const kind of usingKinds) {
    for (const manifest of head.ofKind(kind)) {
      if (head.get(manifest.ref)[0] !== manifest) continue
      for (const { name, namespace, at } of namedSecrets(manifest)) {
        const known = users.get(keyOf(namespace, name)) ?? new Map<Manifest, Cursor>()
        users.set(keyOf(namespace, name), known)
        if (!known.has(manifest)) known.set(manifest, at)
      }
    }
  }
  return users
}

function keyOf(namespace: string | undefined, name: string): string {
  return JSON.stringify([namespace ?? null, name])
}
