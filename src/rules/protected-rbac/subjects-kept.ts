import * as Type from 'typebox'
import { protectedObjectFacts } from '../../kubernetes/protection/protected-objects'
import { isForeign, Protect, protectionOf } from '../../kubernetes/protection/protection'
import { defaultSubjects } from '../../kubernetes/rbac/bootstrap-rbac'
import { allows, bindingKinds, rbacGroup } from '../../kubernetes/rbac/rbac'
import {
  includes,
  permissionsOfBinding,
  permissionsOfSubject,
  roleRefOf,
  type Subject,
  subjectName,
  subjectsOf,
} from '../../kubernetes/rbac/rbac-binding'
import { flowText } from '../../kubernetes/rbac/rbac-words'
import { nameOf } from '../../manifest/manifest'
import { withItems } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Loss = { binding: string; subjects: string; role: string }

export default defineRule({
  id: 'protected-rbac/subjects-kept',
  summary: 'A protected binding keeps its subjects, and has all that Kubernetes gives it.',
  since: '1.1.0',
  scope: 'change',
  kinds: bindingKinds,
  params: Type.Object({ protect: Protect }),
  messages: {
    lost: ({ binding, subjects, role, harm }: Loss & { harm: string }) =>
      `This change removes ${subjects} from ${binding}, which takes away the permissions of ${role}${harm}. Add what was removed back under subjects.`,
    // People and the accounts of charts change often: the cluster itself does not depend on them.
    person: ({ binding, subjects, role }: Loss) =>
      `This change removes ${subjects} from ${binding}, which is protected and gives the permissions of ${role}. Add what was removed back, or check that these permissions are no longer needed.`,
    lacking: ({ binding, subjects, role }: Loss) =>
      `${binding} lacks ${subjects}; every API server gives ${role} to these subjects with this binding. Add what is missing under subjects.`,
  },
  *partners(manifest, { protect }) {
    const roleRef = roleRefOf(manifest)
    if (!protectionOf(manifest, protect)) return
    // A copy of it.
    yield manifest.ref.name
    if (roleRef) yield roleRef.ref.name
  },
  check({ change, base, head, params: { protect }, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const before = change.kind === 'changed' ? change.before : undefined
    const defaults = defaultSubjects(after.ref)
    // The Node authorizer replaced the binding of system:node, so it intentionally has no subjects.
    // https://kubernetes.io/docs/reference/access-authn-authz/node/
    if (!protectionOf(before ?? after, protect) || defaults?.length === 0) return
    const named = subjectsOf(after)
    const isLeft = (subject: Subject) => named.some((other) => includes(other, subject))
    const args = { binding: nameOf(after.ref), role: roleOf(before ?? after) }
    const at = after.root.at('subjects')
    if (!before) {
      const written = named.map(subjectName)
      const lacking = (defaults ?? []).filter((subject) => !written.includes(subject))
      // Applying a manifest leaves unwritten fields as they are.
      const fix = withItems(at, lacking.map(subjectText))
      if (lacking.length > 0 && at.exists)
        report(at, 'lacking', { ...args, subjects: lacking.join(' and ') }, { keys: lacking, fix })
      return
    }
    const given = permissionsOfBinding(before, base)
    const lost = subjectsOf(before).filter(
      (subject) => !isLeft(subject) && !(given.length > 0 && allows(permissionsOfSubject(subject, head), given)),
    )
    const isPerson = (subject: Subject) =>
      isForeign(before) ||
      (defaults !== undefined && !defaults.includes(subjectName(subject)) && !subject.name.startsWith('system:'))
    const harm = protectedObjectFacts(after.ref)?.harm
    for (const [message, subjects] of [
      ['lost', lost.filter((subject) => !isPerson(subject))],
      ['person', lost.filter(isPerson)],
    ] as const) {
      if (subjects.length === 0) continue
      const keys = subjects.map(subjectName)
      const all = { ...args, subjects: keys.join(' and '), harm: harm ? `: ${harm}` : '' }
      const fix = withItems(
        at,
        subjects.map((subject) => flowText(subject.at.value as Record<string, string>)),
      )
      report([at, ...subjects.map((subject) => subject.at)], message, all, { keys, ...(fix && { fix }) })
    }
  },
})

/** `Group system:masters` as an item of `subjects`. */
function subjectText(subject: string): string {
  const [kind = '', name = ''] = subject.split(' ')
  const [namespace = '', account] = name.split('/')
  return account === undefined
    ? flowText({ kind, name, apiGroup: rbacGroup })
    : flowText({ kind, name: account, namespace })
}

function roleOf(binding: Parameters<typeof roleRefOf>[0]): string {
  const roleRef = roleRefOf(binding)
  return roleRef ? nameOf(roleRef.ref) : 'its role'
}
