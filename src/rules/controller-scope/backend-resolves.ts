import type { Snapshot } from '../../cluster/snapshot'
import { gitOpsKind } from '../../gitops/kinds'
import { isServiceOf, likeOf, makerOf, servicesOf } from '../../kubernetes/charts/backend-services'
import { chartMajorOf, ociRepositoryOf } from '../../kubernetes/charts/chart-major'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Backend,
  backendKinds,
  backendsOf,
  lacksOf,
  portsOfService,
  type ServicePort,
  servicesNamedBy,
} from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { classOf } from '../../kubernetes/ingress/ingress-class'
import { servicesIn } from '../../kubernetes/ingress/services'
import { mayShareNamespace } from '../../kubernetes/object/namespace'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/backend-resolves',
  summary: 'The Service and the port to which an Ingress or a route sends requests are there.',
  since: '1.7.0',
  scope: 'snapshot',
  assumed: { since: '1.7.0' },
  kinds: backendKinds,
  reads: ['Service', gitOpsKind.ociRepository, ...releaseKinds],
  subjects: [{ kinds: backendKinds }],
  direct: true,
  messages: {
    // Source: https://github.com/kubernetes/ingress-nginx/blob/controller-v1.15.1/internal/ingress/controller/controller.go,
    // serviceEndpoints: without endpoints, it answers 503; Traefik v3.7.9, pkg/provider/kubernetes/ingress/kubernetes.go,
    // loadService: it leaves the path out; Gateway API 1.6.1, apis/v1/httproute_types.go, BackendRefs: 500; Contour v1.33.6,
    // internal/dag/httpproxy_processor.go, computeRoutes: 503 where no service of a route is left
    port: ({ user, port, service, known }: { user: string; port: string; service: string; known: string }) =>
      `${user} sends requests to the port ${port} of ${service}, which has only ${known}, so they fail. Name a port that the Service has, or add this one to it.`,
    // Source: bjw-s-labs/helm-charts at common-4.1.1, charts/library/common, templates/classes/_ingress.tpl, _route.tpl and
    // templates/lib/service/_validate.tpl: No enabled Service (controller) found with this identifier
    unmade: ({ user, asks, known }: { user: string; asks: string; known: string }) =>
      `${user} asks for ${asks} of its values, which have only ${known}, so the chart refuses to render, and the release stays as it was. Use a name that is there, or add this one.`,
    renamed: ({ user, name, known }: { user: string; name: string; known: string }) =>
      `${user} sends requests to the Service ${name}, but the chart calls the Service which the values have as ${name} ${known}, so they fail. Write \`identifier: ${name}\`, or the whole name.`,
    suffixed: ({ user, name, known }: { user: string; name: string; known: string }) =>
      `${user} sends requests to the Service ${name}, but its values have one Service alone, which the chart calls ${known}, so they fail. Write the name ${known}, or an identifier.`,
    // Source: the same at common-3.7.3, templates/classes/_route.tpl: a backendRef has a name, which may be an identifier
    unread: ({ user, name, known }: { user: string; name: string; known: string }) =>
      `${user} names the service ${name} of its values by an identifier, which app-template reads in a backendRef from its version 4 on, so the route has no Service. Write \`name: ${known}\`.`,
    misnamed: ({ user, service, like }: { user: string; service: string; like: string }) =>
      `${user} sends requests to the Service ${service}, which is not in this repository, so they may fail. ${like}, to which nothing else here sends requests, has the port it asks for. Write the name of that one, or add the Service ${service}.`,
    removed: ({ user, service }: { user: string; service: string }) =>
      `This change removes ${service}, to which ${user} still sends requests, so they fail. Restore it, or name another Service there.`,
    // Source: Gateway API 1.6.1, apis/v1/object_reference_types.go, BackendObjectReference: port is an int32
    unnumbered: ({ user, port, service }: { user: string; port: string; service: string }) =>
      `${user} names the port ${port} of the Service ${service} by a name, and a backendRef takes a number alone, so the API server rejects the route. Write the number of the port.`,
  },
  later: { suffixed: '1.15.0' },
  putBack: {
    port: 'changed',
    renamed: 'changed',
    suffixed: 'changed',
    unmade: 'changed',
    unnumbered: 'changed',
    unread: 'changed',
  },
  *partners(manifest) {
    for (const { at, kind } of lacksOf(manifest)) {
      const owner = kind === 'name' || kind === 'suffix' ? manifest.assumption?.writtenAt(at.path).manifest : undefined
      const repository = owner && ociRepositoryOf(owner)
      if (repository) yield repository.name
    }
    if (manifest.ref.kind === 'Service') yield manifest.ref.name
    else {
      yield* servicesNamedBy(manifest)
      for (const { kind, text } of lacksOf(manifest)) if (kind === 'suffix') yield text
    }
  },
  partnerKinds(manifest) {
    if (manifest.ref.kind === 'Service') return ['Service', ...backendKinds, ...releaseKinds]
    const isSuffixed = lacksOf(manifest).some(({ kind }) => kind === 'suffix')
    return ['Service', gitOpsKind.ociRepository, ...(isSuffixed ? releaseKinds : [])]
  },
  check({ manifest, snapshot, report }) {
    for (const { at, kind, text, of, known } of lacksOf(manifest)) {
      const [user, names] = [nameOf(manifest.ref), enumerated(known, 4) || 'none']
      const keys = [kind, of, text]
      if (kind === 'port')
        report(at, 'port', { user, port: text, service: `the service ${of} of its values`, known: names }, { keys })
      else if (kind === 'service' || kind === 'controller') {
        const asks = kind === 'service' ? `the service ${text}` : `the controller ${of} for the service ${text}`
        report(at, 'unmade', { user, asks, known: names }, { keys })
      } else {
        const major = chartMajorFor(at, snapshot)
        if (major === undefined) continue
        const args = { user, name: text, known: names }
        if (kind === 'identifier' && major < 4) report(at, 'unread', args, { keys })
        if (kind === 'suffix' && major >= 2 && !isKnownService(text, manifest, snapshot) && !isRelease(text, snapshot))
          report(at, 'suffixed', args, { keys })
        const isWhole = kind === 'name' && major >= (manifest.ref.kind === 'Ingress' ? 3 : 4)
        if (isWhole && !isKnownService(text, manifest, snapshot)) report(at, 'renamed', args, { keys })
      }
    }
    for (const backend of distinct(manifest)) {
      const { port, wanted, isNumbered } = backend
      const user = nameOf(manifest.ref)
      if (isNumbered && typeof wanted === 'string') {
        const args = { user, port: wanted, service: backend.service }
        report(port, 'unnumbered', args, { keys: [backend.service, wanted] })
        continue
      }
      if (wanted === undefined) continue
      const services = servicesOf(backend, snapshot)
      const [first] = services
      const like = first ? undefined : likeOf(backend, snapshot, offers)
      if (like) {
        const { service, name } = backend
        report(
          [name, like.root.at('metadata', 'name')],
          'misnamed',
          { user, service, like: nameOf(like.ref) },
          { keys: [service] },
        )
      }
      if (!first || !services.every((one) => isServiceOf(backend, one))) continue
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
    const users = new Map<Manifest, Backend>()
    for (const backend of servicesIn(head).backendsTo(removed.ref.name)) {
      const user = backend.name.manifest
      if (isServiceOf(backend, removed) && !users.has(user)) users.set(user, backend)
    }
    for (const [user, backend] of users) {
      if (servicesOf(backend, head).length > 0) continue
      const maker = makerOf(removed, base, head)
      if (maker) {
        skip(removed.root, `${nameOf(maker.ref)} may create the Service`)
        return
      }
      const args = { user: nameOf(user.ref), service: nameOf(removed.ref) }
      report([removed.root, backend.name], 'removed', args, { keys: [nameOf(user.ref)] })
    }
  },
})

/** The first number of the version of the chart that an assumed object is made by, if that is known. */
function chartMajorFor({ manifest, path }: Cursor, snapshot: Snapshot): number | undefined {
  const owner = manifest.assumption?.writtenAt(path).manifest
  return owner && chartMajorOf(owner, snapshot)
}

function isKnownService(name: string, manifest: Manifest, snapshot: Snapshot): boolean {
  return servicesIn(snapshot)
    .named(name)
    .some((one) => mayShareNamespace(one, manifest))
}

/** Whether a release has a name: its chart may give it to a Service. */
function isRelease(name: string, snapshot: Snapshot): boolean {
  return releaseKinds.some((kind) => snapshot.ofKind(kind).some(({ ref }) => ref.name === name))
}

/** The backends of an object, each Service and port once. */
function distinct(manifest: Manifest): Backend[] {
  const found = new Map(
    backendsOf(manifest).map((one) => [JSON.stringify([one.namespace, one.service, one.wanted]), one] as const),
  )
  return [...found.values()]
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
