import { oneEditFrom } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds, releaseMentioning } from '../../kubernetes/charts/chart-release'
import { controllerKinds, controllersHere, marksOfControllers } from '../../kubernetes/controllers/controller'
import { takesIngress } from '../../kubernetes/controllers/controller-ingresses'
import { proxyKind } from '../../kubernetes/ingress/contour-proxy'
import { covers, isPlaceholder } from '../../kubernetes/ingress/ingress'
import { isManaged } from '../../kubernetes/ingress/managed-class'
import { areComparable, textAround } from '../../kubernetes/ingress/placeholder'
import { differByOnePart } from '../../kubernetes/object/like-names'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { certificateChoice, outcomeWithout, tlsStoreKinds } from '../../kubernetes/tls/certificate-choice'
import { isCanary } from '../../kubernetes/tls/ingress-nginx'
import { isTraefikRoute } from '../../kubernetes/tls/route-claim'
import { certificateKinds, claimsOf, loadedFor, namesOf, userKinds, usersOf } from '../../kubernetes/tls/secret-claims'
import {
  areOfOne,
  ClaimsByHost,
  claimKinds,
  makerBefore,
  makerOf,
  mayBeMade,
  type TlsClaim,
  tlsClaims,
} from '../../kubernetes/tls/tls-claim'
import { producerKinds, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import type { Change } from '../../manifest/change'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { isWhole, mentions } from '../../manifest/mentions'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Stray = Record<'user' | 'secret' | 'why' | 'host' | 'certificate' | 'made', string>

export default defineRule({
  id: 'ingress-tls/certificate-used',
  summary: 'A host with a Certificate of its own is not served from a Secret that nothing creates.',
  since: '1.8.0',
  scope: 'change',
  kinds: userKinds,
  reads: [
    ...producerKinds.filter((kind) => !userKinds.includes(kind)),
    'IngressClass.networking.k8s.io',
    ...controllerKinds,
    ...releaseKinds,
    ...tlsStoreKinds,
  ],
  messages: {
    missed: ({ user, secret, why, host, certificate, made, outcome }: Stray & { outcome: string }) =>
      `${user} names the Secret ${secret}, ${why}; ${certificate}, which is for ${host}, creates ${made}. So ${outcome}. Name ${made} here, or have the Certificate create ${secret}.`,
    // Source: https://github.com/traefik/traefik, pkg/provider/kubernetes/crd/kubernetes_http.go
    // (loadIngressRouteConfiguration logs the error and keeps the router) and pkg/tls/tlsmanager.go (the server name
    // picks among the certificates of all routes).
    ignored: ({ user, secret, why, host, certificate, made, other }: Stray & { other: string }) =>
      `${user} names the Secret ${secret}, ${why}; ${certificate}, which is for ${host}, creates ${made}. Traefik logs an error and serves ${host} only as long as ${other} has it load a certificate for that host. Name ${made} here.`,
    elsewhere: ({ user, secret, host, certificate, made, outcome }: Omit<Stray, 'why'> & { outcome: string }) =>
      `${user} names the Secret ${secret}, which nothing here creates in its namespace; ${certificate}, which is for ${host}, creates ${made} in another one, and a Secret counts in its own namespace only. So ${outcome}. Create the Certificate in the namespace of this object, with secretName: ${secret}.`,
    named: ({ user, secret, certificate, made, outcome }: Omit<Stray, 'why' | 'host'> & { outcome: string }) =>
      `${user} names the Secret ${secret}, which nothing here creates; ${certificate} has that name itself, and creates the Secret ${made}, which nothing uses. So ${outcome}. Name ${made} here, or have the Certificate create ${secret}.`,
    impossible: ({ user, secret, outcome }: Record<'user' | 'secret' | 'outcome', string>) =>
      `${user} names the Secret ${secret}, which is no valid name of an object, so nothing can create it, and ${outcome}. Correct the name.`,
  },
  later: { elsewhere: '1.9.0', named: '1.14.0' },
  names: {
    *of({ change, head }) {
      for (const claim of unmadeClaims(change, head)) {
        if (isPossible(claim.secret) && certificateFor(claim, head)) yield claim.secret
      }
    },
    isUsedIn: isKnownIn,
  },
  *partners(manifest) {
    for (const { name } of secretsMadeBy(manifest)) yield name
    for (const { host, secret } of claimsOf(manifest)) {
      if (secret) yield secret
      if (host) yield* [host, wildcardOf(host)]
    }
    if (certificateKinds.includes(groupKindOf(manifest.ref))) yield* namesOf(manifest)
    if (manifest.ref.kind === 'Ingress') yield* marksOfControllers
  },
  check({ change, base, head, isUsed, report, skip }) {
    const seen = new Set<string>()
    const own = new ClaimsByHost(change.kind === 'changed' ? tlsClaims(change.before) : [])
    for (const claim of unmadeClaims(change, head)) {
      const { secret, host, at } = claim
      if (seen.has(secret) || isNamedAlready(claim, base)) continue
      const user = at.manifest
      const beside = certificateMeant(claim, head)
      const certificate = certificateFor(claim, head)
      const possible = isPossible(secret)
      const other = mayBeTraefik(user, head) ? loadedFor(claim, head) : undefined
      const outcome = outcomeFor(claim, other, head)
      if (outcome === undefined || (possible && (!certificate || isUsed(secret)))) continue
      // Another rule reports that.
      if (isReportedAsMoved(claim, own, base, head)) continue
      seen.add(secret)
      const release = releaseMentioning(secret, head)
      if (release) {
        skip(at, `${nameOf(release.ref)} mentions the Secret ${secret}, and may create it`)
        continue
      }
      const names = { user: nameOf(user.ref), secret, host }
      if (!certificate) {
        // The API server refuses such an Ingress.
        if (user.ref.kind !== 'Ingress' && host !== '')
          report(at, 'impossible', { ...names, outcome }, { keys: [secret] })
        continue
      }
      const madeAt = certificate.root.at('spec', 'secretName')
      const made = madeAt.string ?? ''
      const why = possible ? 'which nothing here creates' : 'which is no valid name, so nothing can create it'
      const args = { ...names, why, certificate: nameOf(certificate.ref), made }
      const more = { keys: [secret], fix: at.string === secret ? replaced(at, made) : undefined }
      if (!beside && isInNamespaceOf(certificate, claim)) {
        report([at, madeAt], 'named', { ...args, outcome }, more)
        continue
      }
      if (!beside) {
        if (!other) report([at, madeAt], 'elsewhere', { ...args, outcome }, { keys: [secret] })
        continue
      }
      if (other) report([at, madeAt], 'ignored', { ...args, other: nameOf(other.ref) }, more)
      else if (areComparable(secret, made)) report([at, madeAt], 'missed', { ...args, outcome }, more)
    }
  },
})

/** The claims that a change writes for hosts from Secrets that nothing at the head makes. */
function unmadeClaims(change: Change, head: Snapshot): TlsClaim[] {
  if (change.kind === 'removed' || isCanary(change.after)) return []
  // A listener for all hosts has a certificate of its own; an entry of an Ingress without hosts may go without.
  const isJudged = ({ host, at: { manifest } }: TlsClaim) => host !== '' || manifest.ref.kind === 'Gateway'
  return claimsOf(change.after).filter((claim) => isJudged(claim) && claim.secret !== '' && !mayBeMade(claim, head))
}

/** The Certificate that a claim means. */
function certificateFor(claim: TlsClaim, head: Snapshot): Manifest | undefined {
  return certificateMeant(claim, head) ?? certificateElsewhere(claim, head) ?? certificateNamed(claim, head)
}

/** The Certificate in the namespace of a claim with the name that is claimed, if nothing uses its Secret. */
function certificateNamed(claim: TlsClaim, head: Snapshot): Manifest | undefined {
  return certificateKinds
    .flatMap((kind) => head.ofKind(kind))
    .filter((one) => one.ref.name === claim.secret && isInNamespaceOf(one, claim))
    .find((one) => {
      const made = one.root.at('spec', 'secretName').string
      return made && !isMounted(made, one, head) && !isTaken(made, one, claim, head)
    })
}

/** Whether an object names the Secret of a Certificate, or a tool copies it. */
function isTaken(made: string, certificate: Manifest, { namespace }: TlsClaim, head: Snapshot): boolean {
  const isNamed = usersOf(head).some((one) => one.secret === made && one.namespace === namespace)
  return isNamed || secretsMadeBy(certificate).some((one) => one.namespace === undefined)
}

/**
 * Whether the Secret was named before the change although nothing created it then either. What has no namespace may be
 * a part of what is deployed now, and an object of the same name in another namespace is made of the same files.
 */
function isNamedAlready({ secret, namespace, at }: TlsClaim, base: Snapshot): boolean {
  const own = at.manifest.ref
  const answers = namedBefore.get(base) ?? new Map<string, boolean>()
  namedBefore.set(base, answers)
  // A Secret has a claim for each of its hosts, all with one answer.
  const key = JSON.stringify([secret, namespace, own.kind, own.name])
  const isNamed =
    answers.get(key) ??
    usersOf(base)
      .filter((one) => one.secret === secret && !makerOf(one, base))
      .some(({ at: { manifest }, ...one }) => {
        if (one.namespace === namespace) return true
        return one.namespace !== '' && (manifest.ref.name !== own.name || manifest.ref.kind !== own.kind)
      })
  answers.set(key, isNamed)
  return isNamed
}

const namedBefore = new WeakMap<Snapshot, Map<string, boolean>>()

/** Whether the host had a Secret that something made: `secret-provided` reports that of Ingresses and Gateways. */
function isReportedAsMoved(claim: TlsClaim, own: ClaimsByHost, base: Snapshot, head: Snapshot): boolean {
  if (!claimKinds.some((kind) => kind === groupKindOf(claim.at.manifest.ref))) return false
  if ([claim.host, claim.secret].some(isPlaceholder)) return false
  return makerBefore(claim, own, base, head) !== undefined
}

/**
 * The Certificate in the namespace of a claim that is for its host and was meant: it has a name much like the one that
 * is claimed, or nothing uses it.
 */
function certificateMeant(claim: TlsClaim, head: Snapshot): Manifest | undefined {
  return certificatesFor(claim, head)
    .filter((one) => isInNamespaceOf(one, claim))
    .find((one) => isMeant(one, claim, head))
}

/**
 * The Certificate for the host of a claim in another namespace, with the name that is claimed for itself or its Secret,
 * where no tool copies that and no workload uses it.
 */
function certificateElsewhere(claim: TlsClaim, head: Snapshot): Manifest | undefined {
  const { namespace, secret } = claim
  if ([namespace, secret].some((one) => one === '' || isPlaceholder(one))) return undefined
  const fitting = certificatesFor(claim, head)
  if (fitting.some(({ ref }) => ['', namespace].includes(ref.namespace) || isPlaceholder(ref.namespace)))
    return undefined
  return fitting.find((one) => {
    const made = one.root.at('spec', 'secretName').string ?? ''
    if (made === '' || ![one.ref.name, made].includes(secret) || isMounted(made, one, head)) return false
    return secretsMadeBy(one).every((each) => each.namespace !== undefined)
  })
}

/** The Certificates of a cluster that are for the host of a claim. */
function certificatesFor(claim: TlsClaim, head: Snapshot): Manifest[] {
  if (claim.host === '') return []
  return certificateKinds
    .flatMap((kind) => head.ofKind(kind))
    .filter((one) => !one.root.at('spec', 'isCA').value)
    .filter((one) => namesOf(one).some((name) => areComparable(name, claim.host) && covers(name, claim.host)))
}

function isInNamespaceOf(certificate: Manifest, { namespace, at }: TlsClaim): boolean {
  if (certificate.ref.namespace !== namespace) return false
  return namespace !== '' || shareNamespace(certificate, at.manifest)
}

function isMeant(certificate: Manifest, claim: TlsClaim, head: Snapshot): boolean {
  const made = certificate.root.at('spec', 'secretName').string ?? ''
  if (!made || made === claim.secret || isMounted(made, certificate, head)) return false
  if (!isNamedForItsHosts(claim, certificate, head)) return false
  if (areAlike(claim.secret, made)) return true
  if (isTaken(made, certificate, claim, head)) return false
  return areComparable(claim.secret, made) && namesOf(certificate).includes(claim.host)
}

/** Whether others name the Secret of a claim only for hosts of a Certificate; one for further hosts is made by hand. */
function isNamedForItsHosts(claim: TlsClaim, certificate: Manifest, head: Snapshot): boolean {
  return usersOf(head)
    .filter((one) => one.secret === claim.secret && one.namespace === claim.namespace && !areOfOne(one, claim))
    .every(({ host }) => namesOf(certificate).some((name) => covers(name, host)))
}

/** Whether a workload or a release uses the Secret of a Certificate, which is for that then. */
function isMounted(secret: string, certificate: Manifest, head: Snapshot): boolean {
  return [...controllerKinds, ...releaseKinds]
    .flatMap((kind) => head.ofKind(kind))
    .filter(({ ref }) => ref.namespace === certificate.ref.namespace || releaseKinds.includes(groupKindOf(ref)))
    .some(({ object }) => mentions(object.content, secret))
}

/** Names that differ in one letter, in one part, in their variables alone, or in what no name may contain. */
function areAlike(one: string, other: string): boolean {
  if (oneEditFrom(one, [other]) !== undefined || differByOnePart(one, other)) return true
  const [own, its] = [textAround(one), textAround(other)]
  return own !== undefined && own.length > 1 && JSON.stringify(own) === JSON.stringify(its)
}

/** Whether a name is one that an object may have, as far as its text shows: a DNS subdomain. */
function isPossible(secret: string): boolean {
  const text = textAround(secret)
  return text === undefined || text.every((part) => /^[a-z0-9.-]*$/.test(part))
}

function wildcardOf(host: string): string {
  return `*${host.slice(host.indexOf('.'))}`
}

/** The effect of a Secret that is not there; undefined where a default certificate is meant to serve the host. */
function outcomeFor({ host, at: { manifest } }: TlsClaim, other: Manifest | undefined, head: Snapshot) {
  if (groupKindOf(manifest.ref) === proxyKind) return `Contour rejects it and does not serve ${host}`
  if (manifest.ref.kind === 'Gateway') return 'the listener has no certificate and serves nothing'
  if (tlsStoreKinds.some((kind) => head.ofKind(kind).length > 0)) return undefined
  if (other)
    return `Traefik serves ${host} only as long as ${nameOf(other.ref)} has it load a certificate for that host`
  if (manifest.ref.kind !== 'Ingress') return 'Traefik serves its default certificate, which clients reject'
  const takers = controllersHere(head).filter((one) => takesIngress(one, manifest, head))
  if (isManaged(manifest) || takers.some(({ defaultCertificate }) => defaultCertificate)) return undefined
  return outcomeWithout(certificateChoice(head, manifest))
}

/** Whether Traefik, whose routes share their certificates, may serve a route. */
function mayBeTraefik(user: Manifest, head: Snapshot): boolean {
  if (user.ref.kind !== 'Ingress') return isTraefikRoute(user)
  return certificateChoice(head, user)?.by === 'certificates'
}

/**
 * Whether a text has a name in another place than the field by which a route names a Secret: the routes of the cluster
 * are compared themselves, as are its Certificates, and one that a tool renders is written in a file that the change may
 * not touch.
 */
function isKnownIn(text: string, name: string): boolean {
  return text.split('\n---').some((document) => {
    if (/^kind: Certificate\b/m.test(document) && !document.includes('{{')) return false
    const isOfRoute = /kind: (?:Ingress(?:Route(?:TCP)?)?|HTTPProxy)\b/.test(document)
    const isOfGateway = document.includes('certificateRefs')
    return document.split(name).some((before, index, parts) => {
      if (!isWhole(before, parts[index + 1])) return false
      return !(isOfRoute && /secretName: *["']?$/.test(before)) && !(isOfGateway && /name: *["']?$/.test(before))
    })
  })
}
