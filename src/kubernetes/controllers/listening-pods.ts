import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { isServiceOf } from '../charts/backend-services'
import { labelOfReleased, podsReleasedBy, type ReleasedPods } from '../charts/chart-pods'
import { releaseKinds } from '../charts/chart-release'
import { portsOfService } from '../ingress/backend'
import { isPlaceholder } from '../ingress/ingress'
import { servicesIn } from '../ingress/services'
import { selects } from '../object/service'
import { workloadsLabelled } from '../workload/serving-pods'
import { writtenLabel } from './label-answer'
import type { PodPort } from './policy-port'
import { labelNamed, type PolicyPart, type SelectedPods, selectsPods } from './ways-in'

/** A port of a Service, and the port of the Pods to which it sends requests. */
export interface OfferedPort {
  readonly number: number
  readonly name: string | undefined
  readonly target: PodPort
  /** The Service as a message names it. */
  readonly service: string
  /** Whether clients from outside get to the Service, by its type or by a route. */
  readonly isExposed: boolean
  readonly at: Cursor
}

/** Pods whose ports are known. */
export interface ListeningPods extends SelectedPods {
  readonly name: string
  /** The place from which their ports are known. */
  readonly at: Cursor
  readonly numbers: ReadonlySet<number>
  readonly portNames: ReadonlySet<string>
  readonly offered: readonly OfferedPort[]
  /** Whether the offered ports are those for all clients of a controller. */
  readonly takesTraffic: boolean
}

export const gatewayKind: GroupKind = 'Gateway.gateway.networking.k8s.io'
export const gatewayClassKind: GroupKind = 'GatewayClass.gateway.networking.k8s.io'
export const envoyProxyKind: GroupKind = 'EnvoyProxy.gateway.envoyproxy.io'

const owningGatewayLabel = 'gateway.envoyproxy.io/owning-gateway-name'

/** Whether a label is one by which policies select the Pods of Gateways of Envoy Gateway: those of one Gateway, or of all. */
export function isOfEnvoyProxies(key: string, value: string | undefined): boolean {
  const name = labelNamed(key)
  return name === owningGatewayLabel || (name === 'app.kubernetes.io/name' && value === 'envoy')
}

/** The Pods that a part of a policy selects by a label, as far as their ports are known; undefined where some are not. */
export function podsSelectedBy(part: PolicyPart, snapshot: Snapshot): ListeningPods[] | undefined {
  const { namespace } = part.policy.ref
  const [first] = [...part.selector.at('matchLabels').entries()]
  if (!first || namespace === '') return undefined
  const [key, { string }] = [labelNamed(first[0]), first[1]]
  if (string === undefined || isPlaceholder(string)) return undefined
  const workloads = workloadsLabelled(namespace, key, string, snapshot).map((one) => ofWorkload(one, snapshot))
  const selected = workloads.filter((pods) => selectsPods(part, pods) !== false)
  if (selected.some(({ numbers, at }) => numbers.size === 0 || isOnNodes(at))) return undefined
  const others = [...ofGateways(part, snapshot), ...ofReleases(part, snapshot)]
  return [...selected.filter((pods) => selectsPods(part, pods)), ...others]
}

function isOnNodes({ manifest }: Cursor): boolean {
  return podOf(manifest).at('spec', 'hostNetwork').value === true
}

function ofWorkload(workload: Manifest, snapshot: Snapshot): ListeningPods {
  const pod = podOf(workload)
  const [started, containers] = [pod.at('spec', 'initContainers'), pod.at('spec', 'containers')]
  const ports = [...started.items(), ...containers.items()].flatMap((one) => [...one.at('ports').items()])
  const known = ports.flatMap((one) => {
    const number = one.at('containerPort').value
    return typeof number === 'number' ? [{ number, name: one.at('name').string }] : []
  })
  const areKnown = known.length === ports.length
  const portAt = (number: number): PodPort => ({
    number,
    names: known.flatMap((one) => (one.number === number ? (one.name ?? []) : [])),
  })
  return {
    name: `the Pods of ${nameOf(workload.ref)}`,
    namespace: workload.ref.namespace,
    manifest: workload,
    labelOf: (key) => writtenLabel(pod.at('metadata', 'labels', key)),
    at: containers,
    numbers: new Set(areKnown ? known.map(({ number }) => number) : []),
    portNames: new Set(known.flatMap(({ name }) => name ?? [])),
    get offered() {
      const services = servicesIn(snapshot).in(workload.ref.namespace)
      return services
        .filter((one) => selects(one, workload))
        .flatMap((one) => offeredBy(one, known, portAt, isExposed(one, snapshot)))
    },
    takesTraffic: false,
  }
}

function isExposed(service: Manifest, snapshot: Snapshot): boolean {
  const { backendsTo } = servicesIn(snapshot)
  return (
    ['LoadBalancer', 'NodePort'].includes(service.root.at('spec', 'type').string ?? '') ||
    backendsTo(service.ref.name).some((backend) => isServiceOf(backend, service))
  )
}

/** The TCP ports of a Service that lead to a known port of Pods; a Service without an address leads to none but its own. */
export function offeredBy(
  service: Manifest,
  known: readonly { readonly number: number; readonly name: string | undefined }[],
  portAt: (number: number) => PodPort,
  isExposed: boolean,
): OfferedPort[] {
  const spec = service.root.at('spec')
  if (!portsOfService(service)) return []
  const hasAddress = spec.at('clusterIP').string !== 'None'
  return [...spec.at('ports').items()].flatMap((one): OfferedPort[] => {
    const number = one.at('port').value
    const target = one.at('targetPort').value ?? number
    const to = typeof target === 'string' ? known.find(({ name }) => name === target)?.number : target
    if (typeof number !== 'number' || typeof to !== 'number' || (one.at('protocol').string ?? 'TCP') !== 'TCP')
      return []
    if (!hasAddress && to !== number) return []
    const at = one.at('targetPort').exists ? one.at('targetPort') : one.at('port')
    return [{ number, name: one.at('name').string, target: portAt(to), service: nameOf(service.ref), isExposed, at }]
  })
}

/** The distance by which Envoy Gateway shifts ports that need privileges. */
const shift = 10_000

/**
 * The Pods of a Gateway of Envoy Gateway. Source: https://gateway.envoyproxy.io/docs/api/extension_types/,
 * useListenerPortAsContainerPort, and envoyproxy/gateway v1.5.0, internal/gatewayapi/translator.go
 */
function ofGateways(part: PolicyPart, snapshot: Snapshot): ListeningPods[] {
  const labels = [...part.selector.at('matchLabels').entries()]
  if (!labels.some(([key, { string }]) => isOfEnvoyProxies(key, string))) return []
  const isOfOne = labels.some(([key]) => labelNamed(key) === owningGatewayLabel)
  // Without the name of one, Pods of another program may have the label: those of Gateways are in the namespace of Gateways.
  const gateways = snapshot
    .ofKind(gatewayKind)
    .filter((one) => isOfOne || one.ref.namespace === part.policy.ref.namespace)
    .filter((one) => classesOfEnvoy(one, snapshot).length > 0)
    .map((one) => ({ one, pods: podsOfGateway(one, part) }))
    .filter(({ pods }) => selectsPods(part, pods) !== false)
  const areKnown = gateways.every(({ one }) => snapshot.get(one.ref).length === 1 && hasShiftedPorts(one, snapshot))
  return areKnown ? gateways.map(({ pods }) => pods) : []
}

function podsOfGateway(gateway: Manifest, part: PolicyPart): ListeningPods {
  const given: Readonly<Record<string, string>> = {
    [owningGatewayLabel]: gateway.ref.name,
    'gateway.envoyproxy.io/owning-gateway-namespace': gateway.ref.namespace,
    'app.kubernetes.io/name': 'envoy',
    'app.kubernetes.io/component': 'proxy',
    'app.kubernetes.io/managed-by': 'envoy-gateway',
  }
  const listeners = [...gateway.root.at('spec', 'listeners').items()]
  const offered = listeners.flatMap((listener): OfferedPort[] => {
    const number = listener.at('port').value
    if (typeof number !== 'number' || listener.at('protocol').string === 'UDP') return []
    const target = { number: number < 1024 ? number + shift : number, names: [] }
    return [{ number, name: undefined, target, service: 'their Service', isExposed: true, at: listener.at('port') }]
  })
  return {
    name: `the Pods of ${nameOf(gateway.ref)}`,
    namespace: part.policy.ref.namespace,
    manifest: gateway,
    labelOf: (key) => (Object.hasOwn(given, key) ? { value: given[key] } : undefined),
    at: gateway.root.at('spec', 'listeners'),
    // The ports for metrics, readiness and shutdown, too.
    numbers: new Set([...offered.map(({ target }) => target.number), 19_001, 19_002, 19_003]),
    portNames: new Set(['metrics', 'readiness', 'shutdown-manager']),
    offered,
    takesTraffic: false,
  }
}

/** The classes of a Gateway, if Envoy Gateway serves all of that name. */
function classesOfEnvoy(gateway: Manifest, snapshot: Snapshot): Manifest[] {
  const name = gateway.root.at('spec', 'gatewayClassName').string
  const classes = snapshot.ofKind(gatewayClassKind).filter(({ ref }) => ref.name === name)
  const isIts = ({ root }: Manifest) =>
    root.at('spec', 'controllerName').string === 'gateway.envoyproxy.io/gatewayclass-controller'
  return classes.every(isIts) ? classes : []
}

/** Whether Envoy Gateway shifts the ports of a Gateway, as far as objects of this repository say how it runs. */
function hasShiftedPorts(gateway: Manifest, snapshot: Snapshot): boolean {
  const references = [
    gateway.root.at('spec', 'infrastructure', 'parametersRef'),
    ...classesOfEnvoy(gateway, snapshot).map(({ root }) => root.at('spec', 'parametersRef')),
  ].filter(({ exists }) => exists)
  return references.every((reference) => {
    const proxies = snapshot.ofKind(envoyProxyKind).filter(({ ref }) => ref.name === reference.at('name').string)
    return proxies.length > 0 && proxies.every(shiftsPorts)
  })
}

function shiftsPorts({ root }: Manifest): boolean {
  const spec = root.at('spec')
  return !spec.at('mergeGateways').exists && !spec.at('provider', 'kubernetes', 'useListenerPortAsContainerPort').exists
}

const released = new WeakMap<Snapshot, readonly ReleasedPods[]>()

/** The Pods of all releases of charts that are not here. */
function releasedIn(snapshot: Snapshot): readonly ReleasedPods[] {
  const known = released.get(snapshot)
  if (known) return known
  const found = releaseKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap((one) => podsReleasedBy(one, snapshot))
  released.set(snapshot, found)
  return found
}

/** The Pods of releases that a part of a policy selects by a label of their chart. */
function ofReleases(part: PolicyPart, snapshot: Snapshot): ListeningPods[] {
  const { namespace } = part.policy.ref
  const selecting = [...part.selector.at('matchLabels').entries()].map(([key, { string }]) => [labelNamed(key), string])
  return releasedIn(snapshot)
    .filter(({ release, facts }) => {
      const isNamed = selecting.some(
        ([key, value = '']) => key !== undefined && Object.hasOwn(facts.labels, key) && facts.labels[key] === value,
      )
      return isNamed && release.namespace === namespace
    })
    .map((pods): ListeningPods => {
      const { facts, release, numbers } = pods
      const offered = facts.ports.map(({ name, number, offered: port }): OfferedPort => {
        const target = { number, names: [name] }
        return { number: port, name, target, service: 'their Service', isExposed: true, at: release.manifest.root }
      })
      return {
        name: `the Pods of ${nameOf(release.manifest.ref)}`,
        namespace,
        manifest: release.manifest,
        labelOf: (key) => {
          const value = labelOfReleased(pods, key)
          return value === undefined ? undefined : { value }
        },
        at: release.manifest.root,
        numbers,
        portNames: new Set(facts.ports.map(({ name }) => name)),
        offered,
        takesTraffic: facts.takesTraffic === true,
      }
    })
    .filter((pods) => selectsPods(part, pods) !== false)
}
