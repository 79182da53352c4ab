import { isStopped, podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { servicesIn } from '../ingress/services'
import { mayShareNamespace } from '../object/namespace'
import { outlivesPrune } from '../object/prune'
import { selectedValues, selects } from '../object/service'
import { servingKinds, workloadsBehind } from '../workload/serving-pods'
import { isServiceOf } from './backend-services'
import { releaseKinds } from './chart-release'
import { mayBeMade } from './makers'

/** A Service to which a route sends requests, and that selects no running Pods after a change. */
export interface LossOfPods {
  readonly service: Manifest
  /** The Service's name in the route. */
  readonly route: Cursor
  /** The workload that ran its last Pods. */
  readonly workload: Manifest
  readonly outcome: 'removed' | 'stopped' | 'relabelled' | 'unselected'
  /** The cause. */
  readonly at: Cursor
}

/** The Services that lose their last Pods by a change of a workload, or of their own selector. */
export function unbackedBy(change: Change, base: Snapshot, head: Snapshot): LossOfPods[] {
  if (change.kind === 'added') return []
  const { before } = change
  if (before.ref.kind !== 'Service') return unbackedByWorkload(change, base, head)
  const [workload] = workloadsBehind(before, base)
  const loss = workload && change.kind === 'changed' ? lossOf(change.after, workload, head) : undefined
  const at = loss?.service.root.at('spec', 'selector')
  // Without a selector, a Service has its endpoints from elsewhere.
  return loss && at?.isMap ? [{ ...loss, outcome: 'unselected', at }] : []
}

function unbackedByWorkload(change: Exclude<Change, { kind: 'added' }>, base: Snapshot, head: Snapshot): LossOfPods[] {
  const { before } = change
  const after = change.kind === 'changed' ? change.after : undefined
  if (!servingKinds.includes(groupKindOf(before.ref)) || isStopped(before)) return []
  if (!after && outlivesPrune(before)) return []
  // The API server refuses another selector, which selector-kept reports.
  if (after && !isStopped(after) && selectorOf(before) !== selectorOf(after)) return []
  const services = base.ofKind('Service').filter((one) => selects(one, before))
  return services.flatMap((was): LossOfPods[] => {
    const [service, ...copies] = head.get(was.ref)
    const loss = service && copies.length === 0 ? lossOf(service, before, head) : undefined
    if (!loss) return []
    if (!after) return [{ ...loss, outcome: 'removed', at: before.root }]
    if (isStopped(after)) return [{ ...loss, outcome: 'stopped', at: after.root.at('spec', 'replicas') }]
    return [{ ...loss, outcome: 'relabelled', at: podOf(after).at('metadata', 'labels') }]
  })
}

function lossOf(service: Manifest, workload: Manifest, head: Snapshot) {
  if (workloadsBehind(service, head).length > 0 || mayHaveOthers(service, head)) return undefined
  const route = servicesIn(head)
    .backendsTo(service.ref.name)
    .find((one) => isServiceOf(one, service))?.name
  return route && !mayRunAgain(workload, service, head) ? { service, workload, route } : undefined
}

/** Whether a Service may select the Pods of a workload: only one of the two has its namespace written. */
function mayHaveOthers(service: Manifest, head: Snapshot): boolean {
  const selected = [...service.root.at('spec', 'selector').entries()]
  return servingKinds
    .flatMap((kind) => head.ofKind(kind))
    .some((workload) => {
      const labels = podOf(workload).at('metadata', 'labels')
      if (isStopped(workload) || workload.ref.namespace === service.ref.namespace) return false
      return (
        mayShareNamespace(workload, service) && selected.every(([key, { string }]) => labels.at(key).string === string)
      )
    })
}

function selectorOf({ root }: Manifest): string {
  return JSON.stringify(
    [...root.at('spec', 'selector', 'matchLabels').entries()].map(([key, { string }]) => [key, string]),
  )
}

/** Groups whose objects name workloads and labels, and run no Pods. */
const bystanders =
  /(?:^|\.)(?:k8s\.io|istio\.io|cilium\.io|projectcalico\.org|coreos\.com|cert-manager\.io|external-secrets\.io|bitnami\.com|kyverno\.io|kustomize\.toolkit\.fluxcd\.io|traefik\.io|traefik\.containo\.us)$/

/**
 * Whether something else may run Pods for a Service: the release of a chart, an object of an operator, or a scaler that
 * starts them with the first request.
 */
function mayRunAgain(workload: Manifest, service: Manifest, head: Snapshot): boolean {
  if (/sablier|downscaler|keda|zeropod/i.test((head.get(workload.ref)[0] ?? workload).object.content)) return true
  const names = [workload.ref.name, ...selectedValues(service)]
  return names.some((name) => mayBeMade(service.ref.namespace, name, head, runsPods))
}

/** Whether an object may run Pods of its own, or do the like for a Service. */
export function runsPods({ ref }: Manifest): boolean {
  return releaseKinds.includes(groupKindOf(ref)) || !bystanders.test(ref.group)
}
