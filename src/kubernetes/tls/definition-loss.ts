import type { Snapshot } from '../../cluster/snapshot'
import { type Change, sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { deletesWhatIsLeft } from '../charts/release-pruning'
import { staysInCluster } from '../controllers/controller-loss'
import { definitionKind } from '../object/custom-resource'
import { areLikelyOfOneCluster } from '../object/one-cluster'
import { certManagerGroups } from './cert-manager'
import { releasesOfCertManager } from './cert-manager-controller'
import { requestersIn } from './cert-manager-loss'

/** The CRDs of cert-manager that a release no longer has, so that all their objects go. */
export interface DefinitionLoss {
  readonly was: Manifest
  readonly at: Cursor
  /** The objects that need them, by name. */
  readonly users: readonly Manifest[]
}

const issuerKinds = certManagerGroups.flatMap((group): GroupKind[] => [`ClusterIssuer.${group}`, `Issuer.${group}`])

/**
 * The loss by one change of a release whose chart is elsewhere: Helm deletes what a release no longer has, except with
 * `helm.sh/resource-policy: keep`. Sources: https://github.com/helm/helm/blob/v4.2.4/pkg/kube/client.go and
 * pkg/action/resource_policy.go
 */
export function definitionLossOf(change: Change, base: Snapshot, head: Snapshot): DefinitionLoss | undefined {
  if (change.kind === 'added') return undefined
  const { before } = change
  const { after } = sidesOf(change)
  if (!after && (staysInCluster(before) || head.get(before.ref).length > 0)) return undefined
  if (!deletesWhatIsLeft(after ?? before) || isPatched(before) || isPatched(after)) return undefined
  const [was] = releasesOfCertManager(before, base)
  const cases = was?.facts.definitions
  if (!was || !cases || !was.settings.isCase(cases.made) || !was.settings.isNoCase(cases.kept)) return undefined
  const [is] = after ? releasesOfCertManager(after, head) : []
  if (after && !is?.settings.isNoCase(cases.made)) return undefined
  // Another object has them from now on.
  if (head.ofKind(definitionKind).some(({ ref }) => ref.name === 'certificates.cert-manager.io')) return undefined
  const found = [...requestersIn(head), ...issuerKinds.flatMap((kind) => head.ofKind(kind))]
  const users = found.filter((one) => areLikelyOfOneCluster(before, one, head))
  const at = is ? is.settings.placeOfCase(cases.made) : before.root
  return users.length > 0 ? { was: before, at, users } : undefined
}

/** Whether a release may give its CRDs that mark by itself. */
function isPatched(release: Manifest | undefined): boolean {
  return release?.root.at('spec', 'postRenderers').exists ?? false
}
