import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { isPlaceholder } from './ingress'

const sliceKind: GroupKind = 'EndpointSlice.discovery.k8s.io'

/** The kinds that say where the requests to a Service without a selector go. */
export const endpointKinds: readonly GroupKind[] = [sliceKind, 'Endpoints']

/**
 * The place that names the Service of endpoints: a label, or their own name. Source:
 * https://kubernetes.io/docs/concepts/services-networking/service/#services-without-selectors
 */
export function serviceNameAt({ ref, root }: Manifest): Cursor {
  const metadata = root.at('metadata')
  return ref.kind === 'Endpoints' ? metadata.at('name') : metadata.at('labels', 'kubernetes.io/service-name')
}

/** The addresses that endpoints list, each with its ports where requests may go to it. */
export interface Addresses {
  readonly at: Cursor
  /** The names of the ports of the addresses that are ready; empty for a port without a name, undefined where none is ready. */
  readonly ports: readonly string[] | undefined
  /** Whether a tool fills in a part of it. */
  readonly isOpen: boolean
}

export function addressesOf({ ref, root }: Manifest): Addresses {
  const isOfService = ref.kind === 'Endpoints'
  const at = root.at(isOfService ? 'subsets' : 'endpoints')
  const ready = [...at.items()].filter((one) =>
    isOfService
      ? [...one.at('addresses').items()].length > 0
      : [...one.at('addresses').items()].length > 0 && one.at('conditions', 'ready').value !== false,
  )
  const lists = isOfService ? ready.map((one) => one.at('ports')) : [root.at('ports')]
  const names = lists.flatMap((list) => [...list.items()].map((port) => port.at('name').string ?? ''))
  const isOpen = isPlaceholder(JSON.stringify([at.value ?? null, root.at('ports').value ?? null]))
  return { at, ports: ready.length > 0 ? names : undefined, isOpen }
}

const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

/** The endpoints of a snapshot that are of a Service of some name. */
export function endpointsOf(service: string, snapshot: Snapshot): readonly Manifest[] {
  const found = known.get(snapshot) ?? indexed(snapshot)
  known.set(snapshot, found)
  return found.get(service) ?? []
}

function indexed(snapshot: Snapshot): ReadonlyMap<string, readonly Manifest[]> {
  const byService = new Map<string, Manifest[]>()
  for (const one of endpointKinds.flatMap((kind) => snapshot.ofKind(kind)))
    append(byService, serviceNameAt(one).string ?? '', one)
  return byService
}

export function areEndpoints({ ref }: Manifest): boolean {
  return endpointKinds.includes(groupKindOf(ref))
}
