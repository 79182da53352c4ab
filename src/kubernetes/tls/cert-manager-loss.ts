import { isStopped } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { gitOpsKind } from '../../gitops/kinds'
import { type Change, sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentions } from '../../manifest/mentions'
import { releaseKinds } from '../charts/chart-release'
import { comingReleases, isInstalled, isSuspended } from '../charts/coming-release'
import { staysInCluster } from '../controllers/controller-loss'
import { areLikelyOfOneCluster } from '../object/one-cluster'
import { certManagerGroups, issuerOf, shimAnnotation } from './cert-manager'
import {
  type CertManager,
  certManagersIn,
  certManagersOf,
  neglectOf,
  releasesOfCertManager,
  requesterKinds,
} from './cert-manager-controller'
import { namedSecrets } from './tls-user'

/** A controller of cert-manager that no longer serves objects which stay, and that no other one here serves. */
export interface CertManagerLoss {
  readonly was: CertManager
  /** The loss: it is removed, runs no Pods, looks in one namespace, or lacks one of its parts. */
  readonly how: 'removed' | 'stopped' | 'namespace' | 'controllers'
  readonly at: Cursor
  /** The namespace in which it looks, or the part. */
  readonly part: string
  /** By name. */
  readonly users: readonly Manifest[]
}

/** The losses by one change of a workload or a release. */
export function certManagerLosses(change: Change, base: Snapshot, head: Snapshot): CertManagerLoss[] {
  if (change.kind === 'added') return []
  const { before } = change
  if (change.kind === 'removed' && (staysInCluster(before) || head.get(before.ref).length > 0)) return []
  if (isSuspended(sidesOf(change).after ?? before)) return []
  const serving = certManagersIn(head).filter(({ manifest }) => isInstalled(manifest, base))
  return certManagersOf(before, base).flatMap((was): CertManagerLoss[] => {
    const users = requestersIn(head).filter(
      (user) =>
        areLikelyOfOneCluster(was.manifest, user, head) &&
        neglectOf(was, user, base) === undefined &&
        serving.every((one) => neglectOf(one, user, head) !== undefined),
    )
    const [first] = users
    if (!first) return []
    if (change.kind === 'removed') return [{ was, how: 'removed', at: before.root, part: '', users }]
    const [is] = certManagersOf(change.after, head)
    if (is) {
      const neglect = neglectOf(is, first, head)
      return neglect ? [{ was, how: neglect.by, at: neglect.at.at, part: neglect.part, users }] : []
    }
    const [release] = releasesOfCertManager(change.after, head)
    if (release) return [{ was, how: 'stopped', at: release.settings.placeOfCase(release.facts.idle), part: '', users }]
    // Another image may be a copy, and another chart may install one.
    if (!isStopped(change.after) || releaseKinds.includes(groupKindOf(change.after.ref))) return []
    return [{ was, how: 'stopped', at: change.after.root.at('spec', 'replicas'), part: '', users }]
  })
}

/** An object that a change adds and that may install cert-manager, although its objects are not seen. */
export function replacementIn(base: Snapshot, head: Snapshot): Manifest | undefined {
  const isMeant = (one: Manifest) => mentions(one.object.content, 'cert-manager')
  const coming = comingReleases(base, head).find(({ manifest, isNew }) => isNew && isMeant(manifest))
  if (coming) return coming.manifest
  return installerKinds
    .flatMap((kind) => head.ofKind(kind))
    .find((one) => base.get(one.ref).length === 0 && isMeant(one))
}

/** Kinds that install something from elsewhere, beside releases. */
export const installerKinds: readonly GroupKind[] = [
  gitOpsKind.fluxKustomization,
  'Subscription.operators.coreos.com',
  'CertManager.operator.openshift.io',
]

const known = new WeakMap<Snapshot, readonly Manifest[]>()

/** The objects that request certificates of cert-manager, by name; of several copies of one, the first. */
export function requestersIn(snapshot: Snapshot): readonly Manifest[] {
  const before = known.get(snapshot)
  if (before) return before
  const found = requesterKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((one) => snapshot.get(one.ref)[0] === one && isRequester(one))
    .sort((a, b) => (nameOf(a.ref) < nameOf(b.ref) ? -1 : 1))
  known.set(snapshot, found)
  return found
}

function isRequester(manifest: Manifest): boolean {
  const { kind, group } = manifest.ref
  if (kind === 'Certificate') return certManagerGroups.includes(group) && issuerOf(manifest) !== undefined
  return shimAnnotation(manifest) !== undefined && namedSecrets(manifest).length > 0
}
