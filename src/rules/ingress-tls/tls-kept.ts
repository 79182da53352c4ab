import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds, releaseMentioning } from '../../kubernetes/charts/chart-release'
import { classProvidersIn, takesClassOf } from '../../kubernetes/controllers/class-provider'
import {
  type Controller,
  controllerKinds,
  controllersHere,
  marksOfControllers,
} from '../../kubernetes/controllers/controller'
import { covers, isPlaceholder, tlsSecretNames, writtenHost } from '../../kubernetes/ingress/ingress'
import { classOf } from '../../kubernetes/ingress/ingress-class'
import { hasRouteWithTls, terminationOf } from '../../kubernetes/ingress/route-of-ingress'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { balancerLoss, managedCertificateKind, managedNames, uncertifiedBy } from '../../kubernetes/tls/balancer-tls'
import { tlsStoreKinds } from '../../kubernetes/tls/certificate-choice'
import { listenerLosses, webRouteKinds } from '../../kubernetes/tls/listener-loss'
import { routeTlsLoss, securedHostsOf, securedRouteKinds } from '../../kubernetes/tls/route-tls'
import { RoutedHosts, tlsHosts } from '../../kubernetes/tls/routed-hosts'
import { producerKinds } from '../../kubernetes/tls/tls-producer'
import { abridged } from '../../listing'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const gatewayKind = 'Gateway.gateway.networking.k8s.io'

export default defineRule({
  id: 'ingress-tls/tls-kept',
  summary: 'A host that had TLS keeps it while it is routed.',
  since: '1.1.0',
  scope: 'change',
  kinds: ['Ingress.networking.k8s.io', gatewayKind, managedCertificateKind, ...securedRouteKinds],
  reads: [
    ...webRouteKinds,
    'Namespace',
    'IngressClass.networking.k8s.io',
    ...producerKinds.filter((kind) => !['Ingress.networking.k8s.io', gatewayKind].includes(kind)),
    ...controllerKinds,
    ...releaseKinds,
    ...tlsStoreKinds,
  ],
  assumed: true,
  messages: {
    lost: ({ host }: { host: string }) =>
      `This change removes TLS from ${host}, which is still routed. Add it back to the hosts of a TLS entry, or remove its rule.`,
    byDefault: ({ host, by }: { host: string; by: string }) =>
      `This change removes the TLS entry of ${host}; ${by} still serves it with its default certificate. Check that this certificate covers the host.`,
    listener: ({ gateway, routes }: Record<'gateway' | 'routes', string>) =>
      `After this change ${gateway} has no listener with TLS for ${routes}, which it still takes, so browsers that ask for https get an error. Keep an HTTPS listener with its certificate.`,
    // Sources: kubernetes/tls/balancer-tls
    balancer: ({ ingress, hosts, why }: Record<'ingress' | 'hosts' | 'why', string>) =>
      `After this change the load balancer of ${ingress} ends no TLS for ${hosts}, as ${why}. Clients that ask for https get no answer. Put it back, or name another certificate.`,
    managed: ({ certificate, ingress, domains }: Record<'certificate' | 'ingress' | 'domains', string>) =>
      `This change removes ${certificate}, which ${ingress} still names for ${domains}, and no other certificate that it names is for that. Google deletes the certificate, so clients that ask for https get no answer or another name. Keep it until the Ingress names another one.`,
    // Sources: kubernetes/tls/route-tls
    unsecured: ({ route, hosts, outcome }: Record<'route' | 'hosts' | 'outcome', string>) =>
      `After this change ${route} ends no TLS for ${hosts}, which it still routes, and nothing else here does: ${outcome} of clients that ask for https. Put its TLS back, or first let another route end TLS for the host.`,
  },
  later: { balancer: '1.25.0', listener: '1.25.0', managed: '1.25.0', unsecured: '1.28.0' },
  putBack: { balancer: 'changed', byDefault: 'nothing', listener: 'changed', unsecured: 'changed' },
  *partners(manifest) {
    // A copy of it.
    if (manifest.ref.kind === 'Ingress') yield manifest.ref.name
    yield* managedNames(manifest)
    if (groupKindOf(manifest.ref) === managedCertificateKind) yield manifest.ref.name
    if (groupKindOf(manifest.ref) === gatewayKind) yield* [manifest.ref.name, 'Namespace']
    const hosts = [...tlsHosts(manifest).keys(), ...securedHostsOf(manifest)]
    if (hosts.length === 0) return
    yield* hosts
    // Objects that terminate TLS for hosts that no Ingress lists.
    yield 'default-ssl-certificate'
    yield 'defaultCertificate'
    yield 'kind: Gateway'
    // The controller of an Ingress of another class, and the producer of the Secret of one in another namespace.
    yield* marksOfControllers
    yield* tlsSecretNames(manifest).keys()
  },
  check({ change, base, head, report, skip, isWritten }) {
    if (change.kind === 'added') return
    if (securedRouteKinds.includes(groupKindOf(change.before.ref))) {
      const loss = change.kind === 'changed' ? routeTlsLoss(change.before, change.after, head) : undefined
      if (!loss || change.kind !== 'changed') return
      const { at, was, hosts, outcome } = loss
      const release = hosts.map((host) => releaseMentioning(host, head)).find((one) => one !== undefined)
      if (release) return skip(at, `${nameOf(release.ref)} mentions the host, and may end TLS for it`)
      report([at, was], 'unsecured', { route: nameOf(change.after.ref), hosts: abridged(hosts), outcome })
      return
    }
    if (groupKindOf(change.before.ref) === gatewayKind) {
      const losses = change.kind === 'changed' ? listenerLosses(change, base, head) : []
      for (const { lost, at, was, routes } of losses) {
        if (lost !== 'tls') continue
        const names = routes.map(({ ref }) => nameOf(ref)).sort()
        report([at, was], 'listener', { gateway: nameOf(change.before.ref), routes: abridged(names, 3) })
      }
      return
    }
    if (groupKindOf(change.before.ref) === managedCertificateKind) {
      if (change.kind !== 'removed' || head.get(change.before.ref).length > 0 || outlivesPrune(change.before)) return
      for (const { ingress, at, domains } of uncertifiedBy(change.before, head)) {
        const args = {
          certificate: nameOf(change.before.ref),
          ingress: nameOf(ingress.ref),
          domains: abridged(domains),
        }
        report([change.before.root, at], 'managed', args, { keys: [args.ingress] })
      }
      return
    }
    const loss = change.kind === 'changed' ? balancerLoss(change.before, change.after, base, head) : undefined
    if (loss && change.kind === 'changed') {
      const annotations = change.after.root.at('metadata', 'annotations')
      const ports = annotations.at('alb.ingress.kubernetes.io/listen-ports')
      const isListed = ports.string?.includes('"HTTPS"') ?? false
      const why = loss.cloud === 'Google' || !ports.exists || isListed ? 'it names no certificate any more' : noHttps
      const hosts = loss.hosts.length > 0 ? abridged(loss.hosts) : 'its hosts'
      const at = ports.exists ? ports : annotations
      report([at, loss.was], 'balancer', { ingress: nameOf(change.after.ref), hosts, why }, { keys: [loss.cloud] })
    }
    const before = tlsHosts(change.before)
    if (before.size === 0) return
    const hosts = RoutedHosts.of(head)
    for (const [host, was] of before) {
      const at = hosts.withoutTls(host, change.before, base)
      if (!at) continue
      // A change that first adds the annotation shows nothing of the cluster.
      const ended = terminationOf(was.manifest)
      const isOfRouter = ended !== undefined && hasRouteWithTls(at.manifest, host, base)
      if (isOfRouter && ended === 'passthrough' && terminationOf(at.manifest) === ended) continue
      const by = isOfRouter ? 'the router of OpenShift' : defaultIn(head, host, at.manifest, isWritten)
      // A placeholder is reported as written.
      const name = isPlaceholder(host) ? writtenHost(at, host) : host
      if (by) report([at, was], 'byDefault', { host: name, by }, { keys: [host] })
      else report([at, was], 'lost', { host: name }, { keys: [host] })
    }
  },
})

const noHttps = 'alb.ingress.kubernetes.io/listen-ports lists no HTTPS port any more'

/**
 * The object in the cluster that terminates TLS for a host that no Ingress lists; a Gateway that the change wrote is no
 * proof.
 */
function defaultIn(head: Snapshot, host: string, ingress: Manifest, isWritten: (manifest: Manifest) => boolean) {
  const controller = controllersHere(head).find((one) => one.defaultCertificate && mayTake(one, ingress, head))
  if (controller) return `${controller.manifest.ref.kind} ${controller.manifest.ref.name}`
  const store = tlsStoreKinds
    .flatMap((kind) => head.ofKind(kind))
    .find(({ root }) => root.at('spec', 'defaultCertificate').exists)
  if (store) return `TLSStore ${store.ref.name}`
  const gateways = head.ofKind(gatewayKind).filter((one) => !isWritten(one))
  const gateway = gateways.find(({ root }) =>
    [...root.at('spec', 'listeners').items()].some((listener) => {
      const name = listener.at('hostname').string
      return listener.at('protocol').string === 'HTTPS' && (name === undefined || covers(name, host))
    }),
  )
  return gateway && `Gateway ${gateway.ref.name}`
}

/** Whether a controller takes the class of an Ingress, or may, as far as the classes are known. */
function mayTake(controller: Controller, ingress: Manifest, head: Snapshot): boolean {
  const providers = classProvidersIn(head)
  return !providers || classOf(ingress) === undefined || takesClassOf(ingress, controller, providers)
}
