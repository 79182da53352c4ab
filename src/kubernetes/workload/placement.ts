import { oneEditFrom } from '../../closest'
import { podOf } from '../../cluster/pod'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** The names of schedulers that a cluster runs itself: https://cloud.google.com/kubernetes-engine/docs/concepts/about-autoscaling-profiles */
const ownSchedulers: ReadonlySet<string> = new Set(['default-scheduler', 'gke.io/optimize-utilization-scheduler'])

/** Where the Pods of a workload name a scheduler that something has to add to a cluster. */
export function addedScheduler(workload: Manifest): Cursor | undefined {
  const at = podOf(workload).at('spec', 'schedulerName')
  return at.string && !ownSchedulers.has(at.string) ? at : undefined
}

/**
 * The labels of Pods in the workload's own namespace beside which alone its Pods may run, as they are written.
 * Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
 */
export function companionsOf(workload: Manifest): Cursor[] {
  return requiredTerms(podOf(workload).at('spec'))
    .filter((term) => !term.at('namespaceSelector').exists && !term.at('namespaces').exists)
    .map((term) => term.at('labelSelector', 'matchLabels'))
    .filter(({ exists }) => exists)
}

function requiredTerms(spec: Cursor): Cursor[] {
  return [...spec.at('affinity', 'podAffinity', 'requiredDuringSchedulingIgnoredDuringExecution').items()]
}

/** Labels of nodes that Kubernetes sets. Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ */
const nodeLabels: readonly string[] = [
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
]

/** A label that the nodes for a Pod must have, and the one of Kubernetes for which it is written by a typing error. */
export interface MistypedLabel {
  readonly at: Cursor
  readonly written: string
  readonly meant: string
}

/** The first of these labels of a Pod: users have no other ones than its own in the domains of Kubernetes. */
export function mistypedNodeLabel(spec: Cursor): MistypedLabel | undefined {
  const spread = [...spec.at('topologySpreadConstraints').items()].filter(
    (one) => one.at('whenUnsatisfiable').string !== 'ScheduleAnyway',
  )
  const keys = [
    ...[...spread, ...requiredTerms(spec)].map((one) => one.at('topologyKey')),
    ...requiredNodeKeys(spec.at('affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')),
  ].flatMap((at) => (at.string === undefined ? [] : [{ at, written: at.string }]))
  const selected = [...spec.at('nodeSelector').entries()].map(([written, at]) => ({ at, written }))
  return [...keys, ...selected].flatMap((one) => {
    const meant = nodeLabels.includes(one.written) ? undefined : oneEditFrom(one.written, nodeLabels)
    return meant === undefined ? [] : [{ ...one, meant }]
  })[0]
}

/** The labels that a node has to have; of several terms, one is enough. */
function requiredNodeKeys(required: Cursor): Cursor[] {
  const [term, ...others] = required.at('nodeSelectorTerms').items()
  if (!term || others.length > 0) return []
  const hasNode = (one: Cursor) => !['NotIn', 'DoesNotExist'].includes(one.at('operator').string ?? '')
  return [...term.at('matchExpressions').items()].filter(hasNode).map((one) => one.at('key'))
}

/**
 * The labels of Pods in the workload's own namespace that its Pods are kept apart from, or spread with, as they are written.
 * Source: https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
 */
export function keptApartFrom(workload: Manifest): Cursor[] {
  const spec = podOf(workload).at('spec')
  const apart = spec.at('affinity', 'podAntiAffinity')
  const preferred = [...apart.at('preferredDuringSchedulingIgnoredDuringExecution').items()]
  return [
    ...apart.at('requiredDuringSchedulingIgnoredDuringExecution').items(),
    ...preferred.map((one) => one.at('podAffinityTerm')),
    ...spec.at('topologySpreadConstraints').items(),
  ]
    .filter((term) => !term.at('namespaceSelector').exists && !term.at('namespaces').exists)
    .filter((term) => !term.at('labelSelector', 'matchExpressions').exists)
    .map((term) => term.at('labelSelector', 'matchLabels'))
    .filter(({ exists }) => exists)
}
