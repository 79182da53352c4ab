import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { type Label, meets } from './label-answer'
import { networkPolicyKind } from './network-policy'
import { isOpenToOthers } from './pod-isolation'
import { opens, type PodPort, type PolicyPorts, portsOfCiliumRule, portsOfRule } from './policy-port'

export const ciliumPolicyKind: GroupKind = 'CiliumNetworkPolicy.cilium.io'

/** The policy of Cilium that has no namespace. */
export const clusterwidePolicyKind: GroupKind = 'CiliumClusterwideNetworkPolicy.cilium.io'

/** Pods that policies select. */
export interface SelectedPods {
  readonly namespace: string
  /** The object that they are known from. */
  readonly manifest: Manifest
  readonly labelOf: (key: string) => Label
}

/** One rule of a policy, which lets clients in to Pods. */
export interface WayIn {
  /** The place of its ports. */
  readonly at: Cursor
  /** `outside`: by addresses that are none of a Pod's. */
  readonly from: 'pods' | 'outside' | 'any'
  readonly ports: PolicyPorts
}

/** What a policy does with the traffic that comes in to Pods. */
export interface PolicyPart {
  readonly policy: Manifest
  readonly selector: Cursor
  /** Whether all other traffic to its Pods is closed. */
  readonly isolates: boolean
  readonly ways: readonly WayIn[]
}

/** The parts of a policy for traffic that comes in: one of Cilium may have several. */
export function partsOf(policy: Manifest): PolicyPart[] {
  const spec = policy.root.at('spec')
  if (groupKindOf(policy.ref) !== networkPolicyKind)
    return [spec, ...policy.root.at('specs').items()].flatMap((one) => ciliumPart(policy, one))
  const types = [...spec.at('policyTypes').items()].map(({ string }) => string)
  if (types.length > 0 && !types.includes('Ingress')) return []
  const ways = [...spec.at('ingress').items()].map((rule): WayIn => {
    const peers = [...rule.at('from').items()]
    const areAllPods = peers.length > 0 && peers.every((peer) => !peer.at('ipBlock').exists)
    return { at: rule.at('ports'), from: areAllPods ? 'pods' : 'any', ports: portsOfRule(rule) }
  })
  return [{ policy, selector: spec.at('podSelector'), isolates: true, ways }]
}

function ciliumPart(policy: Manifest, spec: Cursor): PolicyPart[] {
  const selector = spec.at('endpointSelector')
  if (!selector.exists || !(spec.at('ingress').exists || closesByDefault(spec))) return []
  const ways = [...spec.at('ingress').items()].map((rule): WayIn => {
    const ports = portsOfCiliumRule(rule)
    return { at: rule.at('toPorts'), from: peersOf(rule), ports }
  })
  return [{ policy, selector, isolates: closesByDefault(spec), ways }]
}

/**
 * Whether a spec of Cilium closes its Pods to all that is not allowed: unless it says so itself, where it has a rule. An empty list is as none.
 * Source: https://github.com/cilium/cilium/blob/v1.17.0/pkg/policy/api/rule_validation.go, `EnableDefaultDeny`
 */
export function closesByDefault(spec: Cursor): boolean {
  const rules = [...spec.at('ingress').items(), ...spec.at('ingressDeny').items()]
  const asked = spec.at('enableDefaultDeny', 'ingress')
  return asked.exists ? asked.value === true : rules.length > 0
}

/** The entities of Cilium that are no clients from outside. Source: https://docs.cilium.io/en/stable/security/policy/language/#entities-based */
const inside = ['cluster', 'host', 'remote-node', 'kube-apiserver', 'health', 'init', 'unmanaged', 'ingress']

/** Addresses never mean Pods or nodes for Cilium. Source: https://docs.cilium.io/en/stable/security/policy/language/#cidr-based */
function peersOf(rule: Cursor): WayIn['from'] {
  const given = [...rule.entries()].map(([key]) => key).filter((key) => key.startsWith('from'))
  if (given.length !== 1) return 'any'
  if (given[0] === 'fromCIDR' || given[0] === 'fromCIDRSet') return 'outside'
  if (given[0] === 'fromEndpoints') return 'pods'
  const entities = [...rule.at('fromEntities').items()].map(({ string }) => string ?? '')
  if (entities.length === 0) return 'any'
  if (entities.every((one) => inside.includes(one))) return 'pods'
  return entities.every((one) => one.startsWith('world')) ? 'outside' : 'any'
}

/** Whether a part of a policy selects Pods of its namespace; undefined where it may. */
export function selectsPods(
  { policy, selector }: PolicyPart,
  { namespace, labelOf }: SelectedPods,
): boolean | undefined {
  if (groupKindOf(policy.ref) === networkPolicyKind) return !selector.exists || meets(selector, labelOf)
  return meets(selector, (key) => {
    const name = labelNamed(key)
    if (name === 'io.kubernetes.pod.namespace') return { value: namespace }
    return name.startsWith('io.cilium.') || name.startsWith('reserved:') ? undefined : labelOf(name)
  })
}

/** The name of a label without Cilium's word for where it comes from. */
export function labelNamed(key: string): string {
  return key.replace(/^(?:k8s|any):/, '')
}

/** All ways in to the Pods of a part of a policy; undefined where nothing isolates them, or something else may open them. */
export function waysInto(pods: SelectedPods, own: PolicyPart, snapshot: Snapshot): WayIn[] | undefined {
  if (isOpenToOthers(pods.namespace, pods.manifest, snapshot)) return undefined
  const parts = partsIn(snapshot)
  const answers = [...(parts.get(pods.namespace) ?? []), ...(parts.get('') ?? [])].map((part) => ({
    part,
    answer: selectsPods(part, pods),
  }))
  const isIsolated = own.isolates || answers.some(({ part, answer }) => answer === true && part.isolates)
  return isIsolated ? answers.filter(({ answer }) => answer !== false).flatMap(({ part }) => part.ways) : undefined
}

/** Whether a way, or another one for some of its clients, opens a port; undefined where one may. */
export function isOpenAlong(way: WayIn, port: PodPort, ways: readonly WayIn[]): boolean | undefined {
  const answers = ways
    .filter(({ from }) => from === way.from || from === 'any' || way.from === 'any')
    .map(({ ports }) => opens(ports, port))
  if (answers.includes(true)) return true
  return answers.includes(undefined) ? undefined : false
}

const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly PolicyPart[]>>()

/** The parts of policies by their namespace; those without one may be for any. */
function partsIn(snapshot: Snapshot): ReadonlyMap<string, readonly PolicyPart[]> {
  const before = known.get(snapshot)
  if (before) return before
  const parts = new Map<string, PolicyPart[]>()
  for (const policy of [networkPolicyKind, ciliumPolicyKind, clusterwidePolicyKind].flatMap((kind) =>
    snapshot.ofKind(kind),
  ))
    for (const part of partsOf(policy)) append(parts, policy.ref.namespace, part)
  known.set(snapshot, parts)
  return parts
}
