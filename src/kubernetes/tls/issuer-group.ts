import type { Snapshot } from '../../cluster/snapshot'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { certManagerGroups, type IssuerReference, issuerReferenceOf } from './cert-manager'

/** An issuer that an object names with a group of another maker, and the one of cert-manager that has its kind and name. */
export interface MisgroupedIssuer {
  readonly named: IssuerReference
  readonly group: Cursor
  readonly issuer: Manifest
}

/**
 * The issuer that an object comes to name with a group that no object here has or names, while cert-manager's own issuer
 * of that kind and name is here. cert-manager leaves a request of another group to another controller. Source:
 * cert-manager 1.21, pkg/controller/certificaterequests/sync.go, Sync, and pkg/apis/certmanager/v1/types.go
 */
export function misgroupedIssuer(
  change: Change,
  base: Snapshot,
  head: Snapshot,
  users: readonly GroupKind[],
): MisgroupedIssuer | undefined {
  if (change.kind === 'removed') return undefined
  const named = foreignIn(change.after)
  const group = named?.group?.string
  if (!named?.group || !group || isPlaceholder(group) || isPlaceholder(named.name)) return undefined
  if ([base, head].some((side) => groupsIn(side).has(group))) return undefined
  if (users.flatMap((kind) => base.ofKind(kind)).some((one) => foreignIn(one)?.group?.string === group))
    return undefined
  const { kind, namespace, name } = named
  const [issuer] = certManagerGroups.flatMap((one) => head.get({ group: one, kind, namespace, name }))
  return issuer && { named, group: named.group, issuer }
}

/** The issuer of an object that is not of the group of today's cert-manager. */
function foreignIn(manifest: Manifest): IssuerReference | undefined {
  const named = issuerReferenceOf(manifest)
  const group = named?.group?.string
  // A Certificate of the former group is for the former cert-manager.
  const own = manifest.ref.kind === 'Certificate' ? manifest.ref.group : 'cert-manager.io'
  return group && group !== 'cert-manager.io' && group !== own ? named : undefined
}

/** The groups of the objects of a cluster, and of those that it defines. */
function groupsIn(snapshot: Snapshot): ReadonlySet<string> {
  const before = known.get(snapshot)
  if (before) return before
  const groups = new Set<string>()
  for (const { ref, root } of snapshot.manifests) {
    groups.add(ref.group)
    const defined = ref.kind === 'CustomResourceDefinition' ? root.at('spec', 'group').string : undefined
    if (defined) groups.add(defined)
  }
  known.set(snapshot, groups)
  return groups
}

const known = new WeakMap<Snapshot, ReadonlySet<string>>()
