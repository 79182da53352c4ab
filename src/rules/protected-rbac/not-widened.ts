import * as Type from 'typebox'
import { factKinds, factMarks } from '../../cluster/cluster-facts'
import type { Snapshot } from '../../cluster/snapshot'
import { isForeign, Protect, protectionOf } from '../../kubernetes/protection/protection'
import { isDefaultRole, possibleSubjects } from '../../kubernetes/rbac/bootstrap-rbac'
import {
  allows,
  bindingKinds,
  inNamespace,
  type Permissions,
  permissionsIn,
  roleKinds,
  uncovered,
} from '../../kubernetes/rbac/rbac'
import {
  type BoundSubject,
  permissionsOfRoleRef,
  permissionsOfSubject,
  roleRefOf,
  sameRole,
  subjectName,
  subjectsOf,
} from '../../kubernetes/rbac/rbac-binding'
import {
  boundAlready,
  gainedLeak,
  gainedPermissions,
  gainedSelectors,
  gainingSubjects,
} from '../../kubernetes/rbac/rbac-gain'
import { type Grant, wideGrant } from '../../kubernetes/rbac/rbac-grant'
import {
  allowsEverything,
  detoursIn,
  escalations,
  everybodyIn,
  isDefaultAccount,
  podsOf,
} from '../../kubernetes/rbac/rbac-power'
import { aggregateLabels } from '../../kubernetes/rbac/rbac-role'
import { firstFew, permissionKeys } from '../../kubernetes/rbac/rbac-words'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

type More = { role: string; more: string }
type Given = { binding: string; role: string; subjects: string }

const messages = {
  rule: ({ role, more }: More) =>
    `${role} is protected, and this change also allows ${more} to everyone bound to it; the API server will not revert that. Grant it with a separate role and binding.`,
  grown: ({ role, more }: More) =>
    `This change lets ${role} also allow ${more}; its name is reserved for the cluster, although no API server creates it. Check that everyone bound to it needs that.`,
  beyond: ({ role, more }: More) =>
    `${role} allows more here than in any known release of Kubernetes: ${more}. Grant that with a separate role and binding.`,
  gathers: ({ role, more }: More) =>
    `${role} is protected, and this change adds the permissions of every role that ${more} selects to it. Bind these roles separately instead.`,
  leak: ({ role, more, gatherer, label }: More & { gatherer: string; label: string }) =>
    `The label ${label} of ${role} adds ${more} to the ClusterRole ${gatherer}, for everyone bound to it; ${gatherer} is not meant to allow that. Remove the label, or put it on a role with fewer permissions.`,
  subject: ({ binding, role, subjects }: Given) =>
    `${binding} is protected, and this change uses it to give ${subjects} all permissions of ${role}; the API server will not revert that. Bind a suitable role with a separate binding.`,
  everybody: ({ binding, role, subjects, who, where }: Given & { who: string; where: string }) =>
    `${binding} gives ${subjects}, which means ${who}, all permissions of ${role} in ${where}. Name only the accounts that need them.`,
  exposed: ({ binding, role, subjects, who }: Given & { who: string }) =>
    `${binding} gives ${subjects}, which means ${who}, the permissions of ${role}. Name only the accounts that need them, or check that these permissions show nothing confidential.`,
  administrator: ({ binding, role, subjects }: Given) =>
    `${binding} makes ${subjects} an administrator of the whole cluster, because ${role} allows everything. Bind a role with only the needed permissions, or confirm that this is intended.`,
  administratorOpen: ({ binding, role, subjects, who, where }: Given & { who: string; where: string }) =>
    `${binding} lets ${subjects} do everything in ${where}, because ${role} allows everything; ${who}. Bind a role with only the needed permissions, and to an account that only the Pods that need it name in \`serviceAccountName\`.`,
  detour: ({ binding, role, subjects, more }: Given & { more: string }) =>
    `${binding} gives ${subjects} ${more} by ${role}; with that, they can make themselves administrators of the whole cluster. Bind a role without it, or confirm that this is intended.`,
  detourOpen: ({ binding, role, subjects, more }: Given & { more: string }) =>
    `${binding} gives ${subjects}, which Pods use that name no account of their own, ${more} by ${role}; with that, each of them can become an administrator of the whole cluster. Bind the role to an account that only the Pods that need it use.`,
  escalation: ({ role, more }: More) =>
    `This change lets ${role} allow ${more}; with that, everyone bound to it can get further permissions. Remove it, or limit it with resourceNames.`,
}
type ReportMessage = ReportFunction<typeof messages>

export default defineRule({
  id: 'protected-rbac/not-widened',
  summary: 'No change grants more power over the cluster through a protected role or binding, or to everyone.',
  since: '1.1.0',
  scope: 'change',
  kinds: [...roleKinds, ...bindingKinds],
  reads: factKinds,
  direct: true,
  params: Type.Object({
    protect: Protect,
    escalation: Type.Boolean({
      description: 'Whether to report roles that newly allow `bind`, `escalate` or `impersonate`.',
    }),
  }),
  messages,
  later: { detour: '1.3.0', detourOpen: '1.3.0', administratorOpen: '1.4.0' },
  *partners(manifest, { protect }, isGone) {
    // A copy of it.
    if (protectionOf(manifest, protect)) yield manifest.ref.name
    if (isDefaultRole(manifest.ref)) yield* factMarks
    const roleRef = roleRefOf(manifest)
    const isWide =
      manifest.ref.kind === 'ClusterRoleBinding' ||
      manifest.ref.namespace === 'kube-system' ||
      subjectsOf(manifest).some(everybodyIn)
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
      const defaults = possibleSubjects(after.ref)
      if (isProtected && (before ? !isForeign(before) : defaults)) {
        const others = gaining.filter((subject) => !defaults?.includes(subjectName(subject)))
        reportGiven(after, others, 'subject', report)
      } else {
        const wide = wideGrant(after, gaining, base, head)
        if (wide) reportWide(after, wide, report)
        else reportDetour(after, gaining, base, head, report)
      }
      return
    }
    if (isProtected) {
      const message = !before ? 'beyond' : isForeign(before) ? 'grown' : 'rule'
      const versions = [base, head].flatMap(({ facts }) => facts.kubernetes?.value ?? [])
      reportMore(after, gainedPermissions(before, after, versions), message, report)
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
    // For a default role they are reported already, with everyone bound to it.
    const mayReport = isProtected && before && !isForeign(before)
    if (before && !mayReport && after.ref.kind === 'ClusterRole' && !allows(was, is)) {
      const isComplete = allowsEverything(is) && !allowsEverything(was)
      for (const [binding, subjects] of boundAlready(after, base, head)) {
        const gaining = isComplete ? subjects : subjects.filter(everybodyIn)
        const wide = wideGrant(binding, gaining, base, head)
        if (wide) reportWide(binding, wide, report, after)
      }
    }
    if (escalation) reportMore(after, uncovered(escalations(was), escalations(is)), 'escalation', report)
  },
})

/** Reports subjects that gain permissions which lead to all others: those of Pods in general apart from others. */
function reportDetour(
  binding: Manifest,
  gaining: readonly BoundSubject[],
  base: Snapshot,
  head: Snapshot,
  report: ReportMessage,
): void {
  const roleRef = roleRefOf(binding)
  const permissions = roleRef && permissionsOfRoleRef(roleRef.ref, head)
  if (!roleRef || !permissions) return
  const isWhole = binding.ref.kind === 'ClusterRoleBinding'
  const namespace = isWhole ? '*' : binding.ref.namespace
  const found = isWhole || namespace === 'kube-system' ? detoursIn(inNamespace(permissions, '*'), isWhole) : []
  const given = inNamespace(found, namespace)
  const fresh = gaining.filter((subject) => uncovered(permissionsOfSubject(subject, base), given).length > 0)
  // A subject that gets everything is an administrator, with or without a detour.
  if (allowsEverything(permissions)) {
    if (!isWhole && fresh.some(isDefaultAccount)) reportGiven(binding, fresh, 'administratorOpen', report)
    return
  }
  for (const message of ['detour', 'detourOpen'] as const) {
    const its = fresh.filter((subject) => isDefaultAccount(subject) === (message === 'detourOpen'))
    const [first] = its
    if (!first) continue
    const keys = its.map(subjectName)
    const args = {
      binding: nameOf(binding.ref),
      role: nameOf(roleRef.ref),
      subjects: keys.join(' and '),
      more: firstFew(permissionKeys(found)),
    }
    report([first.at, roleRef.at], message, args, { keys })
  }
}

function reportMore(
  role: Manifest,
  more: readonly Permissions[],
  message: 'rule' | 'grown' | 'beyond' | 'escalation',
  report: ReportMessage,
): void {
  const [first] = more
  if (!first) return
  const keys = permissionKeys(more)
  report(first.at ?? role.root.at('rules'), message, { role: nameOf(role.ref), more: firstFew(keys) }, { keys })
}

/** @param role the role that changed, where it is not the binding that did */
function reportWide(binding: Manifest, { subjects, as }: Grant, report: ReportMessage, role?: Manifest): void {
  const isOpen = as === 'administrator' && subjects.some(isDefaultAccount) && !isOfOldFlux(binding, subjects)
  if (isOpen) reportGiven(binding, subjects, 'administratorOpen', report, role, 'administrator')
  else reportGiven(binding, subjects, as, report, role)
}

/**
 * Whether a binding is part of Flux's own installer until January 2021, whose controllers run as the default account of a
 * namespace of their own. Source: https://github.com/fluxcd/flux2/pull/777
 */
function isOfOldFlux({ ref, root }: Manifest, subjects: readonly BoundSubject[]): boolean {
  const namespace = root.at('metadata', 'labels', 'app.kubernetes.io/instance').string
  return (
    ref.name === `cluster-reconciler-${namespace}` &&
    subjects.every((subject) => subjectName(subject) === `ServiceAccount ${namespace}/default`)
  )
}

/**
 * @param role the role that changed, where it is not the binding that did
 * @param before the message of versions of the policy that do not have this one
 */
function reportGiven(
  binding: Manifest,
  gaining: readonly BoundSubject[],
  message: 'subject' | 'administratorOpen' | Grant['as'],
  report: ReportMessage,
  role?: Manifest,
  before?: 'administrator',
): void {
  const roleRef = roleRefOf(binding)
  const [first] = gaining
  if (!first || !roleRef) return
  const keys = gaining.map(subjectName)
  const open = gaining.find(isDefaultAccount)
  const who = (message === 'administratorOpen' && open ? podsOf(open) : everybodyIn(first)) ?? ''
  const where = binding.ref.namespace || 'the whole cluster'
  const args = { binding: nameOf(binding.ref), role: nameOf(roleRef.ref), subjects: keys.join(' and '), who, where }
  report([first.at, role ? role.root.at('rules') : roleRef.at], message, args, { keys, before })
}
