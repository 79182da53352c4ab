import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { selectsLabels } from '../object/label-selector'
import { shareNamespace } from '../object/namespace'

export const networkPolicyKind = 'NetworkPolicy.networking.k8s.io'

/**
 * The policies that together let no client reach the Pods of a workload: each port for traffic is closed to everybody.
 * Policies add up, so one rule of one of them opens a port; Pods that no policy selects are open.
 * Source: https://kubernetes.io/docs/concepts/services-networking/network-policies/#the-two-sorts-of-pod-isolation
 */
export function closingPolicies(workload: Manifest, snapshot: Snapshot): Manifest[] {
  const labels = podOf(workload).at('metadata', 'labels')
  const selecting = snapshot
    .ofKind(networkPolicyKind)
    .filter((policy) => isolates(policy) && shareNamespace(policy, workload) && selectsPods(policy, labels))
  const rules = selecting.flatMap(({ root }) => [...root.at('spec', 'ingress').items()])
  const ports = trafficPorts(workload)
  return rules.some((rule) => opens(rule, ports)) ? [] : selecting
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

/** The ports of the containers, by number and by name, except those without client traffic. */
function trafficPorts(workload: Manifest): Set<string | number> {
  const ports = [...podOf(workload).at('spec', 'containers').items()].flatMap((container) => [
    ...container.at('ports').items(),
  ])
  const found = ports
    .filter((port) => !/metrics|webhook|health|prometheus|profil/.test(port.at('name').string ?? ''))
    .flatMap((port) => [port.at('containerPort').value, port.at('name').string])
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
