import type { Snapshot } from '../../cluster/snapshot'

/** A part of the names of all API groups of OpenShift. */
export const openShiftMark = '.openshift.io'

/**
 * The kinds of RBAC that OpenShift 3 served in `v1`, too. Source:
 * https://github.com/openshift/origin/blob/release-3.11/pkg/authorization/apis/authorization/v1/register.go
 */
export const legacyKinds: ReadonlySet<string> = new Set(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'])

/** Groups that came with OpenShift 4. */
const ofOpenShift4: ReadonlySet<string> = new Set(
  ['config', 'console', 'hive', 'machine', 'machineconfiguration', 'managed', 'operator'].map(
    (name) => `${name}${openShiftMark}`,
  ),
)

/** Whether a cluster has objects of OpenShift, and none that only OpenShift 4 has. */
export function mayBeOpenShift3({ manifests }: Snapshot): boolean {
  const groups = new Set(manifests.map(({ ref }) => ref.group).filter((group) => group.endsWith(openShiftMark)))
  return groups.size > 0 && ![...groups].some((group) => ofOpenShift4.has(group))
}
