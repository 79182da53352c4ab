import type { Snapshot } from '../../cluster/snapshot'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { calicoPolicyKinds, closedByCalico } from './calico-closure'
import { closedByCilium } from './cilium-closure'
import { ciliumPolicyKind, clusterwidePolicyKind } from './ways-in'

/** The kinds of policies that network plugins have besides NetworkPolicies. */
export const pluginPolicyKinds: readonly GroupKind[] = [...calicoPolicyKinds, ciliumPolicyKind, clusterwidePolicyKind]

const known = new WeakMap<Snapshot, WeakMap<Manifest, ReadonlySet<Manifest>>>()

/** The policies of network plugins that let no client reach the Pods of a workload: each changed policy asks for all of them. */
export function closedByPlugins(workload: Manifest, snapshot: Snapshot): ReadonlySet<Manifest> {
  const byWorkload = known.get(snapshot) ?? new WeakMap<Manifest, ReadonlySet<Manifest>>()
  known.set(snapshot, byWorkload)
  const found =
    byWorkload.get(workload) ?? new Set([...closedByCilium(workload, snapshot), ...closedByCalico(workload, snapshot)])
  byWorkload.set(workload, found)
  return found
}
