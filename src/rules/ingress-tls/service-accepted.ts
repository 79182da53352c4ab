import { written } from '../../kubernetes/fields/written-path'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { isLabel, isPortName } from '../../kubernetes/object/port-name'
import type { Cursor } from '../../manifest/cursor'
import { isOfDefaultValues } from '../../manifest/default-values'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Fault {
  readonly at: Cursor
  readonly fault: string
  readonly remedy: string
}

export default defineRule({
  id: 'ingress-tls/service-accepted',
  summary: 'The API server accepts the type of a Service together with its ports, its address and its policies.',
  since: '1.12.0',
  scope: 'snapshot',
  kinds: ['Service'],
  direct: true,
  messages: {
    refused: ({ service, fault, remedy }: Record<'service' | 'fault' | 'remedy', string>) =>
      `The API server rejects ${service}, because ${fault}, so what deploys it fails. ${remedy}`,
    portName: ({ service, field, name, remedy }: Record<'service' | 'field' | 'name' | 'remedy', string>) =>
      `The API server rejects ${service}, because ${field} is ${name}, which is no name of a port, so what deploys it fails. ${remedy}`,
    headless: ({ service }: { service: string }) =>
      `This change makes ${service} headless (clusterIP: None), and the API server rejects another clusterIP for a Service that exists. Delete the Service when this is deployed, or add one of another name.`,
  },
  later: { portName: '1.20.0' },
  putBack: { portName: 'changed', refused: 'changed', headless: 'changed' },
  check({ manifest, report }) {
    for (const { at, fault, remedy } of faultsOf(manifest))
      report(at, 'refused', { service: nameOf(manifest.ref), fault, remedy }, { keys: [fault] })
    for (const { at, name, remedy } of misnamedPorts(manifest))
      report(at, 'portName', { service: nameOf(manifest.ref), field: written(at), name, remedy }, { keys: [name] })
  },
  checkChange({ change, report }) {
    if (change.kind === 'removed' || change.after.ref.kind !== 'Service') return
    const { after } = change
    const before = change.kind === 'changed' ? change.before : undefined
    const service = nameOf(after.ref)
    for (const { at, fault, remedy } of faultsOfType(after, before))
      report(at, 'refused', { service, fault, remedy }, { keys: [fault] })
    const at = after.root.at('spec', 'clusterIP')
    if (!before || !isHeadless(after) || isHeadless(before) || typeOf(before) === 'ExternalName') return
    if (typeOf(after) === 'ClusterIP' && typeOf(before) === 'ClusterIP')
      report(at, 'headless', { service }, { keys: [] })
  },
})

/** What the API server refuses. Source: kubernetes v1.36, pkg/apis/core/validation/validation.go, ValidateService. */
function* faultsOf(manifest: Manifest): Iterable<Fault> {
  const spec = manifest.root.at('spec')
  const type = typeOf(manifest)
  if (isHeadless(manifest) && ['LoadBalancer', 'NodePort'].includes(type))
    yield {
      at: spec.at('clusterIP'),
      fault: `clusterIP is None, and its type is ${type}`,
      remedy: 'Remove clusterIP, or the type.',
    }
  if (type === 'ExternalName' && !isWritten(spec.at('externalName')) && !isOfDefaultValues(manifest))
    yield {
      at: spec.at('type'),
      fault: 'its type is ExternalName, and it has no externalName',
      remedy: 'Set externalName to the name of a host, or remove the type.',
    }
  const [affinity, config] = [spec.at('sessionAffinity'), spec.at('sessionAffinityConfig')]
  if (isWritten(config) && (!affinity.exists || affinity.string === 'None'))
    yield {
      at: config,
      fault: 'it has a sessionAffinityConfig, and no sessionAffinity',
      remedy: 'Set sessionAffinity to ClientIP, or remove sessionAffinityConfig.',
    }
  const ranges = spec.at('loadBalancerSourceRanges')
  if ([...ranges.items()].length > 0 && ['ClusterIP', 'NodePort', 'ExternalName'].includes(type))
    yield {
      at: ranges,
      fault: `loadBalancerSourceRanges may only be set for the type LoadBalancer, and its type is ${type}`,
      remedy: 'Remove loadBalancerSourceRanges, or set the type.',
    }
  yield* faultsOfPorts([...spec.at('ports').items()])
}

function* faultsOfPorts(ports: readonly Cursor[]): Iterable<Fault> {
  const [names, numbers] = [new Set<string>(), new Set<string>()]
  for (const port of ports) {
    const [name, number, protocol] = [port.at('name'), port.at('port'), port.at('protocol').string ?? 'TCP']
    if (ports.length > 1 && !isWritten(name))
      yield {
        at: port,
        fault: `its port ${number.value} has no name, and it has ${ports.length} ports`,
        remedy: 'Give each port a name.',
      }
    const called = name.string
    if (called && names.has(called))
      yield { at: name, fault: `two of its ports have the name ${called}`, remedy: 'Give each port a name of its own.' }
    if (called) names.add(called)
    if (typeof number.value !== 'number') continue
    const key = `${protocol} ${number.value}`
    if (numbers.has(key))
      yield {
        at: number,
        fault: `it has the port ${number.value} (${protocol}) twice`,
        remedy: 'Remove one of them, or write its own number.',
      }
    numbers.add(key)
  }
}

const forms = 'Write at most 15 lower-case letters, digits and single dashes, and at least one letter'

/** Names of ports that can be none. A number in quotes is such a name. */
function misnamedPorts({ root }: Manifest): { at: Cursor; name: string; remedy: string }[] {
  return [...root.at('spec', 'ports').items()].flatMap((port) => {
    const [own, target] = [port.at('name'), port.at('targetPort')]
    const faults = [
      ...(isRefused(own.string, isLabel) ? [{ at: own, remedy: 'Write lower-case letters, digits and dashes.' }] : []),
      ...(isRefused(target.string, isPortName) ? [{ at: target, remedy: remedyFor(target.string ?? '') }] : []),
    ]
    return faults.map((fault) => ({ ...fault, name: JSON.stringify(fault.at.string) }))
  })
}

function isRefused(name: string | undefined, isName: (name: string) => boolean): boolean {
  return name !== undefined && name !== '' && !isPlaceholder(name) && !isName(name)
}

function remedyFor(target: string): string {
  return /^\d+$/.test(target) ? 'Write the number without quotes.' : `${forms}, as the container has it.`
}

/** The fields that are for certain types alone, and the types. */
const ofTypes: Readonly<Record<string, readonly string[]>> = {
  externalTrafficPolicy: ['LoadBalancer', 'NodePort'],
  loadBalancerClass: ['LoadBalancer'],
  allocateLoadBalancerNodePorts: ['LoadBalancer'],
}

/**
 * Fields that do not fit the type. The API server drops those that a Service of a fitting type had before. Source:
 * kubernetes v1.36, pkg/registry/core/service/strategy.go, dropTypeDependentFields.
 */
function* faultsOfType(manifest: Manifest, before: Manifest | undefined): Iterable<Fault> {
  const type = typeOf(manifest)
  const spec = manifest.root.at('spec')
  if (!['ClusterIP', 'NodePort', 'ExternalName'].includes(type)) return
  // Addresses of its own make a Service reachable from outside.
  if (type === 'ClusterIP' && [...spec.at('externalIPs').items()].length > 0) return
  for (const [field, types] of Object.entries(ofTypes)) {
    const at = spec.at(field)
    if (!isWritten(at) || types.includes(type) || (before && types.includes(typeOf(before)))) continue
    yield {
      at,
      fault: `${field} may only be set for the type ${types.join(' or ')}, and its type is ${type}`,
      remedy: `Remove ${field}, or set the type.`,
    }
  }
  if (type !== 'ClusterIP' || (before && typeOf(before) !== 'ClusterIP')) return
  for (const port of spec.at('ports').items()) {
    const at = port.at('nodePort')
    if (typeof at.value !== 'number' || at.value === 0) continue
    yield {
      at,
      fault: `nodePort may not be set for the type ClusterIP`,
      remedy: 'Remove nodePort, or set the type to NodePort or LoadBalancer.',
    }
  }
}

/** Empty for one that a tool fills in. */
function typeOf({ root }: Manifest): string {
  const type = root.at('spec', 'type')
  if (!type.exists || type.value === null || type.string === '') return 'ClusterIP'
  return type.string && !isPlaceholder(type.string) ? type.string : ''
}

function isHeadless({ root }: Manifest): boolean {
  return root.at('spec', 'clusterIP').string === 'None'
}

function isWritten(at: Cursor): boolean {
  return at.exists && at.value !== null && at.value !== ''
}
