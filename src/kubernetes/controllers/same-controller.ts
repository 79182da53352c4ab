import type { Snapshot } from '../../cluster/snapshot'
import { gitOpsKind } from '../../gitops/kinds'
import { groupKindOf, identityOf, type Manifest } from '../../manifest/manifest'
import { shareNamespace } from '../object/namespace'
import { type Controller, controllersIn, controllersOf } from './controller'
import { isOnItsNodes } from './controller-service'
import { sharedLock } from './leader-lock'

/** Whether one of two is the workload of the release that is the other one. */
export function isInstalledBy(a: Controller, b: Controller): boolean {
  const [release, workload] = a.installed ? [a.installed.release, b] : [b.installed?.release, a]
  if (!release || workload.installed || a.facts !== b.facts) return false
  const { root, origin, ref } = workload.manifest
  const source = origin.kind === 'rendered' && origin.source.kind === 'helm' ? origin.source.release : undefined
  const named = source ?? root.at('metadata', 'labels', 'app.kubernetes.io/instance').string
  return named === release.name && ['', release.namespace].includes(ref.namespace)
}

/**
 * Whether two controllers run in one cluster: a release may be deployed to another cluster than the object that
 * declares it.
 */
export function shareCluster(a: Controller, b: Controller): boolean {
  return (a.installed?.release.cluster ?? '') === (b.installed?.release.cluster ?? '')
}

/**
 * Whether two workloads run one controller: they watch and write the same, and only one of them writes addresses, or
 * all write the same one. The chart of ingress-nginx creates such a pair with `controller.kind: Both`.
 */
export function areOneController(a: Controller, b: Controller): boolean {
  const agree = sharedLock(a.locks, b.locks) !== undefined || a.facts.election.length === 0
  const together = a.namespace === b.namespace && shareNamespace(a.manifest, b.manifest)
  return a.facts === b.facts && together && agree && described(a) === described(b)
}

function described({ watched, claims, status }: Controller): string {
  const { at: _, ...scope } = watched
  return JSON.stringify([
    scope,
    claims.map(({ names, controller }) => [names, controller]),
    status.writes === 'source' ? [status.flag, status.value] : status.writes,
  ])
}

/** The controllers of a snapshot that are read from an object: it runs them, or holds a part of their settings. */
export function controllersReadFrom(object: Manifest, snapshot: Snapshot): Controller[] {
  if (isBundled(object)) return bundledIn(object, snapshot)
  const isPart = ({ manifest }: { readonly manifest: Manifest }) => isOneObject(manifest, object)
  return controllersIn(snapshot).filter((one) => [one, ...one.parts].some(isPart))
}

/** A controller of one side of a change as the other side has it: the same product in the same object. */
export function counterpartOf({ facts, manifest }: Controller, snapshot: Snapshot): Controller | undefined {
  const among = isBundled(manifest) ? bundledIn(manifest, snapshot) : controllersIn(snapshot)
  const copies = among.filter((one) => one.facts === facts && isOneObject(one.manifest, manifest))
  // Manifests for several clouds may have one each: each of them stays in its file.
  return copies.find((one) => one.manifest.origin.path === manifest.origin.path) ?? copies[0]
}

/** The controllers that run in workloads on both sides, with their state at the base and at the head. */
export function controllersOnBoth(base: Snapshot, head: Snapshot): [Controller, Controller][] {
  return controllersIn(base).flatMap((was): [Controller, Controller][] => {
    const is = was.installed ? undefined : counterpartOf(was, head)
    return is && !isOnItsNodes(is.manifest) ? [[was, is]] : []
  })
}

/**
 * Whether an object has a user's values for a controller that the cluster's distribution brings. It is no evidence of that controller, as
 * a cluster may be installed without it: only what becomes of it by a change of these values is known.
 */
export function isBundled({ ref }: Manifest): boolean {
  return groupKindOf(ref) === gitOpsKind.k3sChartConfig
}

function bundledIn({ ref }: Manifest, snapshot: Snapshot): Controller[] {
  return snapshot.get(ref).flatMap((one) => controllersOf(one, snapshot))
}

function isOneObject(a: Manifest, b: Manifest): boolean {
  return identityOf(a.ref) === identityOf(b.ref)
}
