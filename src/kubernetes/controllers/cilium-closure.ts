import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { reachOf, servicesTo } from './controller-service'
import { writtenLabel } from './label-answer'
import { bringers, networkPolicyKind, trafficPortsOf } from './network-policy'
import { isOpenToOthers } from './pod-isolation'
import { opens, type PodPort, type PolicyPorts, portsOfCiliumRule, portsOfRule } from './policy-port'
import {
  ciliumPolicyKind,
  closesByDefault,
  clusterwidePolicyKind,
  partsOf,
  type SelectedPods,
  selectsPods,
} from './ways-in'

/** One spec of a policy of Cilium that may select some Pods. */
export interface Spec {
  readonly policy: Manifest
  readonly at: Cursor
  readonly isCertain: boolean
}

/**
 * The policies of Cilium that let no client from outside reach the Pods of a workload, for certain: they deny it, or they close
 * the Pods and no policy opens their ports. Denials come before what is allowed; a list without rules does nothing. Sources:
 * https://docs.cilium.io/en/stable/security/policy/deny/ and as for `closesByDefault`.
 *
 * @param isShut rules that open nothing to clients
 */
export function closedByCilium(
  workload: Manifest,
  snapshot: Snapshot,
  isShut: (rule: Cursor) => boolean = () => false,
): Manifest[] {
  const { namespace } = workload.ref
  if (namespace === '') return []
  const labels = podOf(workload).at('metadata', 'labels')
  const pods: SelectedPods = { namespace, manifest: workload, labelOf: (key) => writtenLabel(labels.at(key)) }
  const ports = trafficPortsOf(workload)
  const specs = specsFor(pods, snapshot)
  const certain = specs.filter(({ isCertain }) => isCertain)
  const hasClientsOutside = () => servicesTo(workload, snapshot).some((service) => reachOf(service) > 0)
  const denying = certain.filter(({ at }) => [...at.at('ingressDeny').items()].some((rule) => refuses(rule, ports)))
  if (denying.length > 0 && hasClientsOutside()) return denying.map(({ policy }) => policy)
  const closing = certain.filter(({ at }) => closesByDefault(at))
  if (closing.length === 0 || isOpenToOthers(namespace, workload, snapshot)) return []
  const rules = specs.flatMap(({ at }) => [...at.at('ingress').items()])
  const mayOpen = (open: PolicyPorts) => ports.length === 0 || ports.some((port) => opens(open, port) !== false)
  const isOpen =
    rules.some((rule) => hasClients(rule) && !isShut(rule) && mayOpen(portsOfCiliumRule(rule))) ||
    networkRules(pods, snapshot).some((rule) => mayOpen(portsOfRule(rule)))
  return isOpen ? [] : closing.map(({ policy }) => policy)
}

/** The specs of the policies of Cilium that may select some Pods. */
export function specsFor(pods: SelectedPods, snapshot: Snapshot): Spec[] {
  const policies = [ciliumPolicyKind, clusterwidePolicyKind].flatMap((kind) => snapshot.ofKind(kind))
  return policies
    .filter(({ ref }) => ref.namespace === '' || ref.namespace === pods.namespace)
    .flatMap((policy) => {
      // A policy whose namespace a tool fills in may be in any.
      const isNear = policy.ref.namespace !== '' || policy.ref.kind === 'CiliumClusterwideNetworkPolicy'
      return [policy.root.at('spec'), ...policy.root.at('specs').items()].flatMap((at): Spec[] => {
        const selector = at.at('endpointSelector')
        const answer = selector.exists && selectsPods({ policy, selector, isolates: true, ways: [] }, pods)
        return answer === false ? [] : [{ policy, at, isCertain: isNear && answer === true }]
      })
    })
}

/** Whether a rule lets some clients in: one that names none and no ports allows nothing, as does an empty list of them. */
export function hasClients(rule: Cursor): boolean {
  const given = [...rule.entries()]
  return (
    given.length > 0 && given.every(([key, at]) => !key.startsWith('from') || !at.isList || [...at.items()].length > 0)
  )
}

/**
 * Whether a rule lets in Pods alone that are hardly a way for clients from outside. An empty selector is for the namespace of the policy.
 * Source: https://docs.cilium.io/en/stable/network/kubernetes/policy/#namespaces
 */
function isForPodsOfCilium(rule: Cursor): boolean {
  const endpoints = [...rule.at('fromEndpoints').items()]
  const others = [...rule.entries()].some(([key]) => key.startsWith('from') && key !== 'fromEndpoints')
  const isNamespaced = rule.manifest.ref.kind === 'CiliumNetworkPolicy' && rule.manifest.ref.namespace !== 'kube-system'
  return (
    isNamespaced &&
    endpoints.length > 0 &&
    !others &&
    endpoints.every((one) => {
      const labels = [...one.at('matchLabels').entries()]
      const isOfReserved = labels.some(([key]) => key.startsWith('reserved:'))
      const bring = labels.some(([, { string }]) => bringers.test(string ?? ''))
      return one.isMap && !one.at('matchExpressions').exists && !isOfReserved && !bring
    })
  )
}

/** Whether a policy newly lets in Pods alone to a workload that clients from outside reach: each with its snapshot. */
export function isNewlyForPods(
  policy: Manifest,
  [was, base]: readonly [Manifest, Snapshot],
  [is, head]: readonly [Manifest, Snapshot],
): boolean {
  return (
    closedByCilium(is, head, isForPodsOfCilium).includes(policy) &&
    closedByCilium(was, base, isForPodsOfCilium).length === 0 &&
    servicesTo(is, head).some((service) => reachOf(service) > 0)
  )
}

/** Whether a rule denies all clients from outside each port for traffic. */
function refuses(rule: Cursor, ports: readonly PodPort[]): boolean {
  const peers = [...rule.entries()].filter(([key]) => key.startsWith('from'))
  const entities = [...rule.at('fromEntities').items()].map(({ string }) => string)
  const blocks = [...rule.at('fromCIDR').items()].map(({ string }) => string)
  const areAll = entities.includes('world') || entities.includes('all') || blocks.includes('0.0.0.0/0')
  const denied = portsOfCiliumRule(rule)
  return (
    peers.length === 1 &&
    areAll &&
    (denied === undefined || (ports.length > 0 && ports.every((port) => opens(denied, port))))
  )
}

/** The rules of the NetworkPolicies that may select the Pods, which Cilium follows, too. */
export function networkRules(pods: SelectedPods, snapshot: Snapshot): Cursor[] {
  return snapshot
    .ofKind(networkPolicyKind)
    .filter(({ ref }) => ref.namespace === '' || ref.namespace === pods.namespace)
    .flatMap((policy) => partsOf(policy))
    .filter((part) => selectsPods(part, pods) !== false)
    .flatMap(({ policy }) => [...policy.root.at('spec', 'ingress').items()])
}
