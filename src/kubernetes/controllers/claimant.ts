import { Snapshot } from '../../cluster/snapshot'
import { type Change, sidesOf } from '../../manifest/change'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { controllersIn, controllersOf } from './controller'
import { takesIngress, watches } from './controller-ingresses'
import type { Watched } from './controller-scope'
import { isInstalledBy } from './same-controller'

/** A controller, and what it claims of what was read. */
export interface Claimant {
  readonly name: string
  /** What it is called beside the workload's name. */
  readonly product: string
  /** The classes it is asked for by name. */
  readonly classes: readonly string[]
  /** What it watches, in words. */
  readonly namespaces: readonly string[]
  /** The namespaces among them that another controller is limited to. */
  readonly shared: readonly string[]
  /** By name. */
  readonly ingresses: readonly string[]
}

/** Who claims what in a cluster, before and after a change. */
export interface ClaimsOfCluster {
  readonly cluster: string
  readonly before: readonly Claimant[]
  readonly after: readonly Claimant[]
}

interface Sides {
  readonly changes: readonly Change[]
  readonly base: ReadonlyMap<string, Snapshot>
  readonly head: ReadonlyMap<string, Snapshot>
  /** Ingresses that stand on both sides alike, and in no snapshot unless a rule asked for them. */
  readonly bystanders: () => readonly Manifest[]
}

const classKind = 'IngressClass.networking.k8s.io'

/** Who claims what in each cluster in which a change touches a controller or an IngressClass. */
export function changedClaims({ changes, base, head, bystanders }: Sides): ClaimsOfCluster[] {
  const touched = changes.filter((change) => {
    const { before, after } = sidesOf(change)
    return decides(before, base.get(change.cluster)) || decides(after, head.get(change.cluster))
  })
  const clusters = touched.map(({ cluster }) => cluster)
  if (clusters.length === 0) return []
  const others = bystanders()
  return [...new Set(clusters)].sort().map((cluster) => {
    const its = others.filter((manifest) => manifest.clusters.includes(cluster))
    const [before = [], after = []] = [base, head].map((side) =>
      claimantsIn(side.get(cluster) ?? new Snapshot(cluster, []), its),
    )
    return { cluster, before, after }
  })
}

function decides(manifest: Manifest | undefined, snapshot: Snapshot | undefined): boolean {
  if (!manifest) return false
  return groupKindOf(manifest.ref) === classKind || controllersOf(manifest, snapshot).length > 0
}

/** Copies of one object are told once. */
function claimantsIn(snapshot: Snapshot, bystanders: readonly Manifest[]): Claimant[] {
  const ingresses = [...snapshot.ofKind('Ingress.networking.k8s.io'), ...bystanders]
  const all = controllersIn(snapshot).filter(({ facts }) => facts.takes === 'Ingresses')
  // A release whose workload is there too is one controller with it.
  const controllers = all.filter((one) => !one.installed || !all.some((other) => isInstalledBy(one, other)))
  const named = controllers.flatMap(({ watched }) => (watched.scope === 'namespaces' ? watched.names : []))
  const claimants = controllers.map((controller): Claimant => {
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
  return [...new Map(claimants.map((one) => [JSON.stringify(one), one])).values()]
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
