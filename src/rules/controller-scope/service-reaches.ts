import { podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { valuedKinds } from '../../kubernetes/charts/chart-release'
import { portsWithdrawn } from '../../kubernetes/charts/offered-ports'
import {
  type Controller,
  controllerSubjects,
  controllersIn,
  controllersOf,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { holdsSettings, namesOfParts } from '../../kubernetes/controllers/controller-parts'
import {
  isOnItsNodes,
  portNumbersOf,
  portsOf,
  portsOnNodes,
  reachOf,
  servicesTo,
} from '../../kubernetes/controllers/controller-service'
import { lostListeners } from '../../kubernetes/controllers/listened-ports'
import { networkPolicyKind } from '../../kubernetes/controllers/network-policy'
import { pluginPolicyKinds } from '../../kubernetes/controllers/plugin-closure'
import { closuresBy } from '../../kubernetes/controllers/policy-closure'
import { type ServedPods, unlistedPorts, unnamedPorts } from '../../kubernetes/controllers/refused-ports'
import { controllersOnBoth, counterpartOf } from '../../kubernetes/controllers/same-controller'
import { type Led, swappedPorts } from '../../kubernetes/controllers/swapped-ports'
import { mayBringTraffic, selectsSome } from '../../kubernetes/controllers/unseen-balancer'
import { selectionMarks } from '../../kubernetes/object/service'
import { enumerated } from '../../listing'
import { type Change, sidesOf } from '../../manifest/change'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

interface Way {
  service: string
  controller: string
}

const messages = {
  removed: ({ service, controller }: Way) =>
    `This change removes ${service}, and no other Service brings traffic to ${controller}, so clients no longer reach the hosts it serves. Keep it until another Service selects its Pods.`,
  unselected: ({ service, controller }: Way) =>
    `After this change ${service} no longer selects the Pods of ${controller}, and no other Service brings traffic to them, so clients no longer reach the hosts it serves. Make the selector and the labels of the Pods agree.`,
  renamed: ({ service, controller, was }: Way & { was: string }) =>
    `${controller} takes the place of ${was} with this change, and ${service}, which brought traffic to that one, does not select its Pods; no other Service does. So clients no longer reach the hosts it serves. Make the selector and the labels of the Pods agree.`,
  left: ({ service, controller, was }: Way & { was: string }) =>
    `${controller} takes the place of ${was} with this change, in another namespace than ${service}, which brought traffic to that one. A Service selects Pods of its own namespace alone, and none there selects these, so clients no longer reach the hosts it serves. Move the Service along, with all that the Pods need, or keep the controller in its namespace.`,
  ports: ({ service, controller, ports }: Way & { ports: string }) =>
    `This change removes ${ports} from ${service}, and no other Service of ${controller} has it, so clients that use it are refused. Restore the port.`,
  target: ({ service, controller, port }: Way & { port: string }) =>
    `${service} sends traffic to the port ${port} of ${controller}, and after this change its Pods have no port of that name, so clients are refused. Use a name that the container has, or a number.`,
  unheard: ({ service, controller, port, listed }: Way & { port: string; listed: string }) =>
    `${service} sends traffic to the port ${port} of ${controller} after this change; its Pods list ${listed} and name ${port} nowhere, so clients are refused. Send it to a port on which the controller listens.`,
  denied: ({ policy, controller }: { policy: string; controller: string }) =>
    `After this change ${policy} selects the Pods of ${controller}, and no NetworkPolicy lets traffic to their ports in, so clients no longer reach the hosts they serve. Allow the ports of the controller, or leave its Pods out of the podSelector.`,
  closed: ({ policy, controller }: { policy: string; controller: string }) =>
    `After this change ${policy} lets no client from outside reach the Pods of ${controller}, and no policy that comes before it opens their ports, so clients no longer reach the hosts they serve. Allow the ports of the controller, or leave its Pods out of the selector.`,
  type: ({ service, controller, was, is }: Way & { was: string; is: string }) =>
    `This change makes ${service} a ${is} instead of a ${was}, and no other Service of ${controller} is one, so clients outside of the cluster lose its address. Keep the type until they use another address.`,
  observed: ({ policy, controller }: { policy: string; controller: string }) =>
    `After this change ${policy} isolates the Pods of ${controller}, and lets in monitoring alone, so clients no longer reach the hosts they serve. Add a rule that opens their ports to all clients.`,
  inside: ({ policy, controller }: { policy: string; controller: string }) =>
    `After this change ${policy} isolates the Pods of ${controller}, to which a Service brings clients from outside of the cluster, and lets in Pods alone. Unless all clients come through these, none reaches the hosts they serve any more. Add a rule that opens their ports to all clients.`,
  swapped: ({ service, controller }: Way) =>
    `After this change ${service} sends port 443 to the port of ${controller} for http, and port 80 to that for https, so TLS handshakes fail for all hosts. Swap them back.`,
  moved: ({ service, controller, port, target, listed }: Way & Record<'port' | 'target' | 'listed', string>) =>
    `After this change ${controller} listens on ${listed}, and ${service} still sends the traffic of its port ${port} to ${target}, where nothing listens any more, so clients are refused. Have the controller listen there, or change the Service, too.`,
  unlistened: ({ controller, ports }: { controller: string; ports: string }) =>
    `This change closes ${ports} of the nodes, on which clients reach ${controller}, and no Service brings traffic from outside of the cluster to its Pods, so clients are refused. Keep the ports until a Service does.`,
}

export default defineRule({
  id: 'controller-scope/service-reaches',
  summary: 'A Service keeps bringing client traffic to an ingress controller.',
  since: '1.2.0',
  scope: 'change',
  kinds: ['Service', 'ConfigMap', networkPolicyKind, ...pluginPolicyKinds, ...workloadKinds, ...valuedKinds],
  subjects: controllerSubjects,
  later: {
    closed: '1.29.0',
    denied: '1.3.0',
    inside: '1.29.0',
    left: '1.26.0',
    moved: '1.30.0',
    observed: '1.15.0',
    swapped: '1.29.0',
    unheard: '1.27.0',
    unlistened: '1.15.0',
    renamed: '1.21.0',
  },
  messages,
  putBack: {
    closed: 'changed',
    denied: 'changed',
    inside: 'changed',
    left: 'changed',
    moved: 'changed',
    observed: 'changed',
    renamed: 'changed',
    ports: 'changed',
    swapped: 'changed',
    target: 'changed',
    type: 'changed',
    unheard: 'changed',
    unlistened: 'changed',
    unselected: 'changed',
  },
  *partners(manifest) {
    const { kind, name } = manifest.ref
    // A copy of it, too.
    if (kind === 'Service') yield* [name, ...selectionMarks(manifest)]
    else if (kind.endsWith('NetworkPolicy')) yield* ['NetworkPolicy', 'type: LoadBalancer', ...marksOfControllers]
    else if (controllersOf(manifest).length > 0)
      yield* ['NetworkPolicy', 'type: LoadBalancer', ...selectionMarks(manifest), ...namesOfParts(manifest)]
    else if (holdsSettings(manifest)) yield* [...namesOfParts(manifest), ...marksOfControllers]
  },
  check({ change, base, head, report }) {
    const { before, after } = sidesOf(change)
    if ((after ?? before)?.ref.kind.endsWith('NetworkPolicy')) {
      for (const { how, policy, controller, ends } of closuresBy(change, base, head))
        report(ends, how, { policy: nameOf(policy.ref), controller: nameOfController(controller) })
      return
    }
    if (change.kind === 'added') return
    if (change.before.ref.kind === 'Service') return checkService(change, base, head, report)
    checkListeners(change, base, head, report)
    if (change.kind === 'removed') return checkRenamed(change.before, base, head, report)
    if (valuedKinds.includes(groupKindOf(change.before.ref))) checkRelease(change, base, head, report)
    else if (change.after.ref.kind !== 'ConfigMap') checkWorkload(change, base, head, report)
  },
})

type ReportMessage = ReportFunction<typeof messages>
type Edited = Extract<Change, { kind: 'changed' }>

function checkService(
  change: Exclude<Change, { kind: 'added' }>,
  base: Snapshot,
  head: Snapshot,
  report: ReportMessage,
): void {
  const { before } = change
  const after = change.kind === 'changed' ? change.after : undefined
  if (!after && head.get(before.ref).length > 0) return
  for (const [was, is] of controllersOnBoth(base, head)) {
    if (!servicesTo(was.manifest, base).includes(before)) continue
    const left = servicesTo(is.manifest, head)
    const names = { service: nameOf(before.ref), controller: nameOfController(is) }
    const end = podOf(is.manifest).at('metadata', 'labels')
    if (left.length === 0) {
      report(
        after ? [after.root.at('spec', 'selector'), end] : [before.root, end],
        after ? 'unselected' : 'removed',
        names,
      )
      continue
    }
    if (!after) continue
    const offered = new Set(left.flatMap(portsOf).map(({ key }) => key))
    const lost = portsOf(before).filter(({ key }) => !offered.has(key))
    if (lost.length > 0) {
      const keys = lost.map(({ key }) => key)
      const ends = [after.root.at('spec', 'ports'), ...lost.slice(0, 1).map(({ at }) => at)]
      report(ends, 'ports', { ...names, ports: enumerated(keys, 3) }, { keys })
    }
    const pods = { before, after, was, is }
    checkNames(pods, report)
    const listed = enumerated(portNumbersOf(is.manifest).map(String), 4)
    for (const { ends, key, target } of unlistedPorts(pods))
      report(ends, 'unheard', { ...names, port: target, listed }, { keys: [key] })
    checkSwap(
      { service: before, workload: was.manifest },
      { service: after, workload: is.manifest },
      'service',
      is,
      report,
    )
    const type = before.root.at('spec', 'type')
    if (reachOf(before) < 1 || left.some((service) => reachOf(service) >= reachOf(before))) continue
    const at = after.root.at('spec', 'type')
    report([at, type], 'type', { ...names, was: type.string ?? '', is: at.string ?? 'ClusterIP' })
  }
}

/** Reports ports of a Service that name one which the Pods no longer have. */
function checkNames(pods: ServedPods, report: ReportMessage): void {
  const names = { service: nameOf(pods.after.ref), controller: nameOfController(pods.is) }
  for (const { ends, target } of unnamedPorts(pods))
    report(ends, 'target', { ...names, port: target }, { keys: [target] })
}

/** Reports ports of a Service that came to lead to each other's port of the Pods; by the object that swapped them. */
function checkSwap(before: Led, after: Led, by: keyof Led, is: Controller, report: ReportMessage): void {
  const at = swappedPorts(before, after)
  if (!at || !swappedPorts({ ...after, [by]: before[by] }, after)) return
  const args = { service: nameOf(after.service.ref), controller: nameOfController(is) }
  report([at, podOf(after.workload).at('spec', 'containers')], 'swapped', args)
}

/** Reports ports to which Services lead and on which a controller no longer listens, by its workload or its config. */
function checkListeners(change: Change, base: Snapshot, head: Snapshot, report: ReportMessage): void {
  const { after } = sidesOf(change)
  for (const [was, is] of controllersOnBoth(base, head)) {
    if (!after || ![is.manifest, ...is.parts.map(({ manifest }) => manifest)].includes(after)) continue
    for (const { at, service, end, port, target, listened } of lostListeners(was, is, base, head)) {
      const names = { service: nameOf(service.ref), controller: nameOfController(is) }
      const listed = enumerated([...new Set(listened)].map(String), 4)
      report([at, end], 'moved', { ...names, port, target: String(target), listed }, { keys: [port] })
    }
  }
}

function checkWorkload({ before, after }: Edited, base: Snapshot, head: Snapshot, report: ReportMessage): void {
  for (const was of controllersOf(before, base)) {
    const is = counterpartOf(was, head)
    if (is) checkNodePorts(was, is, head, report)
    if (!is || isOnItsNodes(after)) continue
    const led = servicesTo(before, base).filter(({ ref }) => head.get(ref).length > 0)
    const [service] = led
    if (!service) continue
    const names = { service: nameOf(service.ref), controller: nameOfController(is) }
    if (servicesTo(after, head).length === 0) {
      const labels = podOf(after).at('metadata', 'labels')
      const wrong = [...service.root.at('spec', 'selector').entries()].find(
        ([key, { string }]) => labels.at(key).string !== string,
      )
      const at = wrong && labels.at(wrong[0]).exists ? labels.at(wrong[0]) : labels
      report([at, service.root.at('spec', 'selector')], 'unselected', names)
      continue
    }
    const former = servicesTo(before, base)
    for (const one of servicesTo(after, head)) {
      const old = former.find(({ ref }) => identityOf(ref) === identityOf(one.ref))
      if (!old) continue
      checkNames({ before: old, after: one, was, is }, report)
      checkSwap({ service: old, workload: before }, { service: one, workload: after }, 'workload', is, report)
    }
  }
}

/** The workload of a controller that another one replaces: the Services of the first have to lead to the second. */
function checkRenamed(before: Manifest, base: Snapshot, head: Snapshot, report: ReportMessage): void {
  if (head.get(before.ref).length > 0) return
  for (const was of controllersOf(before, base)) {
    const successors = controllersIn(head).filter(
      (one) => !one.installed && one.facts === was.facts && base.get(one.manifest.ref).length === 0,
    )
    const is = successors.find(({ namespace }) => namespace === was.namespace) ?? successors[0]
    if (!is || isOnItsNodes(is.manifest) || servicesTo(is.manifest, head).length > 0) continue
    const service = servicesTo(before, base).flatMap(({ ref }) => head.get(ref))[0]
    if (!service || mayBringTraffic(was, base)) continue
    const names = { service: nameOf(service.ref), controller: nameOfController(is), was: nameOf(before.ref) }
    if (is.namespace !== was.namespace) {
      if (is.namespace === '' || was.namespace === '' || mayBringTraffic(is, head) || selectsSome(service, head))
        continue
      report([is.manifest.root.at('metadata', 'namespace'), service.root], 'left', names)
      continue
    }
    const labels = podOf(is.manifest).at('metadata', 'labels')
    const selector = service.root.at('spec', 'selector')
    const wrong = [...selector.entries()].find(([key, { string }]) => labels.at(key).string !== string)
    const at = wrong && labels.at(wrong[0]).exists ? labels.at(wrong[0]) : labels
    report([at, selector], 'renamed', names)
  }
}

/** The ports of the nodes stay, or a Service brings traffic from outside of the cluster. */
function checkNodePorts(was: Controller, is: Controller, head: Snapshot, report: ReportMessage): void {
  const kept = portsOnNodes(is.manifest)
  const lost = portsOnNodes(was.manifest).filter((port) => !kept.includes(port))
  const isReached = servicesTo(is.manifest, head).some(
    (service) => reachOf(service) > 0 || service.root.at('spec', 'externalIPs').exists,
  )
  const spec = podOf(is.manifest).at('spec')
  if (lost.length === 0 || spec.at('hostNetwork').value === true || isReached || mayBringTraffic(is, head)) return
  const ports = `the ${lost.length > 1 ? 'ports' : 'port'} ${enumerated(lost.map(String), 4)}`
  report(
    spec.at('containers', 0, 'ports'),
    'unlistened',
    { controller: nameOfController(is), ports },
    { keys: lost.map(String) },
  )
}

function checkRelease({ before, after }: Edited, base: Snapshot, head: Snapshot, report: ReportMessage): void {
  const [was, is] = [controllersOf(before, base)[0], controllersOf(after, head)[0]]
  if (!was?.installed || !is?.installed || mayBringTraffic(is, head)) return
  const names = { service: `the Service of ${nameOf(after.ref)}`, controller: nameOfController(is) }
  for (const { at, port } of portsWithdrawn(was.installed.release, is.installed.release))
    report(at, 'ports', { ...names, ports: `TCP/${port}` }, { keys: [String(port)] })
  const [had, has] = [was.installed.service, is.installed.service]
  if (had?.value !== 'LoadBalancer' || has?.value === 'LoadBalancer' || (has && has.value === undefined)) return
  report(has?.at ?? is.place, 'type', { ...names, was: 'LoadBalancer', is: has?.value ?? 'Service that is not there' })
}
