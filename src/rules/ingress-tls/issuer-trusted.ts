import type { Snapshot } from '../../cluster/snapshot'
import { certManagerGroups, issuerOf, issuersNamed, type NamedIssuer } from '../../kubernetes/tls/cert-manager'
import { isPublicHost, isPublicServer } from '../../kubernetes/tls/public-authority'
import { requestedNames } from '../../kubernetes/tls/requested-names'
import { isStagingServer } from '../../kubernetes/tls/staging-server'
import { namedSecrets } from '../../kubernetes/tls/tls-user'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

const ofCertManager = (kind: string): GroupKind[] => certManagerGroups.map((group) => `${kind}.${group}`)
const issuerKinds = ['ClusterIssuer', 'Issuer'].flatMap(ofCertManager)
const userKinds = ['Ingress.networking.k8s.io', 'Gateway.gateway.networking.k8s.io', ...ofCertManager('Certificate')]

type Names = Record<'issuer' | 'server', string>

const messages = {
  changed: ({ issuer, server, was }: Names & { was: string }) =>
    `This change gives ${issuer} the test server ${server} in place of ${was}, so clients reject every certificate that it issues or renews from now on. Keep the former server, and add an issuer of its own for tests.`,
  named: ({ issuer, server }: Names) =>
    `${issuer} is named as one for production, and has the test server ${server}, so clients reject its certificates. Name the server for production, or rename the issuer.`,
  moved: ({ user, issuer, server, was }: Names & Record<'user' | 'was', string>) =>
    `This change has ${user} name the ${issuer}, which the test server ${server} serves, in place of the ${was}, so clients reject its next certificate. Name the former issuer.`,
  selfSigned: ({ issuer, was }: Record<'issuer' | 'was', string>) =>
    `This change makes ${issuer} self-signed, where ${was} issued its certificates, so clients reject every certificate that it issues or renews from now on. Keep the server, and add an issuer of its own for what is to be self-signed.`,
  movedSelfSigned: ({ user, issuer, was, server }: Record<'user' | 'issuer' | 'was' | 'server', string>) =>
    `This change has ${user} name the ${issuer}, which is self-signed, in place of the ${was}, whose certificates ${server} issues, so clients reject its next certificate. Name the former issuer.`,
}

export default defineRule({
  id: 'ingress-tls/issuer-trusted',
  summary:
    'Certificates that clients trusted come from no test server of a certificate authority, and from no self-signed issuer.',
  since: '1.12.0',
  scope: 'change',
  assumed: true,
  kinds: [...userKinds, ...issuerKinds],
  direct: true,
  messages,
  later: { selfSigned: '1.25.0', movedSelfSigned: '1.25.0' },
  putBack: {
    moved: 'changed',
    changed: 'changed',
    named: 'changed',
    selfSigned: 'changed',
    movedSelfSigned: 'changed',
  },
  *partners(manifest) {
    const issuer = issuerOf(manifest)
    if (issuer) yield issuer.name
    // The hosts of those that name it.
    if (isSelfSigned(manifest)) yield manifest.ref.name
  },
  partnerKinds: (manifest) => (issuerKinds.includes(groupKindOf(manifest.ref)) ? userKinds : issuerKinds),
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    if (issuerKinds.includes(groupKindOf(change.after.ref))) checkIssuer(change, head, report)
    else if (change.kind === 'changed') checkUser(change.before, change.after, base, head, report)
  },
})

function checkIssuer(
  change: Exclude<Change, { kind: 'removed' }>,
  head: Snapshot,
  report: ReportFunction<typeof messages>,
): void {
  const { after } = change
  if (change.kind === 'changed') checkSelfSigned(change.before, after, head, report)
  const at = serverOf(after)
  const server = at.string ?? ''
  if (!isStagingServer(server) || isForTests(after.ref.name)) return
  const was = change.kind === 'changed' ? serverOf(change.before).string : undefined
  const args = { issuer: nameOf(after.ref), server }
  if (was && !isStagingServer(was)) report(at, 'changed', { ...args, was }, { keys: [server] })
  else if (!was && /prod/i.test(after.ref.name)) report(at, 'named', args, { keys: [server] })
}

function checkSelfSigned(
  before: Manifest,
  after: Manifest,
  head: Snapshot,
  report: ReportFunction<typeof messages>,
): void {
  const was = serverOf(before).string ?? ''
  if (!isPublicServer(was) || !isSelfSigned(after) || isForTests(after.ref.name)) return
  const users = userKinds.flatMap((kind) => head.ofKind(kind)).filter((user) => isNamedBy(after, user))
  const [first] = users.filter(isForClients)
  // The users may be in charts from elsewhere.
  if (users.length > 0 && !first) return
  const at = after.root.at('spec', 'selfSigned')
  report([at, ...(first ? [issuerOf(first)?.at ?? first.root] : [])], 'selfSigned', { issuer: nameOf(after.ref), was })
}

function isNamedBy({ ref }: Manifest, user: Manifest): boolean {
  const named = issuerOf(user)
  return named?.kind === ref.kind && named.name === ref.name && named.namespace === ref.namespace
}

/** Whether an object requests a certificate that a public authority may issue, and that is not for signing others. */
function isForClients(user: Manifest): boolean {
  if (user.ref.kind === 'Certificate' ? user.root.at('spec', 'isCA').value === true : namedSecrets(user).length === 0)
    return false
  return requestedNames(user).some(({ string }) => string !== undefined && isPublicHost(string))
}

function isSelfSigned({ ref, root }: Manifest): boolean {
  return issuerKinds.includes(groupKindOf(ref)) && root.at('spec', 'selfSigned').exists
}

function checkUser(
  before: Manifest,
  after: Manifest,
  base: Snapshot,
  head: Snapshot,
  report: ReportFunction<typeof messages>,
): void {
  const [was, now] = [issuerOf(before), issuerOf(after)]
  if (!was || !now || was.name === now.name || isForTests(was.name)) return
  if (after.ref.kind !== 'Certificate' && namedSecrets(after).length === 0) return
  const former = issuersNamed(was, base)
  const [issuer, ...others] = issuersNamed(now, head)
  if (!issuer || others.length > 0 || former.some((one) => isStagingServer(serverOf(one).string ?? ''))) return
  const at = serverOf(issuer)
  const server = at.string ?? ''
  const args = { user: nameOf(after.ref), issuer: inWords(now), was: inWords(was) }
  if (isStagingServer(server)) report([now.at, at], 'moved', { ...args, server }, { keys: [now.name] })
  if (!isSelfSigned(issuer) || !isForClients(after)) return
  const servers = former.map((one) => serverOf(one).string ?? '')
  const [trusted] = servers
  if (trusted === undefined || !servers.every(isPublicServer)) return
  const ends = [now.at, issuer.root.at('spec', 'selfSigned')]
  report(ends, 'movedSelfSigned', { ...args, server: trusted }, { keys: [now.name] })
}

/** Whether an author calls an issuer one for tests. */
function isForTests(name: string): boolean {
  return /stag|stg|test|dev/i.test(name)
}

function serverOf({ root }: Manifest): Cursor {
  return root.at('spec', 'acme', 'server')
}

function inWords({ kind, name }: NamedIssuer): string {
  return `${kind} ${name}`
}
