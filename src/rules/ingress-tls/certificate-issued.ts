import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder, tlsEntries } from '../../kubernetes/ingress/ingress'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { maySolve, selectionsOf, solversOf } from '../../kubernetes/tls/acme-solvers'
import { certManagerGroups, issuerOf, issuersNamed, issuersOf, shimAnnotation } from '../../kubernetes/tls/cert-manager'
import { faultsByAcme, faultsOfCertificate, usagesWithoutServer } from '../../kubernetes/tls/certificate-faults'
import { nanosecondsIn } from '../../kubernetes/tls/go-duration'
import { requestedNames } from '../../kubernetes/tls/requested-names'
import { secretOfCertificates, secretOfIngresses } from '../../kubernetes/tls/shared-secret'
import { producersOf } from '../../kubernetes/tls/tls-producer'
import { firstUserOf, namedSecrets } from '../../kubernetes/tls/tls-user'
import { abridged, enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { together, withKey, withoutKey } from '../../rule/fix'
import { defineRule, type ReportFunction } from '../../rule/rule'

const users = ['Ingress.networking.k8s.io', 'Gateway.gateway.networking.k8s.io']
const ofCertManager = (kind: string): GroupKind[] => certManagerGroups.map((group) => `${kind}.${group}`)

const messages = {
  incomplete: ({ missing, annotation }: { missing: string; annotation: string }) =>
    `This TLS entry has no ${missing}, so cert-manager, which ${annotation} enables, ignores it and issues no certificate. Set both hosts and secretName.`,
  twice: ({ secret, annotation }: { secret: string; annotation: string }) =>
    `Two TLS entries of this Ingress name the Secret ${secret}, so cert-manager, which ${annotation} enables, issues no certificate for the whole Ingress. Put all hosts into one entry, or use a separate Secret for each entry.`,
  bothIssuers: ({ other }: { other: string }) =>
    `cert-manager.io/cluster-issuer and ${other} are both set, so cert-manager issues no certificate. Keep only one of them.`,
  // Source: cert-manager 1.21, pkg/controller/acmeorders/util.go, applyIngressParameterAnnotationOverrides
  overridden: ({ first, second }: { first: string; second: string }) =>
    `${first} and ${second} are both set, and cert-manager accepts only one of them for an http01 challenge, so it issues no certificate. Keep only one of them.`,
  shared: ({ secret, ingresses }: { secret: string; ingresses: string }) =>
    `${ingresses} request one Secret, ${secret}, from cert-manager for different hosts, so only the hosts of the first one get a certificate. Use a separate Secret for each, or list all hosts in each.`,
  sharedFilled: ({ secret, ingresses }: { secret: string; ingresses: string }) =>
    `${ingresses} request one Secret, ${secret}, from cert-manager for hosts that differ whatever is filled in, so only the hosts of the first one get a certificate. Use a separate Secret for each, or list all hosts in each.`,
  // Source: cert-manager, internal/controller/certificates/certificates.go, CertificateOwnsSecret, since 1.13
  doubled: ({ secret, certificates, names }: Record<'secret' | 'certificates' | 'names', string>) =>
    `${certificates} write one Secret, ${secret}, for different names (${names}), so cert-manager issues only one of them, and before 1.13 both in turn without end: the other names get no certificate. Give each Certificate a Secret of its own, or list all names in one.`,
  labelled: ({ user, label }: { user: string; label: string }) =>
    `${user} has ${label} as a label, and cert-manager reads it from annotations only, so it issues no certificate for this TLS. Move it to metadata.annotations.`,
  issuerUnknown: ({ user, issuer, was }: { user: string; issuer: string; was: string }) =>
    `This change has ${user} name the ${issuer}, which is not in this repository, where it named the ${was}, which is, so its certificate may neither be issued nor renewed. Name an issuer that exists, or add this one to the repository.`,
  issuerKind: ({ user, issuer, other }: { user: string; issuer: string; other: string }) =>
    `${user} names the ${issuer}, which is not in this repository; only the ${other} of that name is. So cert-manager issues no certificate. Name the ${other}, or add the ${issuer}.`,
  issuerRemoved: ({ issuer, user }: { issuer: string; user: string }) =>
    `This change removes ${issuer}, but ${user} still names it, so its certificate is neither issued nor renewed. Keep the issuer, or change ${user} to another one.`,
  // Source: https://letsencrypt.org/docs/challenge-types/#http-01-challenge
  wildcard: ({ user, host, issuer }: { user: string; host: string; issuer: string }) =>
    `${user} requests a certificate for ${host} from ${issuer}, whose only solvers are of http01. Certificate authorities prove wildcards by dns01 alone, so no certificate is issued. Add a dns01 solver to ${issuer}, or list the hosts one by one.`,
  unsolved: ({ user, host, issuer, selected }: Record<'user' | 'host' | 'issuer' | 'selected', string>) =>
    `${user} requests a certificate for ${host} from ${issuer}, whose solvers select only ${selected}. So cert-manager has none for this host, and issues no certificate. Add a solver for the host to ${issuer}, or let a selector include it.`,
  rejected: ({ certificate, fault, remedy }: Record<'certificate' | 'fault' | 'remedy', string>) =>
    `cert-manager rejects ${certificate}, because ${fault}. ${remedy}`,
  byAcme: ({ certificate, issuer, fault, remedy }: Record<'certificate' | 'issuer' | 'fault' | 'remedy', string>) =>
    `${issuer} asks an ACME server, and no certificate is issued for ${certificate}, because ${fault}. ${remedy}`,
  // Source: cert-manager, pkg/util/pki/certificatetemplate.go: an issuer that signs itself takes the usages of the request.
  usages: ({ certificate, issuer, usages, user }: Record<'certificate' | 'issuer' | 'usages' | 'user', string>) =>
    `${certificate} requests a certificate from ${issuer} for ${usages}, not for server auth, and ${user} serves hosts with it, so clients reject it. Add server auth to its usages.`,
  // Source: cert-manager 1.21, internal/apis/certmanager/validation/certificate.go, ValidateDuration; without a duration
  // 90 days count (pkg/apis/certmanager/v1/const.go).
  renewal: ({ certificate, renewBefore, duration }: Record<'certificate' | 'renewBefore' | 'duration', string>) =>
    `cert-manager rejects ${certificate}, because its renewBefore of ${renewBefore} is not less than its duration of ${duration}. Lower renewBefore, or raise duration.`,
}

export default defineRule({
  id: 'ingress-tls/certificate-issued',
  summary: 'Every certificate that is requested from cert-manager can be issued.',
  since: '1.1.0',
  scope: 'snapshot',
  assumed: { since: '1.6.0', before: 'own' },
  kinds: [...users, ...ofCertManager('Certificate')],
  reads: ['Issuer', 'ClusterIssuer'].flatMap(ofCertManager),
  messages,
  later: {
    labelled: '1.5.0',
    issuerUnknown: '1.6.0',
    sharedFilled: '1.7.0',
    issuerKind: '1.7.0',
    renewal: '1.8.0',
    wildcard: '1.14.0',
    doubled: '1.18.0',
    overridden: '1.20.0',
    unsolved: '1.25.0',
    rejected: '1.26.0',
    byAcme: '1.26.0',
    usages: '1.26.0',
  },
  putBack: { issuerUnknown: 'changed' },
  *partners(manifest) {
    const { kind, name } = manifest.ref
    const issuer = issuerOf(manifest)
    if (issuer) yield issuer.name
    if (kind === 'Issuer' || kind === 'ClusterIssuer') yield name
    const made = manifest.root.at('spec', 'secretName').string
    if (kind === 'Certificate' && made) yield made
    if (shimAnnotation(manifest) || issuerLabel(manifest))
      for (const secret of namedSecrets(manifest)) yield secret.name
  },
  check({ manifest, snapshot, report, skip }) {
    checkKind(manifest, snapshot, report)
    checkWildcard(manifest, snapshot, report)
    checkSolvers(manifest, snapshot, report)
    if (manifest.ref.kind === 'Certificate') {
      checkRenewal(manifest, report)
      checkFaults(manifest, snapshot, report)
      checkUsages(manifest, snapshot, report)
      checkDoubled(manifest, snapshot, report)
      return
    }
    const by = shimAnnotation(manifest)
    const label = by ? undefined : issuerLabel(manifest)
    if (
      label &&
      namedSecrets(manifest).some((secret) => producersOf(snapshot, secret.namespace, secret.name).length === 0)
    ) {
      const args = { user: nameOf(manifest.ref), label: String(label.path.at(-1)) }
      const metadata = manifest.root.at('metadata')
      const annotations = metadata.at('annotations')
      const fix = together(
        withoutKey(metadata.at('labels'), args.label),
        withKey(annotations, args.label, JSON.stringify(label.string)),
      )
      // Another label in its place is no other finding.
      report(label, 'labelled', args, { fix })
    }
    if (!by) return
    const annotation = String(by.path.at(-1))
    checkIssuers(manifest, report)
    checkOverrides(manifest, snapshot, report)
    const seen = new Map<string, Cursor>()
    for (const { at, hosts, secretName } of tlsEntries(manifest)) {
      const secret = secretName.string
      const lacking = [...(hosts.length > 0 ? [] : [at.at('hosts')]), ...(secret ? [] : [secretName])]
      // The chart of an assumed Ingress may complete it.
      if (lacking[0] && !manifest.assumption) {
        const missing = lacking.map((cursor) => cursor.path.at(-1)).join(' and no ')
        const keys = secret ? [secret] : hosts.flatMap((host) => host.string ?? [])
        report(lacking[0], 'incomplete', { missing, annotation }, { keys })
      }
      const first = secret && seen.get(secret)
      if (secret && !first) seen.set(secret, secretName)
      if (!first) continue
      if (isPlaceholder(secret))
        skip(secretName, `the Secret name ${secret} is filled in before it reaches the cluster`)
      else report([secretName, first], 'twice', { secret, annotation }, { keys: [secret] })
    }
    for (const secret of seen.keys()) checkShared(manifest, secret, snapshot, report)
  },
  checkChange({ change, base, head, report }) {
    if (change.kind === 'changed') checkMoved(change.before, change.after, base, head, report)
    if (change.kind !== 'removed') return
    const { kind, group, namespace, name } = change.before.ref
    if (!certManagerGroups.includes(group) || kind === 'Certificate') return
    // For references, an issuer that moved to the other API group is the same one.
    if (certManagerGroups.some((other) => head.get({ ...change.before.ref, group: other }).length > 0)) return
    for (const user of [...users, ...ofCertManager('Certificate')].flatMap((one) => head.ofKind(one))) {
      const named = issuerOf(user)
      if (named?.kind !== kind || named.name !== name || head.get(user.ref)[0] !== user) continue
      if (kind === 'Issuer' && (user.ref.namespace !== namespace || !shareNamespace(user, change.before))) continue
      if (user.ref.kind !== 'Certificate' && namedSecrets(user).length === 0) continue
      const names = { issuer: nameOf(change.before.ref), user: nameOf(user.ref) }
      report([change.before.root, named.at], 'issuerRemoved', names, { keys: [name] })
    }
  },
})

/** Another issuer is reported where the former one is still there, so that issuers are kept in this repository. */
function checkMoved(
  before: Manifest,
  after: Manifest,
  base: Snapshot,
  head: Snapshot,
  report: ReportFunction<typeof messages>,
): void {
  const [was, now] = [issuerOf(before), issuerOf(after)]
  if (!was || !now || was.name === now.name || [was.name, now.name].some(isPlaceholder)) return
  if (after.ref.kind !== 'Certificate' && namedSecrets(after).length === 0) return
  const [former] = issuersNamed(was, head)
  if (!former || issuersNamed(was, base).length === 0 || issuersNamed(now, head).length > 0) return
  const names = { user: nameOf(after.ref), issuer: `${now.kind} ${now.name}`, was: `${was.kind} ${was.name}` }
  report([now.at, former.root], 'issuerUnknown', names, { keys: [now.name] })
}

/** Issuers and ClusterIssuers have names of their own, and an `issuerRef` without a kind means an Issuer. */
function checkKind(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const named = issuerOf(manifest)
  if (!named || isPlaceholder(named.name) || issuersNamed(named, snapshot).length > 0) return
  if (manifest.ref.kind !== 'Certificate' && namedSecrets(manifest).length === 0) return
  const kind = named.kind === 'Issuer' ? 'ClusterIssuer' : 'Issuer'
  const namespace = kind === 'Issuer' ? manifest.ref.namespace : ''
  const [other] = issuersNamed({ ...named, kind, namespace }, snapshot)
  if (!other || (kind === 'Issuer' && !isIssuerFor(manifest, other, snapshot))) return
  const [user, issuer] = [nameOf(manifest.ref), `${named.kind} ${named.name}`]
  const at = manifest.root.at('spec', 'issuerRef', 'kind')
  const end = manifest.ref.kind === 'Certificate' && at.exists ? at : named.at
  report([end, other.root], 'issuerKind', { user, issuer, other: kind }, { keys: [named.name] })
}

/** Reports the first wildcard that is requested from issuers which prove hosts by HTTP alone. */
function checkWildcard(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const wildcard = requestedNames(manifest).find(({ string }) => string?.startsWith('*.'))
  const issuers = issuersOf(manifest, snapshot)
  const [issuer] = issuers
  if (!wildcard || !issuer || !issuers.every(hasHttpAlone)) return
  const args = { user: nameOf(manifest.ref), host: wildcard.string ?? '', issuer: nameOf(issuer.ref) }
  report([wildcard, issuer.root.at('spec', 'acme', 'solvers')], 'wildcard', args, { keys: [args.host] })
}

/** Reports the first host that no solver of its issuers selects. */
function checkSolvers(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const issuers = issuersOf(manifest, snapshot)
  const [issuer] = issuers
  if (!issuer || issuers.some((one) => solversOf(one).length === 0)) return
  const solvers = issuers.flatMap(solversOf)
  const at = requestedNames(manifest).find(
    ({ string }) => string && !solvers.some((one) => maySolve(one, string, manifest)),
  )
  const host = at?.string
  if (!at || !host) return
  const args = { user: nameOf(manifest.ref), host, issuer: nameOf(issuer.ref) }
  const selected = abridged(selectionsOf(issuer))
  report([at, issuer.root.at('spec', 'acme', 'solvers')], 'unsolved', { ...args, selected }, { keys: [host] })
}

function hasHttpAlone({ root }: Manifest): boolean {
  const solvers = [...root.at('spec', 'acme', 'solvers').items()]
  return solvers.length > 0 && solvers.every((one) => one.at('http01').exists && !one.at('dns01').exists)
}

/** The label by which an author meant to name an issuer. */
function issuerLabel({ root }: Manifest): Cursor | undefined {
  const names = certManagerGroups.flatMap((group) => [`${group}/cluster-issuer`, `${group}/issuer`])
  return names.map((name) => root.at('metadata', 'labels', name)).find(({ exists }) => exists)
}

/** cert-manager refuses these pairs since 0.11: pkg/controller/certificate-shim/sync.go, issuerForIngressLike. */
const issuerAnnotations = ['cert-manager.io/issuer', 'cert-manager.io/issuer-kind', 'cert-manager.io/issuer-group']

function checkIssuers(manifest: Manifest, report: ReportFunction<typeof messages>): void {
  if (namedSecrets(manifest).length === 0) return
  const annotations = manifest.root.at('metadata', 'annotations')
  const other = issuerAnnotations.find((name) => annotations.at(name).exists)
  const cluster = 'cert-manager.io/cluster-issuer'
  if (!other || !annotations.at(cluster).exists) return
  const written = [...annotations.entries()].filter(([name]) => name === other || name === cluster)
  const ends = written.map(([, cursor]) => cursor).reverse()
  report(ends, 'bothIssuers', { other }, { keys: ends.flatMap((end) => end.string ?? []) })
}

/** Annotations of an Ingress that name the Ingress, or its class, by which cert-manager answers challenges. */
const overrides = ['http01-edit-in-place', 'http01-ingress-class', 'http01-ingress-ingressclassname'].map(
  (name) => `acme.cert-manager.io/${name}`,
)

function checkOverrides(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const annotations = manifest.root.at('metadata', 'annotations')
  const set = overrides.flatMap((name) => {
    const at = annotations.at(name)
    // The first of them is a switch.
    return at.string && (name !== overrides[0] || at.string === 'true') ? [{ name, at }] : []
  })
  const [first, second] = set
  const issuers = issuersOf(manifest, snapshot)
  if (!first || !second || manifest.ref.kind !== 'Ingress' || (issuers.length > 0 && !issuers.some(answersHttp))) return
  report([second.at, first.at], 'overridden', { first: first.name, second: second.name }, { keys: [] })
}

function answersHttp({ root }: Manifest): boolean {
  return [...root.at('spec', 'acme', 'solvers').items()].some((one) => one.at('http01').exists)
}

/** Reported once for all Ingresses that request one Secret, when the first of them is checked. */
function checkShared(
  manifest: Manifest,
  secret: string,
  snapshot: Snapshot,
  report: ReportFunction<typeof messages>,
): void {
  const shared = secretOfIngresses(manifest, secret, snapshot)
  if (!shared) return
  const names = shared.objects.map(({ ref }) => nameOf(ref))
  const ingresses = `${names[0]} and ${names.length > 2 ? `${names.length - 1} others` : names[1]}`
  const message = shared.names.some(isPlaceholder) ? 'sharedFilled' : 'shared'
  report(shared.ends, message, { secret, ingresses }, { keys: [secret] })
}

/** Reported once for all Certificates that write one Secret, when the first of them is checked. */
function checkDoubled(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const shared = secretOfCertificates(manifest, snapshot)
  if (!shared) return
  const { secret, objects, ends, names } = shared
  const certificates = enumerated(objects.map(({ ref }) => nameOf(ref)))
  report(ends, 'doubled', { secret, certificates, names: abridged(names, 4) }, { keys: [secret] })
}

/**
 * Whether an Issuer is the one that an object means. A ClusterIssuer often comes from elsewhere, so where clusters are
 * unknown, an Issuer of a folder of its own shows nothing.
 */
function isIssuerFor(manifest: Manifest, issuer: Manifest, { cluster }: Snapshot): boolean {
  if (!shareNamespace(manifest, issuer)) return false
  return cluster !== '' || folderOf(manifest) === folderOf(issuer)
}

/** Reports what no issuer, or none of an ACME server, issues. */
function checkFaults(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const certificate = nameOf(manifest.ref)
  for (const { at, ...words } of faultsOfCertificate(manifest))
    report(at, 'rejected', { certificate, ...words }, { keys: [words.fault] })
  const issuers = issuersOf(manifest, snapshot)
  const [server] = issuers.map(({ root }) => root.at('spec', 'acme', 'server'))
  if (!server || issuers.some(({ root }) => !root.at('spec', 'acme').isSet)) return
  const args = { certificate, issuer: nameOf(server.manifest.ref) }
  for (const { at, ...words } of faultsByAcme(manifest, server.string ?? ''))
    report([at, server], 'byAcme', { ...args, ...words }, { keys: [words.fault] })
}

/** Reports a certificate of an issuer of the cluster itself, which is not for servers, where it serves hosts. */
function checkUsages(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const usages = usagesWithoutServer(manifest)
  const issuers = issuersOf(manifest, snapshot)
  const [issuer] = issuers
  if (
    !usages ||
    !issuer ||
    issuers.some(({ root }) => !root.at('spec', 'ca').isSet && !root.at('spec', 'selfSigned').isSet)
  )
    return
  const user = firstUserOf(manifest.root.at('spec', 'secretName').string ?? '', manifest.ref.namespace, snapshot)
  if (!user) return
  const args = { certificate: nameOf(manifest.ref), issuer: nameOf(issuer.ref), user: nameOf(user.manifest.ref) }
  report([usages.at, user], 'usages', { ...args, usages: enumerated(usages.names) }, { keys: usages.names })
}

/** The validation of cert-manager's webhook. */
function checkRenewal({ ref, root }: Manifest, report: ReportFunction<typeof messages>): void {
  const [at, duration] = [root.at('spec', 'renewBefore'), root.at('spec', 'duration')]
  const whole = duration.string ?? '2160h'
  const [early, all] = [nanosecondsIn(at.string ?? ''), nanosecondsIn(whole)]
  if (early === undefined || all === undefined || early < all) return
  const args = { certificate: nameOf(ref), renewBefore: at.string ?? '', duration: whole }
  report(at, 'renewal', args, { keys: [args.renewBefore, whole] })
}

function folderOf({ values, origin }: Manifest): string {
  const { path } = (values?.owner ?? { origin }).origin
  return path.slice(0, path.lastIndexOf('/') + 1)
}
