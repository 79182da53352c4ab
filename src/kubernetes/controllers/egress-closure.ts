import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { meets, writtenLabel } from './label-answer'
import { networkPolicyKind } from './network-policy'
import { isOpenToOthers } from './pod-isolation'
import { ciliumPolicyKind, clusterwidePolicyKind } from './ways-in'

const known = new WeakMap<Snapshot, WeakMap<Manifest, ReadonlySet<Manifest>>>()

/**
 * The NetworkPolicies that together let no request leave the Pods of a workload, for certain, apart from those to DNS: each changed
 * policy asks for all of them. A policy without types is for egress if it has rules for it. Source:
 * https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/network-policy-v1/
 */
export function closedOutwards(workload: Manifest, snapshot: Snapshot): ReadonlySet<Manifest> {
  const byWorkload = known.get(snapshot) ?? new WeakMap<Manifest, ReadonlySet<Manifest>>()
  known.set(snapshot, byWorkload)
  const found = byWorkload.get(workload) ?? new Set(closingOutwards(workload, snapshot))
  byWorkload.set(workload, found)
  return found
}

function closingOutwards(workload: Manifest, snapshot: Snapshot): Manifest[] {
  const { namespace } = workload.ref
  const isOfNode = podOf(workload).at('spec', 'hostNetwork').value === true
  if (namespace === '' || isPlaceholder(namespace) || isOfNode || mayBeOpened(workload, snapshot)) return []
  const labels = podOf(workload).at('metadata', 'labels')
  const near = snapshot
    .ofKind(networkPolicyKind)
    .filter(({ ref }) => ref.namespace === namespace || ref.namespace === '' || isPlaceholder(ref.namespace))
    .filter(isForEgress)
    .map((policy) => {
      const selector = policy.root.at('spec', 'podSelector')
      const answer = !selector.exists || meets(selector, (key) => writtenLabel(labels.at(key)))
      return { policy, answer: policy.ref.namespace === namespace ? answer : answer && undefined }
    })
    .filter(({ answer }) => answer !== false)
  const rules = near.flatMap(({ policy }) => [...policy.root.at('spec', 'egress').items()])
  return rules.some(leadsElsewhere) ? [] : near.filter(({ answer }) => answer === true).map(({ policy }) => policy)
}

function isForEgress({ root }: Manifest): boolean {
  const types = [...root.at('spec', 'policyTypes').items()].map(({ string }) => string)
  return types.length > 0 ? types.includes('Egress') : [...root.at('spec', 'egress').items()].length > 0
}

/** Whether a rule lets requests out that are not for DNS; a list that a tool fills in may. */
function leadsElsewhere(rule: Cursor): boolean {
  const ports = [...rule.at('ports').items()].map((entry) => entry.at('port').value)
  return ports.length === 0 || ports.some((port) => port !== 53 && port !== 'dns' && port !== 'dns-tcp')
}

/** Whether policies of other kinds may let requests out. */
function mayBeOpened(workload: Manifest, snapshot: Snapshot): boolean {
  const { namespace } = workload.ref
  const ofCilium = [ciliumPolicyKind, clusterwidePolicyKind].flatMap((kind) => snapshot.ofKind(kind))
  const isNear = ({ ref, root }: Manifest) =>
    ['', namespace].includes(ref.namespace) && (root.at('spec', 'egress').exists || root.at('specs').exists)
  return isOpenToOthers(namespace, workload, snapshot) || ofCilium.some(isNear)
}
