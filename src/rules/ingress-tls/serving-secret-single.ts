import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { shareNamespace } from '../../kubernetes/object/namespace'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

/** The newer one counts where both are written. Source: service-ca-operator, pkg/controller/api/api.go */
const annotations = ['beta', 'alpha'].map((stage) => `service.${stage}.openshift.io/serving-cert-secret-name`)

export default defineRule({
  id: 'ingress-tls/serving-secret-single',
  summary: 'OpenShift writes the serving certificates of two Services to two Secrets.',
  since: '1.13.0',
  scope: 'snapshot',
  kinds: ['Service'],
  direct: true,
  messages: {
    // Source: service-ca-operator, pkg/controller/servingcert/controller/secret_creating_controller.go, generateCert
    shared: ({ services, secret, which }: Record<'services' | 'secret' | 'which', string>) =>
      `${services} ask OpenShift for a serving certificate in one Secret, ${secret}, and it writes that of the first Service alone. So TLS to ${which} fails, and with it a Route that re-encrypts; name a Secret for each Service.`,
  },
  *partners(manifest) {
    const secret = secretOf(manifest)
    if (secret?.string) yield secret.string
  },
  nearKinds: () => ['Service'],
  check({ manifest, snapshot, report }) {
    const secret = secretOf(manifest)?.string ?? ''
    if (secret === '' || isPlaceholder(secret)) return
    const sharers = sharersOf(manifest, secret, snapshot)
    // It is reported once for all of them.
    if (sharers[0] !== manifest || sharers.length < 2) return
    const names = sharers.map(({ ref }) => nameOf(ref))
    const others = names.length - 1
    const services = `${names[0]} and ${others > 1 ? `${others} others` : names[1]}`
    const ends = sharers.flatMap((one) => secretOf(one) ?? [])
    report(ends, 'shared', { services, secret, which: others > 1 ? 'all others' : 'the other' }, { keys: [secret] })
  },
})

function secretOf({ root }: Manifest): Cursor | undefined {
  return annotations.map((key) => root.at('metadata', 'annotations', key)).find((one) => one.string)
}

/** The Services of a namespace that name a Secret, in an order of their own. */
function sharersOf(manifest: Manifest, secret: string, snapshot: Snapshot): Manifest[] {
  return snapshot
    .ofKind('Service')
    .filter((one) => snapshot.get(one.ref)[0] === one && secretOf(one)?.string === secret)
    .filter((one) => shareNamespace(manifest, one) && !isPlaceholder(one.ref.name))
    .sort((a, b) => (identityOf(a.ref) < identityOf(b.ref) ? -1 : 1))
}
