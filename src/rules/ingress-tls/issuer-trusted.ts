import type { Snapshot } from '../../cluster/snapshot'
import { certManagerGroups, issuerOf, type NamedIssuer } from '../../kubernetes/tls/cert-manager'
import { isStagingServer } from '../../kubernetes/tls/staging-server'
import { namedSecrets } from '../../kubernetes/tls/tls-user'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

const ofCertManager = (kind: string): GroupKind[] => certManagerGroups.map((group) => `${kind}.${group}`)
const issuerKinds = ['ClusterIssuer', 'Issuer'].flatMap(ofCertManager)

type Names = Record<'issuer' | 'server', string>

const messages = {
  changed: ({ issuer, server, was }: Names & { was: string }) =>
    `This change gives ${issuer} the test server ${server} in place of ${was}, so clients reject every certificate that it issues or renews from now on. Keep the former server, and add an issuer of its own for tests.`,
  named: ({ issuer, server }: Names) =>
    `${issuer} is named as one for production, and has the test server ${server}, so clients reject its certificates. Name the server for production, or rename the issuer.`,
  moved: ({ user, issuer, server, was }: Names & Record<'user' | 'was', string>) =>
    `This change has ${user} name the ${issuer}, which the test server ${server} serves, in place of the ${was}, so clients reject its next certificate. Name the former issuer.`,
}

export default defineRule({
  id: 'ingress-tls/issuer-trusted',
  summary: 'Certificates that clients trusted come from no test server of a certificate authority.',
  since: '1.12.0',
  scope: 'change',
  assumed: true,
  kinds: [
    'Ingress.networking.k8s.io',
    'Gateway.gateway.networking.k8s.io',
    ...ofCertManager('Certificate'),
    ...issuerKinds,
  ],
  direct: true,
  messages,
  putBack: { moved: 'changed', changed: 'changed', named: 'changed' },
  *partners(manifest) {
    const issuer = issuerOf(manifest)
    if (issuer) yield issuer.name
  },
  partnerKinds: () => issuerKinds,
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    if (issuerKinds.includes(groupKindOf(change.after.ref))) checkIssuer(change, report)
    else if (change.kind === 'changed') checkUser(change.before, change.after, base, head, report)
  },
})

function checkIssuer(change: Exclude<Change, { kind: 'removed' }>, report: ReportFunction<typeof messages>): void {
  const { after } = change
  const at = serverOf(after)
  const server = at.string ?? ''
  if (!isStagingServer(server) || isForTests(after.ref.name)) return
  const was = change.kind === 'changed' ? serverOf(change.before).string : undefined
  const args = { issuer: nameOf(after.ref), server }
  if (was && !isStagingServer(was)) report(at, 'changed', { ...args, was }, { keys: [server] })
  else if (!was && /prod/i.test(after.ref.name)) report(at, 'named', args, { keys: [server] })
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
  if (!isStagingServer(server)) return
  const args = { user: nameOf(after.ref), issuer: inWords(now), server, was: inWords(was) }
  report([now.at, at], 'moved', args, { keys: [now.name] })
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

function issuersNamed({ kind, namespace, name }: NamedIssuer, side: Snapshot): readonly Manifest[] {
  return certManagerGroups.flatMap((group) => side.get({ group, kind, namespace, name }))
}
