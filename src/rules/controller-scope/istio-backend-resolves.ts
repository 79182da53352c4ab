import type { Snapshot } from '../../cluster/snapshot'
import { makerOf, misfitOf, servicesOf, usersOfService } from '../../kubernetes/charts/backend-services'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import type { Backend, ServicePort } from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import {
  backendsOfVirtualService,
  hostsIn,
  istioGroup,
  virtualServiceKind,
} from '../../kubernetes/ingress/virtual-service'
import { hasLikeParts } from '../../kubernetes/object/like-names'
import { enumerated } from '../../listing'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const serviceEntryKind: GroupKind = `ServiceEntry.${istioGroup}`

export default defineRule({
  id: 'controller-scope/istio-backend-resolves',
  summary: 'The Service and the port to which a VirtualService of Istio sends requests are there.',
  since: '1.9.0',
  scope: 'snapshot',
  kinds: [virtualServiceKind],
  reads: ['Service', serviceEntryKind, ...releaseKinds],
  subjects: [{ kinds: [virtualServiceKind] }],
  direct: true,
  messages: {
    // Source: istio/istio at 0a617ca985f9, pkg/config/analysis/analyzers/virtualservice/destinationhosts.go: the analyzer of Istio
    // reports a host and a port that are not found
    port: ({ user, port, service, known }: { user: string; port: string; service: string; known: string }) =>
      `${user} sends requests to the port ${port} of ${service}, which has only ${known}, so Envoy answers 503. Write the number of a port that the Service has.`,
    misnamed: ({ user, service, like }: { user: string; service: string; like: string }) =>
      `${user} sends requests to the Service ${service}, which is not in this repository, so they may fail. ${like}, to which nothing else here sends requests, has the port it asks for. Write the name of that one, or add the Service ${service}.`,
    removed: ({ user, service }: { user: string; service: string }) =>
      `This change removes ${service}, to which ${user} still sends requests, so Envoy answers 503. Restore it, or name another Service there.`,
  },
  putBack: { port: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind === 'Service') yield manifest.ref.name
    else for (const { service } of backendsOfVirtualService(manifest)) yield service
  },
  partnerKinds: ({ ref: { kind } }) =>
    kind === 'VirtualService' ? ['Service', serviceEntryKind] : [virtualServiceKind, ...releaseKinds],
  check({ manifest, snapshot, report }) {
    const user = nameOf(manifest.ref)
    for (const backend of backendsOfVirtualService(manifest)) {
      const { port, name, service, wanted } = backend
      const misfit = isEntry(name.string ?? '', snapshot)
        ? undefined
        : misfitOf(backend, snapshot, offers, virtualServiceKind, hasLikeParts)
      if (misfit?.kind === 'misnamed' && usersOf(misfit.like, snapshot).length === 0) {
        const args = { user, service, like: nameOf(misfit.like.ref) }
        report([name, misfit.like.root.at('metadata', 'name')], 'misnamed', args, { keys: [service] })
      }
      if (misfit?.kind !== 'port') continue
      const known = enumerated(misfit.ports.map(inWords), 4)
      const args = { user, port: String(wanted), service: nameOf(misfit.service.ref), known }
      const ends = [port, misfit.service.root.at('spec', 'ports')]
      report(ends, 'port', args, { keys: [service, String(wanted)] })
    }
  },
  checkChange({ change, base, head, report, skip }) {
    if (change.kind !== 'removed' || change.before.ref.kind !== 'Service') return
    const removed = change.before
    if (isPlaceholder(removed.ref.name)) return
    for (const backend of usersOf(removed, head)) {
      if (servicesOf(backend, head).length > 0 || isEntry(backend.name.string ?? '', head)) continue
      const maker = makerOf(removed, base, head)
      if (maker && maker.ref.group !== istioGroup) {
        skip(removed.root, `${nameOf(maker.ref)} may create the Service`)
        return
      }
      const user = nameOf(backend.name.manifest.ref)
      report([removed.root, backend.name], 'removed', { user, service: nameOf(removed.ref) }, { keys: [user] })
    }
  },
})

function usersOf(service: Manifest, snapshot: Snapshot): Backend[] {
  return usersOfService(service, snapshot, virtualServiceKind, backendsOfVirtualService)
}

/** Whether a ServiceEntry adds a host to the mesh. */
function isEntry(host: string, snapshot: Snapshot): boolean {
  return snapshot
    .ofKind(serviceEntryKind)
    .some(({ root }) => hostsIn(root.at('spec', 'hosts')).includes(host.toLowerCase()))
}

function offers({ number }: ServicePort, wanted: number | string): boolean {
  return number === wanted
}

function inWords({ name, number }: ServicePort): string {
  return name ? `${number} (${name})` : String(number)
}
