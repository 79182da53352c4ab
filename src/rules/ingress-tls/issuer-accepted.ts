import { certManagerGroups } from '../../kubernetes/tls/cert-manager'
import { faultsOfIssuer } from '../../kubernetes/tls/issuer-faults'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'ingress-tls/issuer-accepted',
  summary: 'An issuer has the type, the solvers and the providers that cert-manager accepts.',
  since: '1.19.0',
  scope: 'manifest',
  kinds: ['ClusterIssuer', 'Issuer'].flatMap((kind) => certManagerGroups.map((group) => `${kind}.${group}` as const)),
  messages: {
    refused: ({ issuer, fault, remedy }: Record<'issuer' | 'fault' | 'remedy', string>) =>
      `cert-manager rejects ${issuer}, because ${fault}: a new issuer is not created, and one that is in the cluster stays as it is. ${remedy}`,
  },
  check({ manifest, report }) {
    const issuer = nameOf(manifest.ref)
    for (const { at, fault, remedy } of faultsOfIssuer(manifest.root.at('spec')))
      report(at, 'refused', { issuer, fault, remedy }, { keys: [fault] })
  },
})
