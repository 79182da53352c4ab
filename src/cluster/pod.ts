import { entryOf } from '../entry'
import type { Cursor } from '../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../manifest/manifest'

/** The path of the Pod in each kind: the object itself, or a template. */
const places: Readonly<Record<GroupKind, readonly string[]>> = {
  'Deployment.apps': ['spec', 'template'],
  'DaemonSet.apps': ['spec', 'template'],
  'StatefulSet.apps': ['spec', 'template'],
  'ReplicaSet.apps': ['spec', 'template'],
  Pod: [],
  ReplicationController: ['spec', 'template'],
  'Job.batch': ['spec', 'template'],
  'CronJob.batch': ['spec', 'jobTemplate', 'spec', 'template'],
  // https://argo-rollouts.readthedocs.io/en/stable/features/specification/
  'Rollout.argoproj.io': ['spec', 'template'],
  // https://openkruise.io/docs/
  'CloneSet.apps.kruise.io': ['spec', 'template'],
  'DaemonSet.apps.kruise.io': ['spec', 'template'],
  'StatefulSet.apps.kruise.io': ['spec', 'template'],
  // https://docs.openshift.com/container-platform/4.14/applications/deployments/what-deployments-are.html
  'DeploymentConfig.apps.openshift.io': ['spec', 'template'],
}

/** The kinds that run Pods. */
export const workloadKinds: readonly GroupKind[] = Object.keys(places)

/** The kinds that keep their Pods running; those of a Job come to an end. */
export const lastingKinds: readonly GroupKind[] = workloadKinds.filter((kind) => !kind.endsWith('.batch'))

/** The Pods that an object runs, as `metadata` and `spec`. */
export function podOf({ ref, root }: Manifest): Cursor {
  return root.at(...(entryOf(places, groupKindOf(ref)) ?? ['spec', 'template']))
}

/** Whether a workload runs no Pods: it is scaled to zero or suspended. */
export function isStopped({ root, ref }: Manifest): boolean {
  const spec = root.at('spec')
  if (ref.kind === 'Job' || ref.kind === 'CronJob') return spec.at('suspend').value === true
  return spec.at('replicas').value === 0
}
