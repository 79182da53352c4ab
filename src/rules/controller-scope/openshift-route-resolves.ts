import type { Snapshot } from '../../cluster/snapshot'
import { makerOf, misfitOf, servicesOf, usersOfService } from '../../kubernetes/charts/backend-services'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import type { Backend, ServicePort } from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { backendsOfOpenshiftRoute, offersToRoute, openshiftRouteKind } from '../../kubernetes/ingress/openshift-route'
import { enumerated } from '../../listing'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/openshift-route-resolves',
  summary: 'The Service and the port to which a Route of OpenShift sends requests are there.',
  since: '1.8.0',
  scope: 'snapshot',
  kinds: [openshiftRouteKind],
  reads: ['Service', ...releaseKinds],
  subjects: [{ kinds: [openshiftRouteKind] }],
  direct: true,
  messages: {
    // Source: openshift/router at 4b401a86dccc, pkg/router/template/template_helper.go, endpointsForAlias: an endpoint of another
    // port is left out; without a server, HAProxy answers 503
    port: ({ user, port, service, known }: { user: string; port: string; service: string; known: string }) =>
      `${user} sends requests to the port ${port} of ${service}, which has only ${known}, so the router answers 503. Write the name of a port of the Service, or the number of its targetPort.`,
    misnamed: ({ user, service, like }: { user: string; service: string; like: string }) =>
      `${user} sends requests to the Service ${service}, which is not in this repository, so they may fail. ${like}, to which nothing else here sends requests, has the port it asks for. Write the name of that one, or add the Service ${service}.`,
    removed: ({ user, service }: { user: string; service: string }) =>
      `This change removes ${service}, to which ${user} still sends requests, so the router answers 503. Restore it, or name another Service there.`,
  },
  putBack: { port: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind === 'Service') yield manifest.ref.name
    else for (const { service } of backendsOfOpenshiftRoute(manifest)) yield service
  },
  partnerKinds: ({ ref: { kind } }) => (kind === 'Service' ? [openshiftRouteKind, ...releaseKinds] : ['Service']),
  check({ manifest, snapshot, report }) {
    const user = nameOf(manifest.ref)
    for (const backend of backendsOfOpenshiftRoute(manifest)) {
      const { wanted, port, name, service } = backend
      const misfit = misfitOf(backend, snapshot, offersToRoute, openshiftRouteKind)
      if (misfit?.kind === 'misnamed' && usersOf(misfit.like, snapshot).length === 0) {
        const args = { user, service, like: nameOf(misfit.like.ref) }
        report([name, misfit.like.root.at('metadata', 'name')], 'misnamed', args, { keys: [service] })
      }
      if (misfit?.kind !== 'port') continue
      const known = enumerated(misfit.ports.map(inWords), 4)
      const args = { user, port: String(wanted), service: nameOf(misfit.service.ref), known }
      report([port, misfit.service.root.at('spec', 'ports')], 'port', args, { keys: [service, String(wanted)] })
    }
  },
  checkChange({ change, base, head, report, skip }) {
    if (change.kind !== 'removed' || change.before.ref.kind !== 'Service') return
    const removed = change.before
    if (isPlaceholder(removed.ref.name)) return
    for (const backend of usersOf(removed, head)) {
      if (servicesOf(backend, head).length > 0) continue
      const maker = makerOf(removed, base, head)
      if (maker) {
        skip(removed.root, `${nameOf(maker.ref)} may create the Service`)
        return
      }
      const user = nameOf(backend.name.manifest.ref)
      report([removed.root, backend.name], 'removed', { user, service: nameOf(removed.ref) }, { keys: [user] })
    }
  },
})

function usersOf(service: Manifest, snapshot: Snapshot): Backend[] {
  return usersOfService(service, snapshot, openshiftRouteKind, backendsOfOpenshiftRoute)
}

/** `http (8080)`: the name and the port of the Pods. A Route may write either. */
function inWords({ name, number, target }: ServicePort): string {
  const ofPods = String(target ?? number)
  return name ? `${name} (${ofPods})` : ofPods
}
