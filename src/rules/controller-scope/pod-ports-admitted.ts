import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { chartsWithLabel, labelsOfCharts } from '../../kubernetes/charts/chart-pods'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import {
  envoyProxyKind,
  gatewayClassKind,
  gatewayKind,
  isOfEnvoyProxies,
  type ListeningPods,
  type OfferedPort,
  podsSelectedBy,
} from '../../kubernetes/controllers/listening-pods'
import { networkPolicyKind } from '../../kubernetes/controllers/network-policy'
import { otherPolicyKinds } from '../../kubernetes/controllers/pod-isolation'
import { opens, type PolicyPort } from '../../kubernetes/controllers/policy-port'
import { podsBehindServices } from '../../kubernetes/controllers/unseen-pods'
import {
  ciliumPolicyKind,
  isOpenAlong,
  type PolicyPart,
  partsOf,
  type WayIn,
  waysInto,
} from '../../kubernetes/controllers/ways-in'
import { backendKinds } from '../../kubernetes/ingress/backend'
import { selectionMarks } from '../../kubernetes/object/service'
import { servingKinds } from '../../kubernetes/workload/serving-pods'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import { defineRule } from '../../rule/rule'

type Closed = Record<'policy' | 'opened' | 'pods' | 'needed', string>

const policyKinds = [networkPolicyKind, ciliumPolicyKind]

/** The kinds whose objects meet in one namespace, or where one names the namespace of the other. */
const nearKinds = [...policyKinds, 'Service', ...backendKinds, ...servingKinds]

/** Kinds without a namespace, and those that have to do with Pods of other namespaces. */
const farKinds = [...otherPolicyKinds, gatewayKind, gatewayClassKind, envoyProxyKind, ...releaseKinds]

/** All kinds of policies have one of these words: the second is a field of Capsule's Tenants. */
const marksOfPolicies = ['NetworkPolic', 'networkPolicies']

export default defineRule({
  id: 'controller-scope/pod-ports-admitted',
  summary: 'NetworkPolicies open the ports on which Pods listen, not those of their Services.',
  since: '1.11.0',
  scope: 'snapshot',
  kinds: policyKinds,
  reads: [
    ...farKinds.filter((kind) => kind !== ciliumPolicyKind),
    ...nearKinds.filter((kind) => !policyKinds.includes(kind)),
    ...releasePartKinds,
  ],
  subjects: [{ kinds: policyKinds }],
  messages: {
    // Source: https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors
    service: ({ policy, opened, pods, needed, service }: Closed & { service: string }) =>
      `${policy} opens ${opened} of ${pods}, but ${service} sends requests for ${opened} to ${needed} of these Pods, which no policy opens to the same clients, so they get no answer. Policies are applied to the ports of Pods and not to those of Services: list ${needed}.`,
    unseen: ({ policy, opened, pods, needed }: Closed) =>
      `${policy} opens ${opened} of ${pods}, but that Service sends requests for ${opened} to ${needed} of them, which no policy opens to the same clients, so they get no answer, unless the Pods are on the network of their node. Policies are applied to the ports of Pods and not to those of Services: list ${needed}.`,
    traffic: ({ policy, opened, pods, needed }: Closed) =>
      `${policy} opens ${opened} of ${pods}, which take the requests of clients on ${needed}, and no policy opens these ports to the same clients, so they get no answer. List the ports on which the Pods listen.`,
    missing: ({ policy, opened, pods, needed, service }: Closed & { service: string }) =>
      `${policy} opens only ${opened} of ${pods}, on which none of their containers listens, and no policy opens ${needed}, to which ${service} sends its requests, so they get no answer. List the ports on which the containers listen.`,
  },
  later: { unseen: '1.29.0' },
  putBack: { service: 'changed', unseen: 'changed', traffic: 'changed', missing: 'changed' },
  *partners(manifest, _params, _isGone, isTouched) {
    const kind = groupKindOf(manifest.ref)
    if (policyKinds.includes(kind)) {
      yield* marksOfPolicies
      if (isTouched) yield* marksOfPods(manifest)
    } else if (kind === 'Service') {
      yield manifest.ref.name
      if (isTouched) yield* selectionMarks(manifest)
    } else if (servingKinds.includes(kind)) yield* selectionMarks(manifest)
    else if (kind === gatewayKind) yield* [manifest.ref.name, 'GatewayClass', 'EnvoyProxy']
    else if (releaseKinds.includes(kind)) {
      yield* namesOfReleaseParts(manifest)
      if (isTouched) yield* labelsOfCharts(manifest)
    }
  },
  partnerKinds: ({ ref }) => {
    const kind = groupKindOf(ref)
    if (servingKinds.includes(kind)) return [networkPolicyKind, ...otherPolicyKinds, 'Service']
    return releaseKinds.includes(kind) ? undefined : [...nearKinds, ...farKinds]
  },
  nearKinds: ({ ref }) => (nearKinds.includes(groupKindOf(ref)) ? nearKinds : []),
  check({ manifest, snapshot, report }) {
    for (const part of partsOf(manifest)) {
      const seen = podsSelectedBy(part, snapshot) ?? []
      const unseen = seen.length === 0 ? podsUnseenBy(part, snapshot) : []
      const selected = [...seen, ...unseen]
      const heard = new Set(selected.flatMap(({ numbers }) => [...numbers]))
      const names = new Set(selected.flatMap(({ portNames }) => [...portNames]))
      const isHeard = ({ port, last }: PolicyPort) =>
        port === undefined || last !== undefined || (typeof port === 'number' ? heard.has(port) : names.has(port))
      for (const way of part.ways) {
        if (!Array.isArray(way.ports)) continue
        const unheard = way.ports.filter((port) => !isHeard(port))
        if (unheard.length === 0) continue
        const found = closedBy(unheard, way, selected, (pods) => waysInto(pods, part, snapshot))
        if (!found) continue
        const { pods, opened, needed, message, service, ends } = found
        const args = {
          policy: nameOf(manifest.ref),
          pods: pods.name,
          opened: portsNamed(opened),
          needed: portsNamed(needed),
        }
        const keys = { keys: opened.map(String) }
        if (unseen.includes(pods)) report(ends.slice(0, 2), 'unseen', args, keys)
        else if (message !== 'traffic') report(ends, message, { ...args, service }, keys)
        else report(ends, 'traffic', args, keys)
      }
    }
  },
})

/** The Pods that only a Service shows: the names of their ports are not known, so no policy may open one by its name. */
function podsUnseenBy(part: PolicyPart, snapshot: Snapshot): ListeningPods[] {
  if (podsSelectedBy(part, snapshot) === undefined) return []
  return podsBehindServices(part, snapshot).filter((pods) => {
    const ways = waysInto(pods, part, snapshot) ?? []
    return !ways.some(({ ports }) => Array.isArray(ports) && ports.some(({ port }) => typeof port === 'string'))
  })
}

/** Strings to look for an object with the Pods of a policy by, one of which it has. */
function* marksOfPods({ root }: Manifest): Iterable<string> {
  const specs = [root.at('spec'), ...root.at('specs').items()]
  for (const selector of specs.flatMap((spec) => [spec.at('podSelector'), spec.at('endpointSelector')]))
    for (const [key, { string }] of selector.at('matchLabels').entries()) {
      if (string === undefined) continue
      yield* [string, ...chartsWithLabel(string)]
      if (isOfEnvoyProxies(key, string)) yield* ['GatewayClass', 'gatewayClassName', 'EnvoyProxy']
    }
}

interface Closing {
  readonly message: 'service' | 'traffic' | 'missing'
  readonly pods: ListeningPods
  readonly opened: readonly (number | string)[]
  readonly needed: readonly number[]
  readonly service: string
  readonly ends: readonly Cursor[]
}

/** The Pods that nobody reaches by a way in, since its ports are not theirs. */
function closedBy(
  unheard: readonly PolicyPort[],
  way: WayIn,
  selected: readonly ListeningPods[],
  waysOf: (pods: ListeningPods) => readonly WayIn[] | undefined,
): Closing | undefined {
  const all = selected.flatMap((pods) => pods.offered.map((offered) => ({ pods, offered })))
  const isClosed = ({ pods, offered }: (typeof all)[number]) => {
    const ways = waysOf(pods)
    return ways !== undefined && isOpenAlong(way, offered.target, ways) === false
  }
  const mistaken = unheard.flatMap((entry) => {
    const meant = all.filter(({ offered }) => isPortOf(entry, offered))
    const [first] = meant
    return first && meant.every(isClosed) ? [{ entry, ...first }] : []
  })
  const [first] = mistaken
  if (first) {
    const its = mistaken.filter(({ pods, offered }) => pods === first.pods && offered.service === first.offered.service)
    return {
      message: 'service',
      pods: first.pods,
      opened: its.map(({ entry }) => entry.port ?? ''),
      needed: [...new Set(its.map(({ offered }) => offered.target.number))],
      service: first.offered.service,
      ends: [first.entry.at, first.offered.at, first.pods.at],
    }
  }
  const [entry] = unheard
  for (const pods of selected.filter(({ takesTraffic }) => takesTraffic)) {
    if (!entry || way.from === 'pods') continue
    const its = all.filter((one) => one.pods === pods)
    if (its.some(({ offered }) => opens(way.ports, offered.target) !== false) || !its.every(isClosed)) continue
    const opened = unheard.map(({ port }) => port ?? '')
    const needed = its.map(({ offered }) => offered.target.number)
    return { message: 'traffic', pods, opened, needed, service: '', ends: [entry.at, pods.at] }
  }
  return missing(unheard, way, selected, waysOf)
}

/** The Pods of an exposed Service whose ports are all closed, where a policy opens only ports that nothing there names. */
function missing(
  unheard: readonly PolicyPort[],
  { ports }: WayIn,
  selected: readonly ListeningPods[],
  waysOf: (pods: ListeningPods) => readonly WayIn[] | undefined,
): Closing | undefined {
  const [entry] = unheard
  if (!entry || unheard.length !== ports?.length) return undefined
  const opened = unheard.map(({ port }) => port ?? '')
  const texts = selected.map(({ manifest }) => JSON.stringify(podOf(manifest).value ?? null))
  // Arguments, probes and annotations name ports, too.
  if (opened.some((port) => texts.some((text) => mentionsWhole(text, String(port))))) return undefined
  for (const pods of selected.filter(({ manifest }) => servingKinds.includes(groupKindOf(manifest.ref)))) {
    const [offered] = pods.offered
    const targets = pods.offered.map(({ target }) => target)
    const isOpen = (one: WayIn) => targets.some((target) => opens(one.ports, target) !== false)
    if (!pods.offered.some(({ isExposed }) => isExposed) || !offered || (waysOf(pods)?.some(isOpen) ?? true)) continue
    const needed = [...new Set(targets.map(({ number }) => number))]
    return { message: 'missing', pods, opened, needed, service: offered.service, ends: [entry.at, offered.at, pods.at] }
  }
  return undefined
}

/** Whether an entry of a policy is the port of a Service that leads to another port. */
function isPortOf({ port }: PolicyPort, { number, name, target }: OfferedPort): boolean {
  return typeof port === 'number' ? port === number && target.number !== number : port !== undefined && port === name
}

/** `the port 80`, `the ports 80 and 443` */
function portsNamed(ports: readonly (number | string)[]): string {
  return `the ${ports.length === 1 ? 'port' : 'ports'} ${enumerated(ports.map(String), 4)}`
}
