import Type from 'typebox'
import { isForeign, Protect, protectionOf } from '../../kubernetes/protection/protection'
import { defaultSubjects } from '../../kubernetes/rbac/bootstrap-rbac'
import { allows, bindingKinds, type Permissions, permissionsIn, roleKinds, uncovered } from '../../kubernetes/rbac/rbac'
import { type BoundSubject, roleRefOf, sameRole, subjectName, subjectsOf } from '../../kubernetes/rbac/rbac-binding'
import {
  boundAlready,
  gainedLeak,
  gainedPermissions,
  gainedSelectors,
  gainingSubjects,
} from '../../kubernetes/rbac/rbac-gain'
import { type Grant, wideGrant } from '../../kubernetes/rbac/rbac-grant'
import { allowsEverything, escalations, everybodyIn } from '../../kubernetes/rbac/rbac-power'
import { aggregateLabels } from '../../kubernetes/rbac/rbac-role'
import { firstFew, permissionKeys } from '../../kubernetes/rbac/rbac-words'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

type More = { role: string; more: string }
type Given = { binding: string; role: string; subjects: string }

const messages = {
  rule: ({ role, more }: More) =>
    `${role} is protected and comes to allow ${more} as well, to everyone who is bound to it, and no API server takes that back. Give it by a role and a binding of your own.`,
  grown: ({ role, more }: More) =>
    `${role} comes to allow ${more}; it has a name of the cluster's own, though no API server makes it. See that whoever is bound to it needs that.`,
  beyond: ({ role, more }: More) =>
    `${role} is written with more than any known release of Kubernetes gives it: ${more}. Give that by a role and a binding of your own.`,
  gathers: ({ role, more }: More) =>
    `${role} is protected and comes to gather every role that ${more} selects. Bind these roles by themselves instead.`,
  leak: ({ role, more, gatherer, label }: More & { gatherer: string; label: string }) =>
    `By its label ${label} the ClusterRole ${gatherer} comes to allow ${more}, to everyone who is bound to that anywhere: ${role} allows more than ${gatherer} is for. Take the label off, or label a role with what fits.`,
  subject: ({ binding, role, subjects }: Given) =>
    `${binding} is protected and comes to name ${subjects}, who gets all that ${role} allows, and no API server takes that back. Bind a role that fits by a binding of its own.`,
  everybody: ({ binding, role, subjects, who, where }: Given & { who: string; where: string }) =>
    `${binding} gives ${subjects}, that is ${who}, all that ${role} allows in ${where}. Name the accounts that need it.`,
  exposed: ({ binding, role, subjects, who }: Given & { who: string }) =>
    `${binding} gives ${subjects}, that is ${who}, what ${role} allows. Name the accounts that need it, or see that it tells nothing that others may not know.`,
  administrator: ({ binding, role, subjects }: Given) =>
    `${binding} makes ${subjects} an administrator of the whole cluster, as ${role} allows everything. Bind a role with what is needed, or see that this is wanted.`,
  escalation: ({ role, more }: More) =>
    `${role} comes to allow ${more}, by which whoever is bound to it may get more than was given. Leave that out, or limit it by resourceNames.`,
}
type Report = ReportFunction<typeof messages>

export default defineRule({
  id: 'protected-rbac/not-widened',
  summary: 'Nobody comes to more power over the cluster by a protected role or binding, or by one for everybody.',
  since: '1.1.0',
  scope: 'change',
  kinds: [...roleKinds, ...bindingKinds],
  params: Type.Object({
    protect: Protect,
    escalation: Type.Boolean({
      description:
        'Whether roles that come to allow `bind`, `escalate` or `impersonate` are reported; they are not when false.',
    }),
  }),
  messages,
  *partners(manifest, { protect }, isGone) {
    // A copy of it.
    if (protectionOf(manifest, protect)) yield manifest.ref.name
    const roleRef = roleRefOf(manifest)
    const isWide = manifest.ref.kind === 'ClusterRoleBinding' || subjectsOf(manifest).some(everybodyIn)
    if (roleRef && isWide) yield roleRef.ref.name
    // Existing subjects matter to a role that was there and stays.
    if (manifest.ref.kind === 'ClusterRole' && manifest.side === 'base' && !isGone) yield manifest.ref.name
  },
  check({ change, base, head, params: { protect, escalation }, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const before = change.kind === 'changed' ? change.before : undefined
    const isProtected = protectionOf(before ?? after, protect) !== undefined
    if (roleRefOf(after)) {
      // A roleRef cannot be changed: that is for role-ref-kept.
      if (before && !sameRole(before, after)) return
      const gaining = gainingSubjects(after, base)
      const defaults = defaultSubjects(after.ref)
      if (isProtected && (before ? !isForeign(before) : defaults)) {
        const others = gaining.filter((subject) => !defaults?.includes(subjectName(subject)))
        reportGiven(after, others, 'subject', report)
      } else {
        const wide = wideGrant(after, gaining, base, head)
        if (wide) reportGiven(after, wide.subjects, wide.as, report)
      }
      return
    }
    if (isProtected) {
      const message = !before ? 'beyond' : isForeign(before) ? 'grown' : 'rule'
      reportMore(after, gainedPermissions(before, after), message, report)
      for (const selector of gainedSelectors(before, after)) {
        const text = JSON.stringify(selector.value)
        const more = before ? text : `every role that ${text} selects`
        report(selector, before ? 'gathers' : 'beyond', { role: nameOf(after.ref), more }, { keys: [text] })
      }
    }
    const leak = gainedLeak(before, after)
    // The gains of a protected role are reported already.
    if (leak && !(isProtected && before && aggregateLabels(before).some(({ key }) => key === leak.label))) {
      const { gatherer, label, ends } = leak
      const keys = permissionKeys(leak.more)
      const args = { role: nameOf(after.ref), more: firstFew(keys), gatherer, label }
      report(ends, 'leak', args, { keys: [gatherer, ...keys] })
    }
    const [was, is] = [before, after].map((role) => (role ? permissionsIn(role.root.at('rules')) : [])) as [
      Permissions[],
      Permissions[],
    ]
    // For a default role they are reported already, with everyone who is bound to it.
    const mayReport = isProtected && before && !isForeign(before)
    if (before && !mayReport && after.ref.kind === 'ClusterRole' && !allows(was, is)) {
      const isComplete = allowsEverything(is) && !allowsEverything(was)
      for (const [binding, subjects] of boundAlready(after, base, head)) {
        const gaining = isComplete ? subjects : subjects.filter(everybodyIn)
        const wide = wideGrant(binding, gaining, base, head)
        if (wide) reportGiven(binding, wide.subjects, wide.as, report, after)
      }
    }
    if (escalation) reportMore(after, uncovered(escalations(was), escalations(is)), 'escalation', report)
  },
})

function reportMore(
  role: Manifest,
  more: readonly Permissions[],
  message: 'rule' | 'grown' | 'beyond' | 'escalation',
  report: Report,
): void {
  const [first] = more
  if (!first) return
  const keys = permissionKeys(more)
  report(first.at ?? role.root.at('rules'), message, { role: nameOf(role.ref), more: firstFew(keys) }, { keys })
}

/** @param role the role that changed, where it is not the binding that did */
function reportGiven(
  binding: Manifest,
  gaining: readonly BoundSubject[],
  message: 'subject' | Grant['as'],
  report: Report,
  role?: Manifest,
): void {
  const roleRef = roleRefOf(binding)
  const [first] = gaining
  if (!first || !roleRef) return
  const keys = gaining.map(subjectName)
  const who = everybodyIn(first) ?? ''
  const where = binding.ref.namespace || 'the whole cluster'
  const args = { binding: nameOf(binding.ref), role: nameOf(roleRef.ref), subjects: keys.join(' and '), who, where }
  report([first.at, role ? role.root.at('rules') : roleRef.at], message, args, { keys })
}
