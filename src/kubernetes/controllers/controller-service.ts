import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { selects } from '../object/service'

/** Parts of the names of ports and Services without client traffic. */
const internal = /(?:^|-)(?:admission|metrics|webhook|prometheus|health|healthz|stats|validation)(?:-|$)/

/** Whether a Service is for client traffic, and not for the webhook or for metrics. */
function bringsTraffic({ ref, root }: Manifest): boolean {
  return ['LoadBalancer', 'NodePort'].includes(root.at('spec', 'type').string ?? '') || !internal.test(ref.name)
}

/** The Services that bring client traffic to the Pods of a workload; of several copies of one, that beside the workload. */
export function servicesTo(workload: Manifest, snapshot: Snapshot): Manifest[] {
  const found = snapshot.ofKind('Service').filter((service) => bringsTraffic(service) && selects(service, workload))
  const beside = found.filter((service) => isOfOneSource(service, workload))
  const isCopy = ({ ref }: Manifest) => beside.some((one) => identityOf(one.ref) === identityOf(ref))
  return found.filter((service) => beside.includes(service) || !isCopy(service))
}

/** Whether the Pods of a workload receive traffic at their nodes. */
export function isOnItsNodes(workload: Manifest): boolean {
  const spec = podOf(workload).at('spec')
  const ports = [...spec.at('containers').items()].flatMap((container) => [...container.at('ports').items()])
  return spec.at('hostNetwork').value === true || ports.some((port) => port.at('hostPort').exists)
}

/** The ports for requests on which a workload listens at its nodes; with the network of the nodes, those for the web. */
export function portsOnNodes(workload: Manifest): number[] {
  const onHost = podOf(workload).at('spec', 'hostNetwork').value === true
  const ports = containerPortsOf(workload).filter((port) => !internal.test(port.at('name').string ?? ''))
  const numbers = ports.map((port) => port.at(onHost ? 'containerPort' : 'hostPort').value)
  return numbers.filter((one) => typeof one === 'number').filter((one) => !onHost || one === 80 || one === 443)
}

/** The reach of a Service, as a number to compare. */
export function reachOf({ root }: Manifest): number {
  return ['ClusterIP', 'NodePort', 'LoadBalancer'].indexOf(root.at('spec', 'type').string ?? 'ClusterIP')
}

/** A port for client traffic that a Service offers. */
export interface OfferedPort {
  readonly at: Cursor
  /** `TCP/443` */
  readonly key: string
  /** The port of a Pod that it leads to, if that is a name. */
  readonly target: string | undefined
}

/** The ports for client traffic that a Service offers. */
export function portsOf({ root }: Manifest): OfferedPort[] {
  return [...root.at('spec', 'ports').items()]
    .filter((at) => !internal.test(at.at('name').string ?? ''))
    .map((at) => ({
      at,
      key: `${at.at('protocol').string ?? 'TCP'}/${at.at('port').value}`,
      target: at.at('targetPort').string,
    }))
}

/** The names that the Pods of a workload give their ports. */
export function portNamesOf(workload: Manifest): string[] {
  return containerPortsOf(workload).flatMap((port) => port.at('name').string ?? [])
}

/** The numbers of the ports that the Pods of a workload have. */
export function portNumbersOf(workload: Manifest): number[] {
  const numbers = containerPortsOf(workload).map((port) => port.at('containerPort').value)
  return numbers.filter((value) => typeof value === 'number')
}

function containerPortsOf(workload: Manifest): Cursor[] {
  const containers = [...podOf(workload).at('spec', 'containers').items()]
  return containers.flatMap((container) => [...container.at('ports').items()])
}
