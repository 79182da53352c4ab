import { podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { likeOf, servicesOf } from '../../kubernetes/charts/backend-services'
import { mayBeMade } from '../../kubernetes/charts/makers'
import {
  type Backend,
  backendKinds,
  backendsOf,
  portsOfService,
  type ServicePort,
} from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { backendsOfOpenshiftRoute, openshiftRouteKind } from '../../kubernetes/ingress/openshift-route'
import { servicesIn } from '../../kubernetes/ingress/services'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { selects } from '../../kubernetes/object/service'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const userKinds = [...backendKinds, openshiftRouteKind]

export default defineRule({
  id: 'controller-scope/backend-beside',
  summary:
    'The Service to which an Ingress or a route sends requests is a Service, and in the namespace where it is looked for.',
  since: '1.8.0',
  scope: 'snapshot',
  kinds: userKinds,
  reads: ['Service', ...workloadKinds],
  subjects: [{ kinds: userKinds }],
  direct: true,
  messages: {
    // Source: Kubernetes, https://kubernetes.io/docs/concepts/services-networking/ingress/#resource-backend (the namespace of the
    // Ingress); Gateway API 1.6.1, apis/v1/object_reference_types.go, BackendObjectReference: without a namespace, that of the route
    elsewhere: ({ user, service, ...where }: { user: string; service: string; namespace: string; others: string }) =>
      `${user} sends requests to the Service ${service} of the namespace ${where.namespace}, and this repository has it only in the namespace ${where.others}, so they fail. Name a Service of the namespace ${where.namespace}, or move the route to the Service.`,
    workload: ({ user, name, workload, service }: Record<'user' | 'name' | 'workload' | 'service', string>) =>
      `${user} sends requests to the Service ${name}, which is not in this repository: ${workload} has that name, and ${service} has its Pods. So the requests fail. Write the name of that Service, or add the Service ${name}.`,
    portName: ({ user, name, service }: Record<'user' | 'name' | 'service', string>) =>
      `${user} sends requests to the Service ${name}, which is not in this repository: a port of ${service} has that name. So the requests fail. Write the name of that Service, and ${name} as the name of the port, or add the Service ${name}.`,
  },
  later: { portName: '1.9.0' },
  putBack: { elsewhere: 'changed', portName: 'changed', workload: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind === 'Service') yield manifest.ref.name
    else for (const { service } of backendsIn(manifest)) yield service
  },
  partnerKinds: ({ ref }) => (userKinds.includes(groupKindOf(ref)) ? ['Service', ...workloadKinds] : userKinds),
  check({ manifest, snapshot, report }) {
    if (manifest.assumption) return
    const user = nameOf(manifest.ref)
    const seen = new Set<string>()
    for (const backend of backendsIn(manifest)) {
      const { service, namespace, name } = backend
      const key = JSON.stringify([namespace, service])
      if (seen.has(key) || isPlaceholder(namespace) || servicesOf(backend, snapshot).length > 0) continue
      seen.add(key)
      const found = workloadOf(backend, snapshot)
      if (found && !likeOf(backend, snapshot, offers)) {
        const args = { user, name: service, workload: found.workload, service: nameOf(found.service.ref) }
        report([name, found.service.root.at('metadata', 'name')], 'workload', args, { keys: [service] })
        continue
      }
      const withPort = found ? undefined : serviceWithPort(backend, snapshot)
      if (withPort) {
        const args = { user, name: service, service: nameOf(withPort.ref) }
        report([name, withPort.root.at('spec', 'ports')], 'portName', args, { keys: [service] })
        continue
      }
      const others = servicesElsewhere(backend, snapshot)
      const [first] = others
      if (!first) continue
      const names = abridged([...new Set(others.map(({ ref }) => ref.namespace))])
      const args = { user, service, namespace, others: names }
      report([name, first.root.at('metadata', 'name')], 'elsewhere', args, { keys: [service, namespace] })
    }
  },
})

function backendsIn(manifest: Manifest): readonly Backend[] {
  return groupKindOf(manifest.ref) === openshiftRouteKind ? backendsOfOpenshiftRoute(manifest) : backendsOf(manifest)
}

/** The Services of that name and with that port in other namespaces; none where one may be made in the namespace that is meant. */
function servicesElsewhere({ service, namespace, wanted }: Backend, snapshot: Snapshot): Manifest[] {
  const named = servicesIn(snapshot).named(service)
  if (
    namespace === '' ||
    wanted === undefined ||
    named.some(({ ref }) => ref.namespace === '' || isPlaceholder(ref.namespace))
  )
    return []
  const fitting = named.filter((one) => portsOfService(one)?.some((port) => offers(port, wanted)))
  return fitting.length === 0 || mayBeMade(namespace, service, snapshot) ? [] : fitting
}

/** Controllers differ in whether they take the port of the Pods: here either shows which Service is meant. */
function offers({ name, number, target }: ServicePort, wanted: number | string): boolean {
  return [name, number, target].includes(wanted)
}

/** The workload or container that has the name of a backend, and the Service that has its Pods and the port. */
function workloadOf(backend: Backend, snapshot: Snapshot): { workload: string; service: Manifest } | undefined {
  const { service: name, namespace, wanted } = backend
  const user = backend.name.manifest
  if (wanted === undefined || namespace !== user.ref.namespace) return undefined
  for (const workload of snapshot.inNamespace(namespace)) {
    const called = workloadKinds.includes(groupKindOf(workload.ref)) ? calledSo(name, workload) : undefined
    if (called === undefined || !shareNamespace(workload, user)) continue
    const service = servicesIn(snapshot)
      .in(namespace)
      .find((one) => selects(one, workload) && portsOfService(one)?.some((port) => offers(port, wanted)))
    if (service && !mayBeMade(namespace, name, snapshot)) return { workload: called, service }
  }
  return undefined
}

/** A Service beside the route with a port of the name that is meant, if nothing may make a Service of that name. */
function serviceWithPort({ service: name, namespace, wanted, name: { manifest } }: Backend, snapshot: Snapshot) {
  if (namespace !== manifest.ref.namespace) return undefined
  const isMeant = (port: Cursor) => port.at('name').string === name && [name, port.at('port').value].includes(wanted)
  const found = servicesIn(snapshot)
    .in(namespace)
    .find((one) => shareNamespace(one, manifest) && [...one.root.at('spec', 'ports').items()].some(isMeant))
  return found && !mayBeMade(namespace, name, snapshot) ? found : undefined
}

function calledSo(name: string, workload: Manifest): string | undefined {
  const object = nameOf(workload.ref)
  if (workload.ref.name === name) return object
  const containers = podOf(workload).at('spec', 'containers').items()
  return [...containers].some((one) => one.at('name').string === name) ? `a container of ${object}` : undefined
}
