import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, controllersHere, marksOfControllers } from '../../kubernetes/controllers/controller'
import { takesIngress } from '../../kubernetes/controllers/controller-ingresses'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { classOf } from '../../kubernetes/ingress/ingress-class'
import { isManaged } from '../../kubernetes/ingress/managed-class'
import { shimAnnotation } from '../../kubernetes/tls/cert-manager'
import { certificateChoice, outcomeWithout, tlsStoreKinds } from '../../kubernetes/tls/certificate-choice'
import { isCanary } from '../../kubernetes/tls/ingress-nginx'
import {
  claimKinds,
  claimsIn,
  makerBefore,
  makerOf,
  mayBeMade,
  servesHostOf,
  type TlsClaim,
  tlsClaims,
} from '../../kubernetes/tls/tls-claim'
import { producerKinds } from '../../kubernetes/tls/tls-producer'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { isOfDefaultValues } from '../../manifest/default-values'
import { identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentions, mentionsWhole } from '../../manifest/mentions'
import { defineRule } from '../../rule/rule'

/** What the text of an Ingress has. */
const ingressMarks = ['\nkind: Ingress', '"kind":"Ingress"', '"kind": "Ingress"']

type Emptied = { user: string; host: string; was: string; otherwise: string }

export default defineRule({
  id: 'ingress-tls/secret-provided',
  summary: 'A host whose Secret something makes is not moved to a Secret that nothing makes.',
  since: '1.3.0',
  scope: 'change',
  kinds: claimKinds,
  reads: [
    ...producerKinds.filter((kind) => !claimKinds.some((one) => one === kind)),
    'IngressClass.networking.k8s.io',
    ...controllerKinds,
    ...releaseKinds,
    ...tlsStoreKinds,
  ],
  messages: {
    moved: ({ user, host, was, maker, secret }: Omit<Emptied, 'otherwise'> & { maker: string; secret: string }) =>
      `Before this change ${host} had the Secret ${was}, which ${maker} creates; now ${user} names the Secret ${secret}, which nothing here creates, so the host is left without its certificate. Name a Secret that exists, or add the object that creates this one.`,
    // Source: https://cert-manager.io/docs/usage/ingress/: cert-manager creates Certificates for Ingresses with its annotation
    alone: ({
      user,
      host,
      secret,
      count,
      annotation,
    }: Record<'user' | 'host' | 'secret' | 'count' | 'annotation', string>) =>
      `${user} names the Secret ${secret} for ${host}, which nothing here creates and no other file names, and it has no annotation of cert-manager: the other ${count} Ingresses of its class with TLS have ${annotation}, or a Secret that something creates. So the host is left without its certificate. Add the annotation, or add what creates the Secret.`,
    emptied: ({ user, host, was, otherwise }: Emptied) =>
      `This change removes the Secret ${was} from the TLS entry of ${host} in ${user}, so ${otherwise}, and no default certificate is set. Name the Secret again.`,
    unnamed: ({ user, host, was, otherwise }: Emptied) =>
      `This change removes the Secret ${was} from the TLS entry of ${host} in ${user}, so ${otherwise}. Name the Secret again, or check that the default certificate covers the host.`,
  },
  later: { alone: '1.14.0' },
  putBack: { unnamed: 'nothing', emptied: 'changed', alone: 'changed' },
  names: {
    *of({ change, base, head }) {
      const claim = strangerIn(change, base, head)
      if (claim) yield claim.secret
    },
    isUsedIn: mentionsWhole,
  },
  *partners(manifest) {
    const claims = tlsClaims(manifest)
    for (const { host, secret } of claims) {
      if (host) yield host
      if (secret) yield secret
    }
    if (claims.some(({ secret }) => secret === '')) yield* marksOfControllers
    // The Ingresses that it is compared with.
    if (isWithoutAnnotation(manifest) && claims.length > 0) yield* ingressMarks
  },
  check({ change, base, head, isUsed, report, skip }) {
    if (change.kind === 'removed' || isCanary(change.after)) return
    const stranger = strangerIn(change, base, head)
    if (stranger && !isUsed(stranger.secret) && !releaseWith(stranger.secret, head)) {
      const others = othersWithTls(change.after, head)
      const [at] = others.flatMap((one) => shimAnnotation(one) ?? [])
      const args = {
        user: nameOf(change.after.ref),
        host: stranger.host || 'its hosts',
        secret: inWords(stranger),
        count: String(others.length),
        annotation: String(at?.path.at(-1)),
      }
      report(at ? [stranger.at, at] : stranger.at, 'alone', args, { keys: [stranger.secret] })
    }
    const seen = new Set<string>()
    for (const claim of tlsClaims(change.after)) {
      const was = change.kind === 'changed' ? tlsClaims(change.before) : []
      if (seen.has(claim.secret) || [claim.host, claim.secret].some(isPlaceholder)) continue
      if (claim.secret === '') {
        const [named] = was.filter((one) => one.secret !== '' && servesHostOf(one, claim) && !isPlaceholder(one.secret))
        const message = named && lossWithout(change.after, head)
        if (!named || !message || claim.host === '') continue
        const { otherwise, by } = message
        const args = { user: nameOf(change.after.ref), host: claim.host, was: named.secret, otherwise }
        report([claim.at, named.at], by, args, { keys: [claim.host] })
        continue
      }
      const made = makerBefore(claim, was, base, head)
      if (!made || mayBeMade(claim, head) || isNamedAlready(claim, base)) continue
      seen.add(claim.secret)
      const { namespace, secret } = claim
      const release = releaseWith(secret, head)
      if (release) {
        skip(claim.at, `${nameOf(release.ref)} mentions the Secret ${secret}, and may create it`)
        continue
      }
      const args = {
        user: nameOf(change.after.ref),
        host: claim.host || 'its hosts',
        was: inWords(made.claim),
        maker: nameOf(made.maker.ref),
        secret: inWords({ namespace, secret }),
      }
      report([claim.at, made.claim.at], 'moved', args, { keys: [secret] })
    }
  },
})

/**
 * Whether the Secret was named before the change although nothing created it then either: in this namespace, or in
 * others, so that a tool copies it.
 */
function isNamedAlready(claim: TlsClaim, base: Snapshot): boolean {
  return claimsIn(base).some((one) => one.secret === claim.secret && !makerOf(one, base))
}

/** As many Ingresses show how those of a cluster get their Secrets. */
const enough = 3

/**
 * The claim of an Ingress that comes to have TLS, of a Secret that nothing creates, where cert-manager creates those of
 * all others.
 */
function strangerIn(change: Change, base: Snapshot, head: Snapshot): TlsClaim | undefined {
  if (change.kind === 'removed' || !isWithoutAnnotation(change.after) || isManaged(change.after)) return undefined
  const { after } = change
  if (change.kind === 'changed' && tlsClaims(change.before).length > 0) return undefined
  const [claim, ...more] = tlsClaims(after).filter(({ secret }) => secret !== '')
  if (!claim || more.some(({ secret }) => secret !== claim.secret)) return undefined
  if ([claim.host, claim.secret].some(isPlaceholder) || mayBeMade(claim, head)) return undefined
  if (claimsIn(base).some(({ secret }) => secret === claim.secret)) return undefined
  const others = othersWithTls(after, head)
  const isProvided = (one: Manifest) =>
    shimAnnotation(one) !== undefined || tlsClaims(one).every((its) => its.secret === '' || mayBeMade(its, head))
  return others.filter((one) => shimAnnotation(one)).length >= enough && others.every(isProvided) ? claim : undefined
}

/** The other Ingresses of a cluster and a class that name Secrets; of several copies of one, the first. */
function othersWithTls(manifest: Manifest, head: Snapshot): Manifest[] {
  const { ref } = manifest
  return head
    .ofKind('Ingress.networking.k8s.io')
    .filter((one) => head.get(one.ref)[0] === one && identityOf(one.ref) !== identityOf(ref))
    .filter((one) => classOf(one) === classOf(manifest))
    .filter((one) => tlsClaims(one).some(({ secret }) => secret !== ''))
}

/** Whether nothing in an Ingress has cert-manager, or Traefik itself, request certificates. */
function isWithoutAnnotation(manifest: Manifest): boolean {
  if (manifest.ref.kind !== 'Ingress' || manifest.assumption || isOfDefaultValues(manifest)) return false
  const keys = [...manifest.root.at('metadata', 'annotations').entries()].map(([key]) => key)
  return !keys.some((key) => key.includes('cert') || key.includes('tls') || isPlaceholder(key))
}

function releaseWith(secret: string, head: Snapshot): Manifest | undefined {
  return releaseKinds.flatMap((kind) => head.ofKind(kind)).find(({ object }) => mentions(object.content, secret))
}

/**
 * The loss for a host of an Ingress without a Secret; undefined if a default certificate or another mechanism is meant
 * to serve it.
 */
function lossWithout(ingress: Manifest, head: Snapshot) {
  const annotations = [...ingress.root.at('metadata', 'annotations').entries()]
  const choice = certificateChoice(head, ingress)
  // Another rule reports that.
  if (choice?.needsSecret || isManaged(ingress) || annotations.some(isResolver)) return undefined
  if (tlsStoreKinds.some((kind) => head.ofKind(kind).length > 0)) return undefined
  const takers = controllersHere(head).filter((one) => takesIngress(one, ingress, head))
  if (takers.some(({ defaultCertificate }) => defaultCertificate)) return undefined
  const by = takers.length > 0 ? ('emptied' as const) : ('unnamed' as const)
  return { otherwise: outcomeWithout(choice), by }
}

/** Traefik's own resolver of certificates needs no Secret. */
function isResolver([key]: [string, Cursor]): boolean {
  return key.endsWith('.tls.certresolver')
}

function inWords({ namespace, secret }: Pick<TlsClaim, 'namespace' | 'secret'>): string {
  return namespace ? `${namespace}/${secret}` : secret
}
