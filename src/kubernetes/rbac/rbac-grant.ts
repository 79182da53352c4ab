import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { inNamespace, uncovered } from './rbac'
import { type BoundSubject, permissionsOfRoleRef, permissionsOfSubject, roleRefOf } from './rbac-binding'
import { allowsEverything, everybodyIn, isAnonymous, isPublic, onlyReads } from './rbac-power'

/** Subjects that a binding gives more than anybody should get by one. */
export interface Grant {
  readonly subjects: readonly BoundSubject[]
  /** All permissions for someone, more than reading for everyone, or sensitive reading for everyone. */
  readonly as: 'administrator' | 'everybody' | 'exposed'
}

/**
 * Checks whether a binding grants too much to its new subjects, or to subjects whose role gains permissions.
 *
 * @param gaining those of its subjects
 */
export function wideGrant(
  binding: Manifest,
  gaining: readonly BoundSubject[],
  base: Snapshot,
  head: Snapshot,
): Grant | undefined {
  const roleRef = roleRefOf(binding)
  const permissions = roleRef && permissionsOfRoleRef(roleRef.ref, head)
  const everybody = gaining.filter(everybodyIn)
  if (binding.ref.kind !== 'ClusterRoleBinding') {
    // The permission matters here, not its namespace; kube-system contains the cluster's own Pods and Secrets.
    return binding.ref.namespace === 'kube-system' && !onlyReads(inNamespace(permissions ?? [], '*'))
      ? grant(everybody, 'everybody')
      : grant(gaining.filter(isAnonymous), 'exposed')
  }
  const gained = (subject: BoundSubject) => uncovered(permissionsOfSubject(subject, base), permissions ?? [])
  if (everybody.length === 0) {
    if (!permissions || !allowsEverything(permissions)) return undefined
    // Members of this group pass without any binding:
    // https://github.com/kubernetes/apiserver/blob/master/pkg/authentication/user/user.go
    const others = gaining.filter((subject) => subject.name !== 'system:masters' && gained(subject).length > 0)
    return grant(others, 'administrator')
  }
  const isOpen = everybody.some(isAnonymous)
  const more = everybody.flatMap(gained)
  if (permissions && isPublic(more, isOpen)) return undefined
  const isExposed = !permissions || (!isOpen && onlyReads(more))
  return grant(everybody, isExposed ? 'exposed' : 'everybody')
}

function grant(subjects: readonly BoundSubject[], as: Grant['as']): Grant | undefined {
  return subjects.length > 0 ? { subjects, as } : undefined
}
