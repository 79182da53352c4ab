import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, controllersHere } from '../../kubernetes/controllers/controller'
import { covers, isPlaceholder, routedHosts } from '../../kubernetes/ingress/ingress'
import { tlsStoreKinds } from '../../kubernetes/tls/certificate-choice'
import { RoutedHosts, tlsNameFor } from '../../kubernetes/tls/routed-hosts'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'ingress-tls/tls-kept',
  summary: 'A host that had TLS keeps it while it is routed.',
  since: '1.1.0',
  scope: 'change',
  kinds: ['Ingress.networking.k8s.io'],
  reads: ['Gateway.gateway.networking.k8s.io', ...controllerKinds, ...releaseKinds, ...tlsStoreKinds],
  assumed: true,
  messages: {
    lost: ({ host }: { host: string }) =>
      `This change removes TLS from ${host}, which is still routed. Add it back to the hosts of a TLS entry, or remove its rule.`,
    byDefault: ({ host, by }: { host: string; by: string }) =>
      `This change removes the TLS entry of ${host}; ${by} still serves it with its default certificate. Check that this certificate covers the host.`,
  },
  *partners(manifest) {
    // A copy of it.
    if (manifest.ref.kind === 'Ingress') yield manifest.ref.name
    const hosts = tlsHosts(manifest)
    if (hosts.size === 0) return
    yield* hosts.keys()
    // Objects that terminate TLS for hosts that no Ingress lists.
    yield 'default-ssl-certificate'
    yield 'defaultCertificate'
    yield 'kind: Gateway'
  },
  check({ change, head, report }) {
    if (change.kind === 'added') return
    const before = tlsHosts(change.before)
    if (before.size === 0) return
    const hosts = RoutedHosts.of(head)
    for (const [host, was] of before) {
      const at = hosts.route(host)
      if (!at || hosts.hasTls(host)) continue
      const by = defaultIn(head, host)
      // A placeholder is said as it is written.
      const name = isPlaceholder(host) ? (at.string ?? host) : host
      if (by) report([at, was], 'byDefault', { host: name, by }, { keys: [host] })
      else report([at, was], 'lost', { host: name }, { keys: [host] })
    }
  },
})

/** The routed hosts of an Ingress that its TLS entries list or cover, each at the name that does. */
function tlsHosts(ingress: Manifest): Map<string, Cursor> {
  const found = new Map<string, Cursor>()
  for (const host of routedHosts(ingress).keys()) {
    const name = tlsNameFor(ingress, host)
    if (name) found.set(host, name)
  }
  return found
}

/** The object in the cluster that terminates TLS for a host that no Ingress lists. */
function defaultIn(head: Snapshot, host: string): string | undefined {
  const controller = controllersHere(head).find(({ defaultCertificate }) => defaultCertificate)
  if (controller) return `${controller.manifest.ref.kind} ${controller.manifest.ref.name}`
  const store = tlsStoreKinds
    .flatMap((kind) => head.ofKind(kind))
    .find(({ root }) => root.at('spec', 'defaultCertificate').exists)
  if (store) return `TLSStore ${store.ref.name}`
  const gateway = head.ofKind('Gateway.gateway.networking.k8s.io').find(({ root }) =>
    [...root.at('spec', 'listeners').items()].some((listener) => {
      const name = listener.at('hostname').string
      return listener.at('protocol').string === 'HTTPS' && (name === undefined || covers(name, host))
    }),
  )
  return gateway && `Gateway ${gateway.ref.name}`
}
