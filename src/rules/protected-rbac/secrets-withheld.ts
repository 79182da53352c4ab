import { bindingKinds, permissionsIn, roleKinds, uncovered } from '../../kubernetes/rbac/rbac'
import {
  permissionsOfSubject,
  roleRefOf,
  type Subject,
  subjectName,
  subjectsOf,
} from '../../kubernetes/rbac/rbac-binding'
import { allowsEverything, readingSecrets } from '../../kubernetes/rbac/rbac-power'
import { firstFew, permissionKeys } from '../../kubernetes/rbac/rbac-words'
import { isOtherVersion } from '../../kubernetes/versions/installed-version'
import { identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const [clusterRole] = roleKinds
const [clusterRoleBinding] = bindingKinds

export default defineRule({
  id: 'protected-rbac/secrets-withheld',
  summary:
    'A new version of what is installed reads no Secrets of the whole cluster that the version before could not read.',
  since: '1.3.0',
  scope: 'change',
  kinds: [clusterRole],
  reads: [clusterRoleBinding],
  messages: {
    gained: ({ role, subject, more }: { role: string; subject: string; more: string }) =>
      `With the new version ${role} lets ${subject} also ${more} in every namespace, which no line of this change shows. Look up in the release notes why it needs that, or keep the version.`,
  },
  *partners(manifest) {
    if (readingSecrets(permissionsIn(manifest.root.at('rules'))).length > 0) yield manifest.ref.name
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed' || change.after.ref.kind !== 'ClusterRole') return
    const { after } = change
    const has = permissionsIn(after.root.at('rules'))
    const reading = readingSecrets(has)
    // A message of its own reports that.
    if (reading.length === 0 || allowsEverything(has)) return
    const bindings = head.ofKind(clusterRoleBinding).filter((binding) => {
      const roleRef = roleRefOf(binding)
      return roleRef && identityOf(roleRef.ref) === identityOf(after.ref)
    })
    for (const subject of bindings.flatMap(subjectsOf)) {
      const older = change.kind === 'changed' ? [change.before] : base.ofKind(clusterRoleBinding).filter(names(subject))
      if (!older.some((one) => isOtherVersion(one, after))) continue
      const more = uncovered(permissionsOfSubject(subject, base), reading)
      const [first] = more
      if (!first) continue
      const keys = permissionKeys(more)
      const args = { role: nameOf(after.ref), subject: subjectName(subject), more: firstFew(keys) }
      report([first.at ?? after.root.at('rules'), subject.at], 'gained', args, { keys: [args.subject, ...keys] })
    }
  },
})

/** Whether a binding names a subject. */
function names(subject: Subject): (binding: Manifest) => boolean {
  return (binding) => subjectsOf(binding).some(({ kind, name }) => kind === subject.kind && name === subject.name)
}
