import { append } from '../../append'
import { isStopped, podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { selects } from '../object/service'

/** The workloads that serve requests: the Pods of others end. */
export const servingKinds: readonly GroupKind[] = workloadKinds.filter(
  (kind) => kind !== 'Job.batch' && kind !== 'CronJob.batch',
)

/** The workloads whose Pods a Service selects, by one label that it asks for. */
export function workloadsBehind(service: Manifest, snapshot: Snapshot): Manifest[] {
  const index = indexes.get(snapshot) ?? indexed(snapshot)
  indexes.set(snapshot, index)
  const [first] = service.root.at('spec', 'selector').entries()
  const among = first ? (index.get(keyOf(service, first)) ?? []) : []
  return among.filter((one) => selects(service, one))
}

const indexes = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

function indexed(snapshot: Snapshot): ReadonlyMap<string, readonly Manifest[]> {
  const index = new Map<string, Manifest[]>()
  for (const workload of servingKinds.flatMap((kind) => snapshot.ofKind(kind)).filter((one) => !isStopped(one))) {
    const labels = podOf(workload).at('metadata', 'labels')
    for (const label of labels.entries()) append(index, keyOf(workload, label), workload)
  }
  return index
}

function keyOf({ ref }: Manifest, [name, { string }]: [string, Cursor]): string {
  return JSON.stringify([ref.namespace, name, string])
}
