import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { selectsLabels } from '../object/label-selector'
import { shareNamespace } from '../object/namespace'
import type { PodPort } from './policy-port'

export const networkPolicyKind = 'NetworkPolicy.networking.k8s.io'

/**
 * The policies that together let no client reach the Pods of a workload: each port for traffic is closed to everybody.
 * Policies add up, so one rule of one of them opens a port; Pods that no policy selects are open.
 * Source: https://kubernetes.io/docs/concepts/services-networking/network-policies/#the-two-sorts-of-pod-isolation
 *
 * @param isShut rules that open nothing to clients
 */
export function closingPolicies(
  workload: Manifest,
  snapshot: Snapshot,
  isShut: (rule: Cursor) => boolean = () => false,
): Manifest[] {
  const labels = podOf(workload).at('metadata', 'labels')
  const selecting = snapshot
    .ofKind(networkPolicyKind)
    .filter((policy) => isolates(policy) && shareNamespace(policy, workload) && selectsPods(policy, labels))
  const rules = selecting.flatMap(({ root }) => [...root.at('spec', 'ingress').items()])
  const ports = trafficPorts(workload)
  return rules.some((rule) => !isShut(rule) && opens(rule, ports)) ? [] : selecting
}

/** Words in the labels of what reads the metrics of Pods. */
const observers = /monitor|metrics|observ|prometheus|grafana|victoria|telemetry/i

/** Whether a rule lets in monitoring alone: each peer is Pods or a namespace with such a label. */
export function isForObservers(rule: Cursor): boolean {
  const peers = [...rule.at('from').items()]
  return (
    peers.length > 0 &&
    peers.every((peer) => {
      const selectors = [peer.at('namespaceSelector'), peer.at('podSelector')]
      const labels = selectors.flatMap((one) => [...one.at('matchLabels').entries()])
      const expressions = selectors.flatMap((one) => [...one.at('matchExpressions').items()])
      const areAsked = expressions
        .filter((one) => one.at('operator').string === 'In')
        .flatMap((one) => [...one.at('values').items()])
      const values = [...labels.map(([, value]) => value.string ?? ''), ...areAsked.map(({ string }) => string ?? '')]
      return (
        !peer.at('ipBlock').exists &&
        values.some((value) => observers.test(value)) &&
        areAsked.every(({ string }) => observers.test(string ?? ''))
      )
    })
  )
}

/** Words in the labels of what may bring clients from outside: a proxy, or the load balancer of K3s in kube-system. */
export const bringers =
  /kube-system|edge|proxy|tunnel|cloudflare|gateway|balancer|metallb|varnish|waf|istio|linkerd|mesh/i

/** Whether a rule lets in Pods alone that are hardly a way for clients from outside. */
export function isForPods(rule: Cursor): boolean {
  const peers = [...rule.at('from').items()]
  const isHere = rule.manifest.ref.namespace !== 'kube-system'
  return (
    peers.length > 0 &&
    peers.every((peer) => {
      const [spaces, pods] = [peer.at('namespaceSelector'), peer.at('podSelector')]
      if (peer.at('ipBlock').exists || (!spaces.exists && !pods.exists)) return false
      // All namespaces, or those by other marks, are not known.
      const named = [...spaces.at('matchLabels').entries()].map(([, { string }]) => string ?? '')
      const labels = [...pods.at('matchLabels').entries()].map(([, { string }]) => string ?? '')
      if ([spaces, pods].some((one) => one.at('matchExpressions').exists)) return false
      return (spaces.exists ? named.length > 0 : isHere) && ![...named, ...labels].some((one) => bringers.test(one))
    })
  )
}

/** An empty or missing selector takes all Pods of the namespace. */
function selectsPods({ root }: Manifest, labels: Cursor): boolean {
  const selector = root.at('spec', 'podSelector')
  return !selector.exists || selectsLabels(selector, labels)
}

function isolates({ root }: Manifest): boolean {
  const types = [...root.at('spec', 'policyTypes').items()].map(({ string }) => string)
  return types.length === 0 || types.includes('Ingress')
}

/** The ports of the containers, except those without client traffic. */
function trafficPortsIn(workload: Manifest): Cursor[] {
  const containers = [...podOf(workload).at('spec', 'containers').items()]
  const ports = containers.flatMap((container) => [...container.at('ports').items()])
  return ports.filter((port) => !/metrics|webhook|health|prometheus|profil/.test(port.at('name').string ?? ''))
}

/** The ports for client traffic of a workload. */
export function trafficPortsOf(workload: Manifest): PodPort[] {
  return trafficPortsIn(workload).flatMap((port) => {
    const number = port.at('containerPort').value
    return typeof number === 'number' ? [{ number, names: [port.at('name').string ?? []].flat() }] : []
  })
}

/** The same, by number and by name. */
function trafficPorts(workload: Manifest): Set<string | number> {
  const found = trafficPortsIn(workload).flatMap((port) => [port.at('containerPort').value, port.at('name').string])
  return new Set(found.filter((one) => typeof one === 'number' || typeof one === 'string'))
}

/** Whether a rule opens a port to any client; a port that the workload does not declare may be any. */
function opens(rule: Cursor, ports: ReadonlySet<string | number>): boolean {
  const listed = [...rule.at('ports').items()]
  if (listed.length === 0 || ports.size === 0) return true
  return listed.some((entry) => {
    const { value } = entry.at('port')
    const end = entry.at('endPort').value
    if (value === undefined || value === null) return true
    if (typeof value === 'number' && typeof end === 'number')
      return [...ports].some((port) => typeof port === 'number' && port >= value && port <= end)
    return (typeof value === 'number' || typeof value === 'string') && ports.has(value)
  })
}
