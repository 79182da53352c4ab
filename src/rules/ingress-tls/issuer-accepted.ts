import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { certManagerGroups } from '../../kubernetes/tls/cert-manager'
import { faultsOfIssuer } from '../../kubernetes/tls/issuer-faults'
import { directoriesInsteadOf } from '../../kubernetes/tls/public-authority'
import { alternatives } from '../../listing'
import { nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'ingress-tls/issuer-accepted',
  summary:
    'An issuer has the type, the solvers and the providers that cert-manager accepts, and the directory of an ACME server.',
  since: '1.19.0',
  scope: 'manifest',
  kinds: ['ClusterIssuer', 'Issuer'].flatMap((kind) => certManagerGroups.map((group) => `${kind}.${group}` as const)),
  messages: {
    refused: ({ issuer, fault, remedy }: Record<'issuer' | 'fault' | 'remedy', string>) =>
      `cert-manager rejects ${issuer}, because ${fault}: a new issuer is not created, and one that is in the cluster stays as it is. ${remedy}`,
    directory: ({ issuer, server, known }: Record<'issuer' | 'server' | 'known', string>) =>
      `${issuer} names the ACME server ${server}, which is no directory of that host, so cert-manager registers no account, and no certificate is issued or renewed. Set spec.acme.server to ${known}.`,
  },
  later: { directory: '1.26.0' },
  check({ manifest, report }) {
    const issuer = nameOf(manifest.ref)
    for (const { at, fault, remedy } of faultsOfIssuer(manifest.root.at('spec')))
      report(at, 'refused', { issuer, fault, remedy }, { keys: [fault] })
    const at = manifest.root.at('spec', 'acme', 'server')
    const server = at.string ?? ''
    const known = isPlaceholder(server) ? undefined : directoriesInsteadOf(server)
    const [only, ...others] = known ?? []
    if (!known || !only) return
    const fix = others.length === 0 ? replaced(at, only) : undefined
    report(at, 'directory', { issuer, server, known: alternatives(known) }, { keys: [server], fix })
  },
})
