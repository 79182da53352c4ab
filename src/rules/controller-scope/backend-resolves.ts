import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Backend,
  backendKinds,
  backendsOf,
  portsOfService,
  type ServicePort,
  servicesNamedBy,
} from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { classOf } from '../../kubernetes/ingress/ingress-class'
import { mayShareNamespace, shareNamespace } from '../../kubernetes/object/namespace'
import { enumerated } from '../../listing'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/backend-resolves',
  summary: 'The Service and the port to which an Ingress or a route sends requests are there.',
  since: '1.6.0',
  scope: 'snapshot',
  assumed: { since: '1.6.0' },
  kinds: backendKinds,
  reads: ['Service', ...releaseKinds],
  subjects: [{ kinds: [...backendKinds, ...releaseKinds] }],
  direct: true,
  messages: {
    // Source: https://github.com/kubernetes/ingress-nginx/blob/controller-v1.15.1/internal/ingress/controller/controller.go,
    // serviceEndpoints: without endpoints, it answers 503; Traefik v3.7.9, pkg/provider/kubernetes/ingress/kubernetes.go,
    // loadService: it leaves the path out; Gateway API 1.6.1, apis/v1/httproute_types.go, BackendRefs: 500
    port: ({ user, port, service, known }: { user: string; port: string; service: string; known: string }) =>
      `${user} sends requests to the port ${port} of ${service}, which has only ${known}, so they fail. Name a port that the Service has, or add this one to it.`,
    removed: ({ user, service }: { user: string; service: string }) =>
      `This change removes ${service}, to which ${user} still sends requests, so they fail. Restore it, or name another Service there.`,
    // Source: Gateway API 1.6.1, apis/v1/object_reference_types.go, BackendObjectReference: port is an int32
    unnumbered: ({ user, port, service }: { user: string; port: string; service: string }) =>
      `${user} names the port ${port} of the Service ${service} by a name, and a backendRef takes a number alone, so the API server rejects the route. Write the number of the port.`,
  },
  putBack: { port: 'changed', unnumbered: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind === 'Service') yield manifest.ref.name
    else if (!releaseKinds.some((kind) => kind.startsWith(`${manifest.ref.kind}.`))) yield* servicesNamedBy(manifest)
  },
  check({ manifest, snapshot, report }) {
    for (const backend of distinct(manifest)) {
      const { port, wanted } = backend
      const user = nameOf(manifest.ref)
      if (manifest.ref.kind !== 'Ingress' && typeof wanted === 'string') {
        const args = { user, port: wanted, service: backend.service }
        report(port, 'unnumbered', args, { keys: [backend.service, wanted] })
        continue
      }
      if (wanted === undefined) continue
      const services = servicesOf(backend, snapshot)
      const [first] = services
      if (!first || !services.every((one) => isOf(backend, one))) continue
      const ports = services.map(portsOfService)
      if (ports.some((its) => !its || its.some((one) => offers(one, wanted, manifest)))) continue
      const known = enumerated((ports[0] ?? []).map(inWords), 4)
      const args = { user, port: String(wanted), service: nameOf(first.ref), known }
      report([port, first.root.at('spec', 'ports')], 'port', args, { keys: [backend.service, String(wanted)] })
    }
  },
  checkChange({ change, base, head, report, skip }) {
    if (change.kind !== 'removed' || change.before.ref.kind !== 'Service') return
    const removed = change.before
    if (isPlaceholder(removed.ref.name)) return
    for (const user of backendKinds.flatMap((kind) => head.ofKind(kind))) {
      const [backend] = backendsOf(user).filter((one) => one.service === removed.ref.name && isOf(one, removed))
      if (!backend || servicesOf(backend, head).length > 0) continue
      const maker = makerOf(removed, base, head)
      if (maker) {
        skip(removed.root, `${nameOf(maker.ref)}, which this change adds or edits, may create the Service`)
        return
      }
      const args = { user: nameOf(user.ref), service: nameOf(removed.ref) }
      report([removed.root, backend.name], 'removed', args, { keys: [nameOf(user.ref)] })
    }
  },
})

/** The backends of an object, each Service and port once. */
function distinct(manifest: Manifest): Backend[] {
  const found = new Map(
    backendsOf(manifest).map((one) => [JSON.stringify([one.namespace, one.service, one.wanted]), one] as const),
  )
  return [...found.values()]
}

/** The Services that a backend may mean: a tool may choose a namespace. */
function servicesOf({ name: { manifest }, service, namespace }: Backend, snapshot: Snapshot): Manifest[] {
  return snapshot
    .ofKind('Service')
    .filter(
      (one) =>
        one.ref.name === service &&
        (namespace === manifest.ref.namespace
          ? mayShareNamespace(one, manifest)
          : ['', namespace].includes(one.ref.namespace)),
    )
}

/** Whether a Service is the one that a backend means, for certain. */
function isOf({ name: { manifest }, namespace }: Backend, service: Manifest): boolean {
  return namespace === manifest.ref.namespace
    ? shareNamespace(service, manifest)
    : namespace !== '' && service.ref.namespace === namespace
}

/**
 * Whether a port is the one that is meant. Of an Ingress, ingress-nginx and HAProxy also take the port of the Pods. Source:
 * ingress-nginx controller-v1.15.1, internal/ingress/controller/controller.go, serviceEndpoints
 */
function offers({ name, number, target }: ServicePort, wanted: number | string, user: Manifest): boolean {
  if (name === wanted || number === wanted) return true
  return target === wanted && user.ref.kind === 'Ingress' && !readPortsAlone.some((one) => classOf(user)?.includes(one))
}

/** The classes of controllers that compare only the port of the Service. */
const readPortsAlone: readonly string[] = ['cilium', 'contour', 'kong', 'tailscale', 'traefik']

function inWords({ name, number }: ServicePort): string {
  return name ? `${name} (${number})` : String(number)
}

/** Groups whose kinds make no Service by themselves. */
const ownGroups: readonly string[] = ['', 'apps', 'batch', 'policy', 'autoscaling', 'networking.k8s.io']

/** An object that comes or changes and may create a Service of that name: the release of a chart, or one for an operator. */
function makerOf({ ref: { name } }: Manifest, base: Snapshot, head: Snapshot): Manifest | undefined {
  return head.manifests.find(
    ({ ref, object }) =>
      !ownGroups.includes(ref.group) &&
      !backendKinds.includes(`${ref.kind}.${ref.group}`) &&
      !base.get(ref).some((was) => was.object.content === object.content) &&
      (name.startsWith(ref.name) || mentionsOneOf(object.content, [name])),
  )
}
