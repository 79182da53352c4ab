import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { istioGatewayKind } from '../../kubernetes/ingress/virtual-service'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { type AnnotatedSecret, annotatedSecrets, isServedByIngressNginx } from '../../kubernetes/tls/annotated-secret'
import { copyingAt, isCopiedInto } from '../../kubernetes/tls/copied-secret'
import { istioClaims, istioSelectorKeys } from '../../kubernetes/tls/istio-tls'
import { creationPolicyOf, emptiedSecrets, lostSecrets } from '../../kubernetes/tls/lost-secrets'
import { routeClaimKinds, routeClaims } from '../../kubernetes/tls/route-claim'
import {
  type ProducedSecret,
  possibleProducersOf,
  producerKinds,
  secretMakers,
  secretsMadeBy,
} from '../../kubernetes/tls/tls-producer'
import { namedSecrets, openShiftController } from '../../kubernetes/tls/tls-user'
import { servingKinds } from '../../kubernetes/workload/serving-pods'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

type Loss = { secret: string; user: string; producer: string }

type ReportMessage = ReportFunction<typeof messages>

const usingKinds: readonly GroupKind[] = [
  'Ingress.networking.k8s.io',
  'Gateway.gateway.networking.k8s.io',
  openShiftController,
  ...routeClaimKinds,
  istioGatewayKind,
]

const messages = {
  removed: ({ secret, user, producer }: Loss) =>
    `This change removes ${producer}, and nothing else provides the Secret ${secret}, which ${user} uses for TLS. Keep it, or change ${user} to another Secret first.`,
  // cert-manager leaves the Secret of a deleted Certificate alone, unless it runs with
  // --enable-certificate-owner-ref. Source:
  // https://cert-manager.io/docs/usage/certificate/#cleaning-up-secrets-when-certificates-are-deleted
  unrenewed: ({ secret, user, producer }: Loss) =>
    `This change removes ${producer}, so nothing renews the certificate in the Secret ${secret}, which ${user} uses for TLS. Keep it, or change ${user} to another Secret first.`,
  renamed: ({ secret, user, producer }: Loss) =>
    `After this change, ${producer} no longer creates the Secret ${secret}, which ${user} uses for TLS, and nothing else provides it. Change ${user} to the Secret that is created now.`,
  emptied: ({ secret, user, producer }: Loss) =>
    `After this change, tls.crt of the Secret ${secret}, which ${user} uses for TLS, is empty; before it, ${producer} provided the certificate. Keep what provided it, or put the certificate there.`,
  denied: ({ secret, user, producer, annotation, outcome }: Loss & Record<'annotation' | 'outcome', string>) =>
    `After this change, ${producer} no longer provides the Secret ${secret}, which ${user} names in the annotation ${annotation}, and nothing else does. Without it, ingress-nginx answers ${outcome}. Keep the Secret, or change ${user} first.`,
  uncopied: ({ secret, user, producer, namespace }: Loss & { namespace: string }) =>
    `After this change, the annotations of ${producer} no longer let its Secret ${secret} be copied into the namespace ${namespace}, where ${user} uses it for TLS, and nothing else provides it. Name the namespace there, or change ${user} first.`,
  unsourced: ({ secret, user, producer, namespace, loss }: Loss & Record<'namespace' | 'loss', string>) =>
    `This change removes ${producer}, whose Secret ${secret} is copied into the namespace ${namespace}, where ${user} uses it for TLS, and nothing else ${loss}. Keep it, or change ${user} to another Secret first.`,
}

export default defineRule({
  id: 'ingress-tls/secret-kept',
  summary: 'The source of a Secret that an Ingress, a route or a Gateway uses for TLS is kept.',
  since: '1.1.0',
  scope: 'change',
  kinds: producerKinds,
  reads: [openShiftController, ...routeClaimKinds, istioGatewayKind, ...servingKinds, 'IngressClass.networking.k8s.io'],
  subjects: [{ kinds: usingKinds }],
  messages,
  later: { denied: '1.10.0', uncopied: '1.13.0', unsourced: '1.13.0', emptied: '1.23.0' },
  *partners(manifest) {
    // A copy of it.
    if (secretMakers.includes(groupKindOf(manifest.ref))) yield manifest.ref.name
    for (const { name } of secretsMadeBy(manifest)) yield name
    for (const { name } of [...namedSecrets(manifest), ...annotatedSecrets(manifest)]) yield name
    for (const { secret } of routeClaims(manifest)) yield secret
    // The Pods of a Gateway of Istio decide in which namespace its Secrets are.
    yield* istioSelectorKeys(manifest)
    // The class of an Ingress shows which controller reads its annotations.
    if (annotatedSecrets(manifest).length > 0) yield 'k8s.io/ingress-nginx'
  },
  check({ change, head, report, skip }) {
    if (change.kind === 'added') return
    const { before } = change
    if (change.kind === 'removed' && outlivesPrune(before)) return
    reportCopies(change, head, report)
    for (const made of emptiedSecrets(change, head)) {
      for (const { manifest, at, annotated } of usersOf(head, made, before)) {
        if (annotated || isPlaceholder(made.name)) continue
        const names = { secret: inWords(made), user: nameOf(manifest.ref), producer: nameOf(before.ref) }
        report([made.empty, at], 'emptied', names, { keys: [made.name] })
      }
    }
    for (const made of lostSecrets(change, head)) {
      if (isPlaceholder(made.name)) {
        skip(made.at, `the Secret name ${made.name} is filled in before it reaches the cluster`)
        continue
      }
      const renews = ['Certificate', 'Ingress', 'Gateway'].includes(before.ref.kind)
      for (const { manifest, at, annotated } of usersOf(head, made, before)) {
        const names = {
          secret: inWords(made),
          user: nameOf(manifest.ref),
          producer: nameOf(before.ref),
        }
        if (annotated) {
          // The Secret of a Certificate that is removed stays.
          if ((renews && change.kind === 'removed') || !isServedByIngressNginx(manifest, head)) continue
          const { annotation, outcome } = annotated
          const ends = [change.kind === 'changed' ? made.at : before.root, at]
          report(ends, 'denied', { ...names, annotation, outcome }, { keys: [annotation, made.name] })
          continue
        }
        if (change.kind === 'changed') report([made.at, at], 'renamed', names, { keys: [made.name] })
        else report([before.root, at], renews ? 'unrenewed' : 'removed', names, { keys: [made.name] })
      }
    }
  },
})

function inWords({ namespace, name }: ProducedSecret): string {
  return namespace ? `${namespace}/${name}` : name
}

/** Reports the copies of a Secret in other namespaces that a change takes their source from. */
function reportCopies(change: Exclude<Change, { kind: 'added' }>, head: Snapshot, report: ReportMessage): void {
  const { before } = change
  if (!secretMakers.includes(groupKindOf(before.ref)) || (change.kind === 'removed' && head.get(before.ref).length > 0))
    return
  if (['Merge', 'None'].includes(creationPolicyOf(before))) return
  if (change.kind === 'removed' && creationPolicyOf(before) === 'Orphan') return
  const [source] = secretsMadeBy(before)
  if (!source || isPlaceholder(source.name)) return
  const isLeft = (namespace: string) =>
    change.kind === 'changed' &&
    secretsMadeBy(change.after).some(({ name }) => name === source.name) &&
    isCopiedInto(change.after, namespace) !== false
  const users = usingKinds.flatMap((kind) => head.ofKind(kind)).filter((one) => head.get(one.ref)[0] === one)
  const reported = new Set<string>()
  for (const { name, namespace, at } of users.flatMap(namedSecrets)) {
    if (name !== source.name || ['', before.ref.namespace].includes(namespace) || reported.has(namespace)) continue
    if (isCopiedInto(before, namespace) !== true || isLeft(namespace)) continue
    const others = possibleProducersOf(head, namespace, name, at.manifest).map(({ manifest }) => manifest)
    if (others.some((one) => one.ref.namespace === namespace || isCopiedInto(one, namespace) !== false)) continue
    reported.add(namespace)
    const args = { secret: name, user: nameOf(at.manifest.ref), producer: nameOf(before.ref), namespace }
    const keys = [namespace, name]
    if (change.kind === 'changed') report([copyingAt(change.after), at], 'uncopied', args, { keys })
    else {
      // The Secret of a Certificate stays, as for `unrenewed`.
      const loss = before.ref.kind === 'Certificate' ? 'renews its certificate' : 'provides it'
      report([before.root, at], 'unsourced', { ...args, loss }, { keys })
    }
  }
}

/** An Ingress, a route or a Gateway that names a Secret, and where: for TLS, else in an annotation. */
interface User {
  readonly manifest: Manifest
  readonly at: Cursor
  readonly annotated?: AnnotatedSecret
}

/** The Ingresses and Gateways that name a Secret, each at its first name; of several copies of one, the first. */
function usersOf(head: Snapshot, { name, namespace }: ProducedSecret, producer: Manifest): User[] {
  const users = userIndexes.get(head) ?? usersBySecret(head)
  userIndexes.set(head, users)
  const found = [...(users.get(keyOf(namespace, name))?.values() ?? [])]
  return found.filter(({ manifest }) => namespace !== '' || shareNamespace(manifest, producer))
}

/** Kept, as a change may take many Secrets away. */
const userIndexes = new WeakMap<Snapshot, ReadonlyMap<string, ReadonlyMap<Manifest, User>>>()

function usersBySecret(head: Snapshot): Map<string, Map<Manifest, User>> {
  const users = new Map<string, Map<Manifest, User>>()
  for (const manifest of usingKinds.flatMap((kind) => head.ofKind(kind))) {
    if (head.get(manifest.ref)[0] !== manifest) continue
    const annotated = annotatedSecrets(manifest).map((one) => ({ ...one, annotated: one }))
    const claims = [...routeClaims(manifest), ...istioClaims(manifest, head)]
    const claimed = claims.map(({ secret, namespace, at }) => ({ name: secret, namespace, at }))
    for (const { name, namespace, ...named } of [...namedSecrets(manifest), ...claimed, ...annotated]) {
      const known = users.get(keyOf(namespace, name)) ?? new Map<Manifest, User>()
      users.set(keyOf(namespace, name), known)
      if (!known.has(manifest)) known.set(manifest, { manifest, ...named })
    }
  }
  return users
}

function keyOf(namespace: string | undefined, name: string): string {
  return JSON.stringify([namespace ?? null, name])
}
