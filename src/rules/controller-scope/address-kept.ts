import { makerOf } from '../../kubernetes/charts/backend-services'
import { addressKinds, addressOf, settingsFor } from '../../kubernetes/charts/service-addresses'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { enumerated } from '../../listing'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/address-kept',
  summary: 'A Service whose address a proxy, a tunnel or an authentication uses is kept.',
  since: '1.15.0',
  scope: 'removal',
  kinds: ['Service'],
  reads: addressKinds.filter((kind) => kind !== 'Service'),
  direct: true,
  messages: {
    // Source: https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#namespaces-of-services
    removed: ({ service, users, address }: { service: string; users: string; address: string }) =>
      `This change removes ${service}, whose address ${address} is still in the settings of ${users}. It no longer resolves, so the requests that go there fail. Keep the Service, or change the address first.`,
  },
  *partners(manifest) {
    if (manifest.ref.kind === 'Service' && manifest.ref.namespace) yield addressOf(manifest)
  },
  partnerKinds: () => addressKinds,
  check({ removed, base, head, report, skip }) {
    const address = addressOf(removed)
    if (!removed.ref.namespace || isPlaceholder(address)) return
    const found = addressKinds
      .flatMap((kind) => head.ofKind(kind))
      .flatMap((one) => settingsFor(address, one).slice(0, 1))
    const [first] = found
    if (!first) return
    const maker = makerOf(removed, base, head)
    if (maker) {
      skip(first, `${nameOf(maker.ref)} may create the Service ${nameOf(removed.ref)}, whose address it has`)
      return
    }
    const users = [...new Set(found.map(({ manifest }) => nameOf(manifest.ref)))].sort()
    report(
      [removed.root, ...found],
      'removed',
      { service: nameOf(removed.ref), users: enumerated(users, 3), address },
      { keys: users },
    )
  },
})
