import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, controllersHere, marksOfControllers } from '../../kubernetes/controllers/controller'
import { takesIngress } from '../../kubernetes/controllers/controller-ingresses'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { isManaged } from '../../kubernetes/ingress/managed-class'
import { istioGatewayKind } from '../../kubernetes/ingress/virtual-service'
import { certificateChoice, outcomeWithout, tlsStoreKinds } from '../../kubernetes/tls/certificate-choice'
import { isCanary } from '../../kubernetes/tls/ingress-nginx'
import { istioClaims, istioSecretsOf, istioSelectorKeys } from '../../kubernetes/tls/istio-tls'
import { routeClaimKinds, routeClaims } from '../../kubernetes/tls/route-claim'
import { secretsOfRoutes } from '../../kubernetes/tls/routed-secrets'
import {
  ClaimsByHost,
  claimKinds,
  makerBefore,
  mayBeMade,
  type TlsClaim,
  tlsClaims,
  unmadeSecrets,
} from '../../kubernetes/tls/tls-claim'
import { producerKinds } from '../../kubernetes/tls/tls-producer'
import { servingKinds } from '../../kubernetes/workload/serving-pods'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { mentions } from '../../manifest/mentions'
import { defineRule } from '../../rule/rule'

type Emptied = { user: string; host: string; was: string; otherwise: string }

export default defineRule({
  id: 'ingress-tls/secret-provided',
  summary: 'A host whose Secret something makes is not moved to a Secret that nothing makes.',
  since: '1.3.0',
  scope: 'change',
  kinds: [...claimKinds, ...routeClaimKinds, istioGatewayKind],
  assumed: { since: '1.19.0' },
  reads: [
    ...producerKinds.filter((kind) => !claimKinds.some((one) => one === kind)),
    'IngressClass.networking.k8s.io',
    ...controllerKinds,
    ...releaseKinds,
    ...tlsStoreKinds,
    ...servingKinds.filter((kind) => !controllerKinds.includes(kind)),
  ],
  messages: {
    moved: ({ user, host, was, maker, secret }: Omit<Emptied, 'otherwise'> & { maker: string; secret: string }) =>
      `Before this change ${host} had the Secret ${was}, which ${maker} creates; now ${user} names the Secret ${secret}, which nothing here creates, so the host is left without its certificate. Name a Secret that exists, or add the object that creates this one.`,
    unissued: ({ user, host, secret }: Record<'user' | 'host' | 'secret', string>) =>
      `${user} has no issuer any more for the Secret ${secret} of ${host}, and nothing else here creates it. cert-manager keeps the Certificate that it made, but does not make it again, so a new cluster has no certificate for the host. Put the annotation of the issuer back, or add a Certificate for the Secret.`,
    emptied: ({ user, host, was, otherwise }: Emptied) =>
      `This change removes the Secret ${was} from the TLS entry of ${host} in ${user}, so ${otherwise}, and no default certificate is set. Name the Secret again.`,
    unnamed: ({ user, host, was, otherwise }: Emptied) =>
      `This change removes the Secret ${was} from the TLS entry of ${host} in ${user}, so ${otherwise}. Name the Secret again, or check that the default certificate covers the host.`,
  },
  later: { unissued: '1.20.0' },
  putBack: { unnamed: 'nothing', emptied: 'changed' },
  *partners(manifest) {
    yield* istioSelectorKeys(manifest)
    yield* istioSecretsOf(manifest)
    const claims = [...tlsClaims(manifest), ...routeClaims(manifest)]
    for (const { host, secret } of claims) {
      if (host) yield host
      if (secret) yield secret
    }
    if (claims.some(({ secret }) => secret === '')) yield* marksOfControllers
  },
  check({ change, base, head, report, skip }) {
    if (change.kind === 'removed' || isCanary(change.after)) return
    const seen = new Set<string>()
    const was = new ClaimsByHost(change.kind === 'changed' ? claimsOf(change.before, base) : [])
    for (const claim of claimsOf(change.after, head)) {
      const isAssumed = change.after.assumption !== undefined
      // The values of a release have the same variables before and after.
      const open = isAssumed ? [claim.secret] : [claim.host, claim.secret]
      if (seen.has(claim.secret) || open.some(isPlaceholder)) continue
      if (claim.secret === '') {
        const named = was.serving(claim).find((one) => one.secret !== '' && !isPlaceholder(one.secret))
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
      const isOwn = change.kind === 'changed' && made.maker === change.before
      if (isOwn && made.claim.secret === secret) {
        const host = claim.host === '' || isPlaceholder(claim.host) ? 'its hosts' : claim.host
        const ends = [claim.at, made.maker.root.at('metadata', 'annotations')]
        report(ends, 'unissued', { user: nameOf(change.after.ref), host, secret }, { keys: [secret] })
        continue
      }
      if (isAssumed) {
        skip(claim.at, `the chart of the release may create the Secret ${secret}, which nothing here does`)
        continue
      }
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

function claimsOf(manifest: Manifest, snapshot: Snapshot): TlsClaim[] {
  return [...tlsClaims(manifest), ...routeClaims(manifest), ...istioClaims(manifest, snapshot)]
}

/**
 * Whether the Secret was named before the change although nothing created it then either: in this namespace, or in
 * others, so that a tool copies it.
 */
function isNamedAlready(claim: TlsClaim, base: Snapshot): boolean {
  return unmadeSecrets(base).has(claim.secret) || secretsOfRoutes(base).has(claim.secret)
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
