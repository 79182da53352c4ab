import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { nameOf } from '../../manifest/manifest'

export const kedaKind: GroupKind = 'ScaledObject.keda.sh'

const paused = 'autoscaling.keda.sh/paused-replicas'

/** Triggers by which KEDA never scales to zero: a Pod has to run for them. */
const ofRunningPods: ReadonlySet<string | undefined> = new Set(['cpu', 'memory'])

/**
 * Where a ScaledObject lets KEDA scale its workload to no Pods: paused at zero, or at least zero of them. Without a number, it is zero, too.
 * Sources: https://keda.sh/docs/2.17/reference/scaledobject-spec/#minreplicacount and
 * https://keda.sh/docs/2.17/concepts/scaling-deployments/#pause-autoscaling
 */
export function scaledToNoneByKeda(
  scaler: Manifest,
): { readonly at: Cursor; readonly setting: string; readonly pause?: string } | undefined {
  const { root, ref } = scaler
  const pause = root.at('metadata', 'annotations', paused)
  const setting = 'minReplicaCount'
  if (pause.string === '0') return { at: pause, setting, pause: `the annotation ${paused} of ${nameOf(ref)}` }
  // The number at which it is paused is kept.
  if (pause.exists) return undefined
  const spec = root.at('spec')
  if ([...spec.at('triggers').items()].every((one) => ofRunningPods.has(one.at('type').string))) return undefined
  const idle = spec.at('idleReplicaCount')
  if (idle.value === 0) return { at: idle, setting: 'idleReplicaCount' }
  const fewest = spec.at(setting)
  return fewest.value === 0 || !fewest.exists
    ? { at: fewest.exists ? fewest : spec.at('triggers'), setting }
    : undefined
}
