import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { isPlaceholder } from './ingress'

const gatewayGroup = 'gateway.networking.k8s.io'

/** The kind that lets objects of other namespaces refer to objects of its own. */
export const referenceGrantKind: GroupKind = `ReferenceGrant.${gatewayGroup}`

/** An object of the core group that a Gateway or a route of another namespace refers to. */
export interface ReferenceTarget {
  readonly kind: 'Secret' | 'Service'
  readonly namespace: string
  readonly name: string
}

const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

/** The grants of a namespace. */
export function grantsIn(namespace: string, snapshot: Snapshot): readonly Manifest[] {
  const grants = known.get(snapshot) ?? byNamespace(snapshot)
  known.set(snapshot, grants)
  return grants.get(namespace) ?? []
}

function byNamespace(snapshot: Snapshot): Map<string, Manifest[]> {
  const grants = new Map<string, Manifest[]>()
  for (const grant of snapshot.ofKind(referenceGrantKind)) append(grants, grant.ref.namespace, grant)
  return grants
}

/**
 * Whether a grant lets an object of Gateway API refer to a target. What a tool fills in may fit. Source: Gateway API 1.6.1,
 * apis/v1/referencegrant_types.go
 */
export function grants(grant: Manifest, from: Manifest, to: ReferenceTarget): boolean {
  return misfitOf(grant, from, to) === undefined
}

/** The place in a grant that excludes a reference. */
export function misfitOf(grant: Manifest, from: Manifest, to: ReferenceTarget): Cursor | undefined {
  const { kind, namespace } = from.ref
  const spec = grant.root.at('spec')
  const target = { group: '', kind: to.kind, name: to.name }
  return misfitIn(spec.at('from'), { group: gatewayGroup, kind, namespace }) ?? misfitIn(spec.at('to'), target)
}

/** The place in a list of a grant where it has no entry with some fields. */
function misfitIn(list: Cursor, wanted: Readonly<Record<string, string>>): Cursor | undefined {
  const misfits = [...list.items()].map((entry) =>
    Object.entries(wanted).flatMap(([key, text]) => {
      const written = entry.at(key)
      // An entry of `to` without a name is for all names, and one without a group is for the core group.
      const isOpen = key === 'name' ? !written.string : text === '' && !written.exists
      return isOpen || written.string === text || isPlaceholder(written.string ?? '') ? [] : [written]
    }),
  )
  if (misfits.some((one) => one.length === 0)) return undefined
  const [only = [], ...others] = misfits
  return others.length === 0 ? (only[0] ?? list) : list
}
