import { append } from '../../append'
import { isStopped, podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { selects } from '../object/service'

/** The workloads that serve requests: the Pods of others end. */
export const servingKinds: readonly GroupKind[] = workloadKinds.filter(
  (kind) => kind !== 'Job.batch' && kind !== 'CronJob.batch',
)

/** The workloads whose Pods a Service selects, by one label that it asks for. */
export function workloadsBehind(service: Manifest, snapshot: Snapshot): Manifest[] {
  const [first] = service.root.at('spec', 'selector').entries()
  const among = first ? workloadsLabelled(service.ref.namespace, first[0], first[1].string, snapshot) : []
  return among.filter((one) => selects(service, one))
}

/** The workloads of a namespace whose Pods have a label. */
export function workloadsLabelled(
  namespace: string,
  key: string,
  value: string | undefined,
  snapshot: Snapshot,
): readonly Manifest[] {
  const index = indexes.get(snapshot) ?? indexed(snapshot)
  indexes.set(snapshot, index)
  return index.get(keyOf(namespace, key, value)) ?? []
}

const indexes = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

function indexed(snapshot: Snapshot): ReadonlyMap<string, readonly Manifest[]> {
  const index = new Map<string, Manifest[]>()
  for (const workload of servingKinds.flatMap((kind) => snapshot.ofKind(kind)).filter((one) => !isStopped(one))) {
    const labels = podOf(workload).at('metadata', 'labels')
    for (const [key, { string }] of labels.entries())
      append(index, keyOf(workload.ref.namespace, key, string), workload)
  }
  return index
}

function keyOf(namespace: string, key: string, value: string | undefined): string {
  return JSON.stringify([namespace, key, value])
}
