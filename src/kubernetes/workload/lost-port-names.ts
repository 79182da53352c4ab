import { append } from '../../append'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { isPlaceholder } from '../ingress/ingress'
import { workloadsBehind } from './serving-pods'

/** A Service that asks its Pods for a port by a name that a change took from them. */
export interface LostPortName {
  /** The object of the change that causes it, and the field in it. */
  readonly cause: Manifest
  readonly at: Cursor
  readonly service: Manifest
  /** The port of the Service. */
  readonly port: Cursor
  readonly name: string
  readonly workload: Manifest
  /** The names that the Pods have. */
  readonly names: readonly string[]
}

const known = new WeakMap<Snapshot, WeakMap<Snapshot, ReadonlyMap<Manifest, readonly LostPortName[]>>>()

/** The names of ports that a change took from Services, by its object at the head that causes it. */
export function lostPortNames(base: Snapshot, head: Snapshot): ReadonlyMap<Manifest, readonly LostPortName[]> {
  const ofBase = known.get(base) ?? new WeakMap<Snapshot, ReadonlyMap<Manifest, readonly LostPortName[]>>()
  const found = ofBase.get(head) ?? lostBetween(base, head)
  known.set(base, ofBase.set(head, found))
  return found
}

function lostBetween(base: Snapshot, head: Snapshot): ReadonlyMap<Manifest, readonly LostPortName[]> {
  const found = new Map<Manifest, LostPortName[]>()
  for (const service of head.ofKind('Service')) {
    const [was, ...others] = base.get(service.ref)
    if (!was || others.length > 0 || head.get(service.ref).length > 1) continue
    for (const lost of lostOf(service, head, was, base)) append(found, lost.cause, lost)
  }
  return found
}

function lostOf(service: Manifest, head: Snapshot, was: Manifest, base: Snapshot): LostPortName[] {
  const targets = targetsOf(service)
  if (targets.length === 0) return []
  const workloads = workloadsBehind(service, head)
  const names = [...new Set(workloads.flatMap((one) => portsNamed(one).map(({ name }) => name)))]
  const isKnown = workloads.every((one) => isOfOneSource(one, service) && isWhole(one)) && !names.some(isPlaceholder)
  const [workload] = workloads
  if (!workload || !isKnown) return []
  const before = workloadsBehind(was, base).flatMap(portsNamed)
  return targets.flatMap(({ port, name }): LostPortName[] => {
    if (names.includes(name)) return []
    const old = portLike(port, was)
    const isKept = old?.at('targetPort').string === name
    // A Service that led nowhere before is no fault of this change.
    const led = old && before.find((one) => isTarget(old, one))
    if (!led) return []
    const field = isKept ? placeOf(workload, led.number) : port.at('targetPort')
    return [{ cause: isKept ? workload : service, at: field, service, port, name, workload, names }]
  })
}

/** The ports of a Service that lead to a port of its Pods by its name; the API server takes digits in quotes as a number. */
function targetsOf({ root }: Manifest): { port: Cursor; name: string }[] {
  return [...root.at('spec', 'ports').items()].flatMap((port) => {
    const name = port.at('targetPort').string
    return name && !/^\d+$/.test(name) && !isPlaceholder(name) ? [{ port, name }] : []
  })
}

interface NamedPort {
  readonly at: Cursor
  readonly name: string
  readonly number: unknown
}

/** The ports of the Pods of a workload, also of containers that run beside the others from the start. */
function portsOfPods(workload: Manifest): NamedPort[] {
  return containersOf(workload).flatMap((container) =>
    [...container.at('ports').items()].map((at) => ({
      at,
      name: at.at('name').string ?? '',
      number: at.at('containerPort').value,
    })),
  )
}

function portsNamed(workload: Manifest): NamedPort[] {
  return portsOfPods(workload).filter(({ name }) => name !== '')
}

function containersOf(workload: Manifest): Cursor[] {
  const spec = podOf(workload).at('spec')
  return ['initContainers', 'containers'].flatMap((list) => [...spec.at(list).items()])
}

/** Whether the containers of a workload are seen; one without an image is a part of a patch. */
function isWhole(workload: Manifest): boolean {
  return containersOf(workload).every((container) => container.at('image').isSet)
}

/** The port of a Service on the other side. */
function portLike(port: Cursor, { root }: Manifest): Cursor | undefined {
  const ports = [...root.at('spec', 'ports').items()]
  return ports.find((one) => one.at('port').value === port.at('port').value)
}

function isTarget(port: Cursor, { name, number }: NamedPort): boolean {
  const target = port.at('targetPort').value ?? port.at('port').value
  return target === name || target === number
}

/** The field that names the port that had another name before, or else what lists the ports. */
function placeOf(workload: Manifest, number: unknown): Cursor {
  const same = portsOfPods(workload).find((port) => port.number === number)
  if (same) return same.at.at('name').exists ? same.at.at('name') : same.at
  const lists = containersOf(workload).map((container) => container.at('ports'))
  return lists.find((list) => list.exists) ?? podOf(workload).at('spec', 'containers')
}
