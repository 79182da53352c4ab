import { oneEditFrom } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds, releaseMentioning } from '../../kubernetes/charts/chart-release'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { type AbsentIssuer, absentIssuer } from '../../kubernetes/tls/absent-issuer'
import { certManagerGroups, issuerOf, issuerReferenceOf, type NamedIssuer } from '../../kubernetes/tls/cert-manager'
import { misgroupedIssuer } from '../../kubernetes/tls/issuer-group'
import { namedSecrets } from '../../kubernetes/tls/tls-user'
import { abridged } from '../../listing'
import type { Change } from '../../manifest/change'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import { withoutKey } from '../../rule/fix'
import { defineRule, type ReportFunction } from '../../rule/rule'

const ofCertManager = (kind: string): GroupKind[] => certManagerGroups.map((group) => `${kind}.${group}`)
const userKinds: readonly GroupKind[] = [
  'Ingress.networking.k8s.io',
  'Gateway.gateway.networking.k8s.io',
  ...ofCertManager('Certificate'),
]
const issuerKinds: readonly GroupKind[] = ['ClusterIssuer', 'Issuer'].flatMap(ofCertManager)

type Names = Record<'user' | 'issuer', string>

const messages = {
  misspelled: ({ user, issuer, meant }: Names & { meant: string }) =>
    `${user} names the ClusterIssuer ${issuer}, which is not in this repository and which no other file names, so cert-manager issues no certificate. Name ${meant}, which this repository has.`,
  // Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names
  unnameable: ({ user, issuer, kind }: Names & { kind: string }) =>
    `${user} names the ${kind} ${issuer}, and no object can have that name: a name has lower-case letters, digits, dashes and dots alone. So cert-manager issues no certificate. Write the name of an issuer that exists.`,
  unknown: ({ user, issuer, known }: Names & { known: string }) =>
    `${user} names the ClusterIssuer ${issuer}, which is not in this repository and which no other file names; this repository has ${known}. Unless another tool installs it, cert-manager issues no certificate. Name an issuer that exists, or add this one.`,
  // Source: cert-manager 1.21, pkg/apis/certmanager/v1/types_certificate.go, IssuerRef: an Issuer of the same namespace
  authority: ({ user, issuer, signer }: Names & { signer: string }) =>
    `${user} names the Issuer ${issuer}, and no Issuer here has that name: it is the name of a CA's certificate, with which ${signer} signs. So cert-manager issues no certificate. Name ${signer}.`,
  elsewhere: ({ user, issuer, namespace, other }: Names & Record<'namespace' | 'other', string>) =>
    `${user} names the Issuer ${issuer}, which its namespace ${namespace} does not have; ${other} is of another namespace, and cert-manager looks in that of the certificate alone. Unless another tool installs one, it issues no certificate. Add an Issuer to ${namespace}, or name a ClusterIssuer.`,
  absent: ({ user, issuer, namespace, known }: Names & Record<'namespace' | 'known', string>) =>
    `${user} names the Issuer ${issuer}, which is not in this repository and which no other file names; the namespace ${namespace} has ${known}. Unless another tool installs it, cert-manager issues no certificate. Name an issuer that exists, or add this one.`,
  group: ({ user, issuer, group }: Names & { group: string }) =>
    `${user} names an issuer of the group ${group}, which no object here has or defines; ${issuer} is of the group cert-manager.io. So cert-manager leaves the certificate to another controller, and nothing issues it. Write cert-manager.io, or leave the group out.`,
}

export default defineRule({
  id: 'ingress-tls/issuer-known',
  summary: 'An object that comes to request a certificate names an issuer that is here or that others name.',
  since: '1.8.0',
  scope: 'change',
  assumed: true,
  kinds: userKinds,
  reads: [...issuerKinds, ...releaseKinds],
  direct: true,
  messages,
  later: { unnameable: '1.14.0', authority: '1.24.0', elsewhere: '1.24.0', absent: '1.24.0', group: '1.25.0' },
  putBack: { unnameable: 'changed', authority: 'changed', elsewhere: 'changed', absent: 'changed', group: 'changed' },
  names: {
    *of({ change, base, head }) {
      const found = strangerIn(change, base, head)
      if (found) yield found.named.name
      const named = unnameableIn(change)
      if (named) yield named.name
      const absent = newlyAbsent(change, base, head)
      if (absent && !absent.signer && absent.elsewhere.length === 0) yield absent.named.name
      const misgrouped = misgroupedIssuer(change, base, head, userKinds)?.group.string
      if (misgrouped) yield misgrouped
    },
    // A text that names an issuer has that word, in the name of a field if nowhere else; a script may fill in a placeholder.
    isUsedIn: (text, name) => mentionsWhole(text, name) && (/[A-Z_]/.test(name) || /issuer/i.test(text)),
  },
  *partners(manifest) {
    const named = issuerReferenceOf(manifest)
    if (!named || !['Issuer', 'ClusterIssuer'].includes(named.kind)) return
    // A Certificate has the same line further in.
    for (const kind of new Set(['ClusterIssuer', named.kind]))
      yield* [`\nkind: ${kind}`, `"kind":"${kind}"`, `"kind": "${kind}"`]
    // The Certificate of a CA may have the name.
    if (named.kind === 'Issuer') yield named.name
  },
  partnerKinds: () => [...issuerKinds, ...ofCertManager('Certificate'), ...releaseKinds],
  check({ change, base, head, isUsed, report, skip }) {
    checkGroup(change, base, head, isUsed, report)
    const unnameable = unnameableIn(change)
    // A script may put a name in its place.
    if (unnameable && change.kind !== 'removed' && !isUsed(unnameable.name)) {
      const { kind, name, at } = unnameable
      return report(at, 'unnameable', { user: nameOf(change.after.ref), issuer: name, kind }, { keys: [name] })
    }
    const absent = newlyAbsent(change, base, head)
    if (absent && change.kind !== 'removed') reportAbsent(change.after, absent, head, isUsed, report)
    const found = strangerIn(change, base, head)
    if (!found || isUsed(found.named.name)) return
    const { named, issuers, user } = found
    const { name, at } = named
    const release = releaseMentioning(name, head)
    // The release that an assumed Ingress is from mentions it, too.
    if (release && !user.assumption) {
      skip(at, `${nameOf(release.ref)} mentions the ClusterIssuer ${name}, and may create it`)
      return
    }
    const names = issuers.map(({ ref }) => ref.name).sort()
    const meant = oneEditFrom(name, names)
    const args = { user: nameOf(user.ref), issuer: name }
    const ends = [at, ...issuers.filter(({ ref }) => meant === undefined || ref.name === meant).map(({ root }) => root)]
    if (meant) report(ends.slice(0, 2), 'misspelled', { ...args, meant }, { keys: [name] })
    else report(ends, 'unknown', { ...args, known: abridged(names) }, { keys: [name] })
  },
})

function checkGroup(
  change: Change,
  base: Snapshot,
  head: Snapshot,
  isUsed: (name: string) => boolean,
  report: ReportFunction<typeof messages>,
): void {
  const found = misgroupedIssuer(change, base, head, userKinds)
  const name = found?.group.string
  if (!found || !name || change.kind === 'removed' || isUsed(name) || releaseMentioning(name, head)) return
  const { after } = change
  if (after.ref.kind !== 'Certificate' && namedSecrets(after).length === 0) return
  const { group, issuer } = found
  const key = String(group.path.at(-1))
  const map =
    after.ref.kind === 'Certificate' ? after.root.at('spec', 'issuerRef') : after.root.at('metadata', 'annotations')
  const args = { user: nameOf(after.ref), issuer: nameOf(issuer.ref), group: name }
  report([group, issuer.root], 'group', args, { keys: [name], fix: withoutKey(map, key) })
}

/** The issuer that an object comes to name and that can have no such name. */
function unnameableIn(change: Change): NamedIssuer | undefined {
  if (change.kind === 'removed') return undefined
  const { after } = change
  const named = issuerOf(after)
  if (!named || isPlaceholder(named.name) || !/[A-Z_]/.test(named.name)) return undefined
  if (after.ref.kind !== 'Certificate' && namedSecrets(after).length === 0) return undefined
  return change.kind === 'changed' && issuerOf(change.before)?.name === named.name ? undefined : named
}

/** The Issuer that an object comes to name and that is not there. */
function newlyAbsent(change: Change, base: Snapshot, head: Snapshot): AbsentIssuer | undefined {
  if (change.kind === 'removed') return undefined
  const was = change.kind === 'changed' ? issuerOf(change.before) : undefined
  const absent = absentIssuer(change.after, head)
  if (!absent || was?.name === absent.named.name || (was && [base, head].every((side) => isHere(was, side))))
    return undefined
  return issuersNamedIn(base).has(placeOf(absent.named)) ? undefined : absent
}

const namedIn = new WeakMap<Snapshot, ReadonlySet<string>>()

/** The issuers that objects of a cluster name, by namespace and name. */
function issuersNamedIn(snapshot: Snapshot): ReadonlySet<string> {
  const known = namedIn.get(snapshot)
  if (known) return known
  const users = userKinds.flatMap((kind) => snapshot.ofKind(kind))
  const named = new Set(users.flatMap((one) => issuerOf(one) ?? []).map(placeOf))
  namedIn.set(snapshot, named)
  return named
}

function placeOf({ namespace, name }: Pick<NamedIssuer, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

interface Stranger {
  readonly user: Manifest
  readonly named: NamedIssuer
  /** The ClusterIssuers of the cluster. */
  readonly issuers: readonly Manifest[]
}

/** The ClusterIssuer that an object comes to name, where the cluster has others but not that one. */
function strangerIn(change: Change, base: Snapshot, head: Snapshot): Stranger | undefined {
  if (change.kind === 'removed') return undefined
  const { after } = change
  const named = issuerOf(after)
  if (named?.kind !== 'ClusterIssuer' || isPlaceholder(named.name)) return undefined
  if (after.ref.kind !== 'Certificate' && namedSecrets(after).length === 0) return undefined
  const was = change.kind === 'changed' ? issuerOf(change.before) : undefined
  // Another rule reports an issuer that replaces one that is here.
  if (was && (was.name === named.name || [base, head].every((side) => isHere(was, side)))) return undefined
  const all = issuerKinds.flatMap((kind) => head.ofKind(kind))
  if (all.some(({ ref }) => ref.name === named.name || isPlaceholder(ref.name))) return undefined
  if (userKinds.flatMap((kind) => base.ofKind(kind)).some((one) => issuerOf(one)?.name === named.name)) return undefined
  const issuers = all.filter(({ ref }) => ref.kind === 'ClusterIssuer')
  // A self-signed one is for other purposes.
  const isForClients = issuers.some(({ root }) => !root.at('spec', 'selfSigned').exists)
  return isForClients ? { user: after, named, issuers } : undefined
}

function isHere({ kind, name }: NamedIssuer, side: Snapshot): boolean {
  return ofCertManager(kind)
    .flatMap((one) => side.ofKind(one))
    .some(({ ref }) => ref.name === name)
}

function reportAbsent(
  user: Manifest,
  { named, signer, elsewhere, beside }: AbsentIssuer,
  head: Snapshot,
  isUsed: (name: string) => boolean,
  report: ReportFunction<typeof messages>,
): void {
  const { name, namespace, at } = named
  const args = { user: nameOf(user.ref), issuer: name, namespace }
  const more = { keys: [name] }
  const [other] = elsewhere
  // A release may create it in the namespace.
  const isMade = !signer && releaseMentioning(name, head) !== undefined
  // A self-signed one that others name is for other purposes.
  const taken = issuersNamedIn(head)
  const isForClients = beside.some(
    ({ ref, root }) => !root.at('spec', 'selfSigned').exists || !taken.has(placeOf({ namespace, name: ref.name })),
  )
  if (signer) report([at, signer.root], 'authority', { ...args, signer: nameOf(signer.ref) }, more)
  else if (other && !isMade) report([at, other.root], 'elsewhere', { ...args, other: nameOf(other.ref) }, more)
  else if (isForClients && !isMade && !isUsed(name)) {
    const known = abridged(beside.map((one) => one.ref.name).sort())
    report([at, ...beside.map(({ root }) => root)], 'absent', { ...args, known }, more)
  }
}
