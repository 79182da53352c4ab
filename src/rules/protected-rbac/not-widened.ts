import Type from 'typebox'
import { defaultSubjects, defaultsOf } from '../../kubernetes/bootstrap-rbac'
import { Protect, protectionOf } from '../../kubernetes/protection'
import { bindingKinds, type Permissions, permissionsIn, roleKinds, uncovered } from '../../kubernetes/rbac'
import {
  type BoundSubject,
  gainingSubjects,
  permissionsOfRoleRef,
  roleRefOf,
  subjectName,
  subjectsOf,
} from '../../kubernetes/rbac-binding'
import {
  allowsEverything,
  escalations,
  everybodyIn,
  isAnonymous,
  leaksInto,
  onlyReads,
  onlyUrls,
} from '../../kubernetes/rbac-power'
import { aggregateLabels, aggregationOf } from '../../kubernetes/rbac-role'
import { firstFew, permissionKeys } from '../../kubernetes/rbac-words'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import type { Snapshot } from '../../manifest/snapshot'
import { defineRule, type ReportFunction } from '../rule'

type More = { role: string; more: string }
type Given = { binding: string; role: string; subjects: string }

const messages = {
  rule: ({ role, more }: More) =>
    `${role} is protected and comes to allow ${more} as well, to everyone who is bound to it, and no API server takes that back. Give it by a role and a binding of your own.`,
  beyond: ({ role, more }: More) =>
    `${role} is written with more than any known release of Kubernetes gives it: ${more}. Give that by a role and a binding of your own.`,
  gathers: ({ role, more }: More) =>
    `${role} is protected and comes to gather every role that ${more} selects. Bind these roles by themselves instead.`,
  leak: ({ role, more, gatherer, label }: More & { gatherer: string; label: string }) =>
    `By its label ${label} the ClusterRole ${gatherer} comes to allow ${more}, to everyone who is bound to that anywhere: ${role} allows more than ${gatherer} is for. Take the label off, or label a role with what fits.`,
  subject: ({ binding, role, subjects }: Given) =>
    `${binding} is protected and comes to name ${subjects}, who gets all that ${role} allows, and no API server takes that back. Bind a role that fits by a binding of its own.`,
  everybody: ({ binding, role, subjects, who }: Given & { who: string }) =>
    `${binding} gives ${subjects}, that is ${who}, all that ${role} allows in the whole cluster. Name the accounts that need it.`,
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
  *partners(manifest) {
    const roleRef = roleRefOf(manifest)
    const isWide = manifest.ref.kind === 'ClusterRoleBinding' || subjectsOf(manifest).some(isAnonymous)
    if (roleRef && isWide) yield roleRef.ref.name
    if (allowsEverything(permissionsIn(manifest.root.at('rules')))) yield manifest.ref.name
  },
  check({ change, base, head, params: { protect, escalation }, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const before = change.kind === 'changed' ? change.before : undefined
    const isProtected = protectionOf(before ?? after, protect) !== undefined
    if (bindingKinds.some((kind) => kind === groupKindOf(after.ref))) {
      const gaining = gainingSubjects(after, base)
      // A roleRef cannot be changed: that is for role-ref-kept.
      if (gaining.length === 0 || (before && !sameRoleRef(before, after))) return
      if (isProtected && widensProtected(before, after, gaining, report)) return
      if (after.ref.kind === 'ClusterRoleBinding') widensCluster(after, gaining, head, report)
      else reportGiven(after, gaining.filter(isAnonymous), 'exposed', report)
      return
    }
    const [was, is] = [before, after].map((role) => (role ? permissionsIn(role.root.at('rules')) : []))
    if (!was || !is) return
    if (isProtected) widensRole(before, after, report)
    else leaks(before, after, report)
    // Who is bound to it already becomes an administrator by this.
    if (before && after.ref.kind === 'ClusterRole' && allowsEverything(is) && !allowsEverything(was)) {
      for (const binding of head.ofKind(bindingKinds[0])) {
        const roleRef = roleRefOf(binding)
        if (roleRef && head.get(roleRef.ref).includes(after)) {
          const gaining = gainingSubjects(binding, base).map(subjectName)
          const bound = subjectsOf(binding).filter((subject) => !gaining.includes(subjectName(subject)))
          widensCluster(binding, bound, head, report, after)
        }
      }
    }
    if (escalation) reportMore(after, uncovered(escalations(was), escalations(is)), 'escalation', report)
  },
})

function sameRoleRef(before: Manifest, after: Manifest): boolean {
  const [was, is] = [roleRefOf(before), roleRefOf(after)]
  return !was || !is || identityOf(was.ref) === identityOf(is.ref)
}

function reportMore(
  role: Manifest,
  more: readonly Permissions[],
  message: 'rule' | 'beyond' | 'escalation',
  report: Report,
) {
  const [first] = more
  if (!first) return
  const keys = permissionKeys(more)
  report(first.at ?? role.root.at('rules'), message, { role: nameOf(role.ref), more: firstFew(keys) }, { keys })
}

/** What a protected role comes to allow; a new one is compared with what Kubernetes gives it. */
function widensRole(before: Manifest | undefined, after: Manifest, report: Report): void {
  const selectors = aggregationOf(after)
  const role = nameOf(after.ref)
  if (selectors) {
    const had = (before && aggregationOf(before)) ?? []
    if (!before) return
    const known = had.map(({ value }) => JSON.stringify(value))
    for (const selector of selectors.filter(({ value }) => !known.includes(JSON.stringify(value)))) {
      const more = JSON.stringify(selector.value)
      report(selector, 'gathers', { role, more }, { keys: [more] })
    }
    return
  }
  const written = permissionsIn(after.root.at('rules'))
  if (before) {
    reportMore(after, uncovered(permissionsIn(before.root.at('rules')), written), 'rule', report)
    return
  }
  const known = defaultsOf(after.ref).flatMap(({ always, gated }) => [...always, ...gated])
  if (known.length > 0) reportMore(after, uncovered(known, written), 'beyond', report)
}

/** What a role gives to view, edit and admin by its labels; told once, of the least of them. */
function leaks(before: Manifest | undefined, after: Manifest, report: Report): void {
  const written = permissionsIn(after.root.at('rules'))
  const labels = aggregateLabels(after)
  for (const { key, gatherer, at } of labels.sort((a, b) => (a.gatherer < b.gatherer ? 1 : -1))) {
    const hadLabel = before && aggregateLabels(before).some((label) => label.key === key)
    const had = hadLabel ? leaksInto(gatherer, permissionsIn(before.root.at('rules'))) : []
    const more = uncovered(had, leaksInto(gatherer, written))
    const [first] = more
    if (!first) continue
    const keys = permissionKeys(more)
    const place = first.at ?? after.root.at('rules')
    const args = { role: nameOf(after.ref), more: firstFew(keys), gatherer, label: key }
    report(hadLabel ? [place, at] : [at, place], 'leak', args, { keys: [gatherer, ...keys] })
    return
  }
}

/** Whom a protected binding comes to name; of a new one that Kubernetes makes too, whom that does not name. */
function widensProtected(
  before: Manifest | undefined,
  after: Manifest,
  gaining: readonly BoundSubject[],
  report: Report,
) {
  const defaults = defaultSubjects(after.ref)
  if (!before && !defaults) return false
  reportGiven(
    after,
    gaining.filter((subject) => !defaults?.includes(subjectName(subject))),
    'subject',
    report,
  )
  return true
}

/** What a ClusterRoleBinding gives to everybody, and all of it to anybody. */
function widensCluster(
  binding: Manifest,
  gaining: readonly BoundSubject[],
  head: Snapshot,
  report: Report,
  role?: Manifest,
) {
  const roleRef = roleRefOf(binding)
  const permissions = roleRef && permissionsOfRoleRef(roleRef.ref, head)
  const everybody = gaining.filter(everybodyIn)
  const isAll = permissions !== undefined && allowsEverything(permissions)
  if (everybody.length === 0) {
    // These pass without any binding: https://github.com/kubernetes/apiserver/blob/master/pkg/authentication/user/user.go
    const others = gaining.filter(({ name }) => name !== 'system:masters')
    if (isAll) reportGiven(binding, others, 'administrator', report, role)
    return
  }
  if (permissions && onlyUrls(permissions)) return
  const isOpen = everybody.some(isAnonymous)
  const tells = !permissions || (!isOpen && onlyReads(permissions))
  reportGiven(binding, everybody, tells ? 'exposed' : 'everybody', report, role)
}

function reportGiven(
  binding: Manifest,
  gaining: readonly BoundSubject[],
  message: 'subject' | 'everybody' | 'exposed' | 'administrator',
  report: Report,
  role?: Manifest,
): void {
  const roleRef = roleRefOf(binding)
  const [first] = gaining
  if (!first || !roleRef) return
  const keys = gaining.map(subjectName)
  const who = everybodyIn(first) ?? ''
  const args = { binding: nameOf(binding.ref), role: nameOf(roleRef.ref), subjects: keys.join(' and '), who }
  report([first.at, role ? role.root.at('rules') : roleRef.at], message, args, { keys })
}
