import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import type { Parent } from '../ingress/gateway-route'
import { shareNamespace } from '../object/namespace'

const standardGroup = 'gateway.networking.k8s.io'
const experimentalGroup = 'gateway.networking.x-k8s.io'

/** The kinds that add listeners to a Gateway: the one of Gateway API 1.5, and its experimental forerunner. */
export const listenerSetKinds: readonly GroupKind[] = [
  `ListenerSet.${standardGroup}`,
  `XListenerSet.${experimentalGroup}`,
]

/** A set of listeners that a route names as its parent. */
export interface NamedSet extends Parent {
  readonly kind: string
  readonly group: string
}

/** The Gateway that a set adds its listeners to. */
export function parentOfSet(set: Manifest): Parent {
  return parentAt(set.root.at('spec', 'parentRef'), set)
}

/** The sets among the parents of a route, also those that are named in a group that has no such kind. */
export function setsOf(route: Manifest): NamedSet[] {
  return [...route.root.at('spec', 'parentRefs').items()].flatMap((at) => {
    const kind = at.at('kind').string ?? ''
    if (kind !== 'ListenerSet' && kind !== 'XListenerSet') return []
    return [{ ...parentAt(at, route), kind, group: at.at('group').string ?? standardGroup }]
  })
}

/** Whether no API has a kind in the group in which a route names it: the group has to be written. */
export function isOfNoGroup({ kind, group }: NamedSet): boolean {
  return group === (kind === 'XListenerSet' ? standardGroup : experimentalGroup)
}

/** The group of such a kind. */
export function groupOfSets(kind: string): string {
  return kind === 'XListenerSet' ? experimentalGroup : standardGroup
}

/** The set that a route names; undefined if the snapshot has none, or several copies. */
export function setOf(snapshot: Snapshot, { at, name, namespace, kind, group }: NamedSet): Manifest | undefined {
  const [set, ...copies] = snapshot.get({ group, kind, namespace, name: name.string ?? '' })
  if (!set || copies.length > 0 || !listenerSetKinds.includes(groupKindOf(set.ref))) return undefined
  return namespace !== '' || shareNamespace(at.manifest, set) ? set : undefined
}

/**
 * Whether a Gateway takes the sets of a namespace; undefined where labels decide. By default it takes none. Source:
 * Gateway API 1.5, apis/v1/gateway_types.go, AllowedListeners
 */
export function takesSet(gateway: Manifest, set: Manifest): boolean | undefined {
  const from = gateway.root.at('spec', 'allowedListeners', 'namespaces', 'from').string ?? 'None'
  if (from === 'All') return true
  if (from === 'None') return false
  return from === 'Same' && set.ref.namespace !== '' ? gateway.ref.namespace === set.ref.namespace : undefined
}

function parentAt(at: Cursor, owner: Manifest): Parent {
  return {
    at,
    name: at.at('name'),
    namespace: at.at('namespace').string ?? owner.ref.namespace,
    sectionName: at.at('sectionName'),
    port: at.at('port').value,
  }
}
