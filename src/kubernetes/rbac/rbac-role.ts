import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { selectsLabels } from '../object/label-selector'
import { type Permissions, permissionsIn, roleKinds } from './rbac'

/**
 * The selectors by which a ClusterRole aggregates the rules of others; `undefined` for a role with its own rules.
 */
export function aggregationOf(role: Manifest): readonly Cursor[] | undefined {
  const rule = role.root.at('aggregationRule')
  return role.ref.kind === 'ClusterRole' && rule.isMap ? [...rule.at('clusterRoleSelectors').items()] : undefined
}

/**
 * The permissions of a role in its cluster. The controller manager overwrites the rules of an aggregated role with
 * those of the selected roles, so the rules in its manifest have no effect. Source:
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
export function permissionsOfRole(role: Manifest, snapshot: Snapshot): Permissions[] {
  return gathered(role, snapshot, new Set())
}

function gathered(role: Manifest, snapshot: Snapshot, seen: Set<Manifest>): Permissions[] {
  const selectors = aggregationOf(role)
  if (!selectors) return permissionsIn(role.root.at('rules'))
  if (seen.has(role)) return []
  seen.add(role)
  return snapshot
    .ofKind(roleKinds[0])
    .filter((other) => selectors.some((selector) => selectsLabels(selector, other.root.at('metadata', 'labels'))))
    .flatMap((other) => gathered(other, snapshot, seen))
}

const aggregatePrefix = 'rbac.authorization.k8s.io/aggregate-to-'

/** The roles that teams are bound to, each with less than the next. */
const userFacing = ['view', 'edit', 'admin']

/** The labels by which a ClusterRole adds its rules to a user-facing role, the least of these first. */
export function aggregateLabels({ root, ref }: Manifest): { key: string; gatherer: string; at: Cursor }[] {
  if (ref.kind !== 'ClusterRole') return []
  return userFacing.flatMap((gatherer) => {
    const key = `${aggregatePrefix}${gatherer}`
    const at = root.at('metadata', 'labels', key)
    return at.string === 'true' ? [{ key, gatherer, at }] : []
  })
}
