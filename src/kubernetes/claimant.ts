import type { Change } from '../manifest/change'
import { groupKindOf, type Manifest, nameOf } from '../manifest/manifest'
import { Snapshot } from '../manifest/snapshot'
import { type Controller, controllersIn, controllersOf } from './controller'
import type { Claims } from './controller-claims'
import type { Watched } from './controller-scope'
import { classAnnotation, isDefaultClass } from './ingress-class'

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

const classKind = 'IngressClass.networking.k8s.io'

/** Who claims what in each cluster in which a change touches a controller or an IngressClass. */
export function changedClaims(
  changes: readonly Change[],
  base: ReadonlyMap<string, Snapshot>,
  head: ReadonlyMap<string, Snapshot>,
): ClaimsOfCluster[] {
  const clusters = changes.filter((change) => manifestsOf(change).some(decides)).map(({ cluster }) => cluster)
  return [...new Set(clusters)].sort().map((cluster) => {
    const [before = [], after = []] = [base, head].map((side) =>
      claimantsIn(side.get(cluster) ?? new Snapshot(cluster, [])),
    )
    return { cluster, before, after }
  })
}

function manifestsOf(change: Change): Manifest[] {
  return [...(change.kind === 'added' ? [] : [change.before]), ...(change.kind === 'removed' ? [] : [change.after])]
}

function decides(manifest: Manifest): boolean {
  return groupKindOf(manifest.ref) === classKind || controllersOf(manifest).length > 0
}

/** Copies of one object are told once. */
function claimantsIn(snapshot: Snapshot): Claimant[] {
  const ingresses = snapshot.ofKind('Ingress.networking.k8s.io')
  const controllers = controllersIn(snapshot).filter(({ facts }) => facts.takes === 'Ingresses')
  const named = controllers.flatMap(({ watched }) => (watched.scope === 'namespaces' ? watched.names : []))
  const claimants = controllers.map((controller): Claimant => {
    const { watched } = controller
    const taken = ingresses.filter((ingress) => takes(controller, ingress, snapshot))
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
      return ['namespaces that no file tells']
  }
}

/** Whether it is certain that a controller takes an Ingress: it watches its namespace, and claims it however its release decides. */
function takes({ watched, claims }: Controller, ingress: Manifest, snapshot: Snapshot): boolean {
  if (!watches(watched, ingress.ref.namespace)) return false
  return claims.length > 0 && claims.every((way) => claimsIngress(way, ingress, snapshot))
}

function watches(watched: Watched, namespace: string): boolean {
  if (watched.scope === 'all') return !watched.except.includes(namespace)
  return watched.scope === 'namespaces' && watched.names.includes(namespace)
}

function claimsIngress(way: Claims, ingress: Manifest, snapshot: Snapshot): boolean {
  const classes = snapshot.ofKind(classKind)
  const annotated = classAnnotation(ingress).string
  const named = ingress.root.at('spec', 'ingressClassName').string || undefined
  if (!named && annotated) return way.names.includes(annotated)
  // The API server gives the default class to those that name none.
  const name = named ?? classes.find(isDefaultClass)?.ref.name
  if (name === undefined) return way.unclassed
  if (way.by === 'name') return way.names.includes(name)
  const objects = classes.filter(({ ref }) => ref.name === name)
  // A class that is written nowhere comes with its controller, as a rule.
  if (objects.length === 0) return way.names.includes(name)
  const isOwn = objects.some(({ root }) => root.at('spec', 'controller').string === way.controller)
  if (way.by === 'both') return isOwn && way.names.includes(name)
  return isOwn || (way.by === 'either' && way.names.includes(name))
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)].sort()
}
