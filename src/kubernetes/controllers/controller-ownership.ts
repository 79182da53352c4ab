import { Snapshot } from '../../cluster/snapshot'
import { type Change, sidesOf } from '../../manifest/change'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { controllersIn, controllersOf } from './controller'
import { takesIngress, watches } from './controller-ingresses'
import type { Watched } from './controller-scope'
import { isInstalledBy } from './same-controller'

/** A controller, and the Ingresses and namespaces it takes, as far as they were read. */
export interface ControllerOwnership {
  readonly name: string
  /** The product's name, shown with the workload's. */
  readonly product: string
  /** The classes it is asked for by name. */
  readonly classes: readonly string[]
  /** The namespaces it watches, in words. */
  readonly namespaces: readonly string[]
  /** The namespaces among them that another controller is limited to. */
  readonly shared: readonly string[]
  /** By name. */
  readonly ingresses: readonly string[]
}

/** The ownership in a cluster, before and after a change. */
export interface ClusterOwnership {
  readonly cluster: string
  readonly before: readonly ControllerOwnership[]
  readonly after: readonly ControllerOwnership[]
}

interface OwnershipInput {
  readonly changes: readonly Change[]
  readonly base: ReadonlyMap<string, Snapshot>
  readonly head: ReadonlyMap<string, Snapshot>
  /** Ingresses that are equal on both sides, and in no snapshot unless a rule asked for them. */
  readonly unchangedIngresses: () => readonly Manifest[]
}

const classKind = 'IngressClass.networking.k8s.io'

/** The ownership in each cluster in which a change touches a controller or an IngressClass. */
export function changedOwnership({ changes, base, head, unchangedIngresses }: OwnershipInput): ClusterOwnership[] {
  const touched = changes.filter((change) => {
    const { before, after } = sidesOf(change)
    return decides(before, base.get(change.cluster)) || decides(after, head.get(change.cluster))
  })
  const clusters = touched.map(({ cluster }) => cluster)
  if (clusters.length === 0) return []
  const others = unchangedIngresses()
  return [...new Set(clusters)].sort().map((cluster) => {
    const its = others.filter((manifest) => manifest.clusters.includes(cluster))
    const [before = [], after = []] = [base, head].map((side) =>
      ownershipIn(side.get(cluster) ?? new Snapshot(cluster, []), its),
    )
    return { cluster, before, after }
  })
}

function decides(manifest: Manifest | undefined, snapshot: Snapshot | undefined): boolean {
  if (!manifest) return false
  return groupKindOf(manifest.ref) === classKind || controllersOf(manifest, snapshot).length > 0
}

/** Copies of one object appear once. */
function ownershipIn(snapshot: Snapshot, unchangedIngresses: readonly Manifest[]): ControllerOwnership[] {
  const ingresses = [...snapshot.ofKind('Ingress.networking.k8s.io'), ...unchangedIngresses]
  const all = controllersIn(snapshot).filter(({ facts }) => facts.takes === 'Ingresses')
  // A release and its rendered workload are one controller.
  const controllers = all.filter((one) => !one.installed || !all.some((other) => isInstalledBy(one, other)))
  const named = controllers.flatMap(({ watched }) => (watched.scope === 'namespaces' ? watched.names : []))
  const ownerships = controllers.map((controller): ControllerOwnership => {
    const { watched } = controller
    const taken = ingresses.filter((ingress) => takesIngress(controller, ingress, snapshot))
    return {
      name: nameOf(controller.manifest.ref),
      product: controller.facts.title,
      classes: unique(controller.claims.flatMap(({ names }) => names)),
      namespaces: namespacesOf(watched),
      shared:
        watched.scope === 'all'
          ? namespacesOf({ ...watched, scope: 'namespaces', names: named.filter((name) => watches(watched, name)) })
          : [],
      ingresses: unique(taken.map(({ ref }) => nameOf(ref))),
    }
  })
  return [...new Map(ownerships.map((one) => [JSON.stringify(one), one])).values()]
}

function namespacesOf(watched: Watched): string[] {
  switch (watched.scope) {
    case 'all':
      return [watched.except.length > 0 ? `every namespace but ${watched.except.join(', ')}` : 'every namespace']
    case 'namespaces':
      return unique(watched.names).map((name) => `namespace ${name}`)
    case 'selector':
      return [`namespaces labelled ${watched.selector}`]
    case 'unknown':
      return ['unknown namespaces']
  }
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)].sort()
}
