import * as Type from 'typebox'
import { factKinds, factMarks } from '../../cluster/cluster-facts'
import type { Snapshot } from '../../cluster/snapshot'
import { isForeign, Protect, protectionOf } from '../../kubernetes/protection/protection'
import {
  commonDefaults,
  defaultHolders,
  defaultsAt,
  defaultsOf,
  isDefaultRole,
  isInEveryRelease,
} from '../../kubernetes/rbac/bootstrap-rbac'
import { inNamespace, type Permissions, permissionsIn, roleKinds, uncovered } from '../../kubernetes/rbac/rbac'
import { allowsEverything } from '../../kubernetes/rbac/rbac-power'
import { aggregateLabels, aggregationOf } from '../../kubernetes/rbac/rbac-role'
import { firstFew, permissionKeys, ruleTexts } from '../../kubernetes/rbac/rbac-words'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { allowing } from '../../rule/allowing'
import { defineRule } from '../../rule/rule'

type Loss = { role: string; lost: string; holders: string; rules: string }

export default defineRule({
  id: 'protected-rbac/permissions-kept',
  summary: 'A protected role keeps its permissions, and has all that Kubernetes gives it.',
  since: '1.1.0',
  scope: 'change',
  kinds: roleKinds,
  reads: factKinds,
  params: Type.Object({ protect: Protect }),
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation
    lost: ({ role, lost, holders, rules }: Loss) =>
      `${role} no longer allows ${lost}, so the API server denies these requests of ${holders}, at least until a kube-apiserver restarts. Add it back to its rules: ${rules}.`,
    shrunk: ({ role, lost, holders, rules }: Loss) =>
      `${role} no longer allows ${lost}; its name is reserved for the cluster, but no API server restores it. Check that ${holders} no longer needs that${rules === '' ? '' : `, or add it back to its rules: ${rules}`}.`,
    lacking: ({ role, lost, holders, rules, release }: Loss & { release: string }) =>
      `${role} lacks ${lost}, which ${release} gives it, so the API server denies these requests of ${holders} once this is applied. Add it to its rules: ${rules}.`,
    selector: ({ role, selector }: { role: string; selector: string }) =>
      `${role} no longer aggregates the roles that ${selector} selects, so it loses all their permissions. Add the selector back under aggregationRule.clusterRoleSelectors.`,
    label: ({ role, label, gatherer }: { role: string; label: string; gatherer: string }) =>
      `${role} loses the label ${label}: "true", so ClusterRole ${gatherer} loses the permissions of this role. Add the label back.`,
  },
  putBack: { label: 'changed', selector: 'changed' },
  *partners(manifest, { protect }) {
    // A copy of it.
    if (protectionOf(manifest, protect)) yield manifest.ref.name
    if (isDefaultRole(manifest.ref)) yield* factMarks
  },
  check({ change, base, head, params: { protect }, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const before = change.kind === 'changed' ? change.before : undefined
    if (!protectionOf(before ?? after, protect)) return
    const role = nameOf(after.ref)
    const statementOf = (lost: readonly Permissions[]): [Loss, { keys: string[] }] => {
      const keys = permissionKeys(lost)
      const holders = defaultHolders(after.ref).join(' and ') || 'everyone bound to it'
      return [
        {
          role,
          lost: firstFew(keys),
          holders,
          rules: ruleTexts(lost.slice(0, 3))
            .map((rule) => `\`- ${rule}\``)
            .join(', '),
        },
        { keys },
      ]
    }
    if (!before) {
      const lacking = lackingIn(after, [base, head])
      if (!lacking) return
      const [args, more] = statementOf(lacking.lost)
      const { fix } = allowing(after.root.at('rules'), lacking.lost)
      report(after.root.at('rules'), 'lacking', { ...args, release: lacking.release }, { ...more, fix })
      return
    }
    for (const label of aggregateLabels(before)) {
      if (aggregateLabels(after).some(({ key }) => key === label.key)) continue
      const ends = [after.root.at('metadata', 'labels', label.key), label.at]
      report(ends, 'label', { role, label: label.key, gatherer: label.gatherer }, { keys: [label.key] })
    }
    const selectors = aggregationOf(before)
    if (selectors) {
      const kept = (aggregationOf(after) ?? []).map(({ value }) => JSON.stringify(value))
      for (const selector of selectors.filter(({ value }) => !kept.includes(JSON.stringify(value)))) {
        const text = JSON.stringify(selector.value)
        report([after.root.at('aggregationRule'), selector], 'selector', { role, selector: text }, { keys: [text] })
      }
      return
    }
    // The permissions of an aggregated role are not in its own rules.
    if (aggregationOf(after)) return
    const rules = after.root.at('rules')
    const was = permissionsIn(before.root.at('rules'))
    // No advice widens a role to everything, unless Kubernetes itself does: then its defaults count, where it has any.
    const isWidened =
      allowsEverything(inNamespace(was, '*')) && !defaultsOf(after.ref).some(({ always }) => allowsEverything(always))
    const message = isForeign(before) ? 'shrunk' : 'lost'
    const isOfKubernetes = isWidened && message === 'lost'
    const lost = isOfKubernetes ? (lackingIn(after, [base, head])?.lost ?? []) : uncovered(permissionsIn(rules), was)
    const [first] = lost
    if (!first) return
    const [args, more] = statementOf(lost)
    const { fix, gap } = allowing(rules, lost)
    const ends = [gap ?? rules, first.at ?? before.root]
    if (isWidened && !isOfKubernetes) report(ends, message, { ...args, rules: '' }, more)
    else report(ends, message, args, { ...more, fix })
  },
})

/**
 * The defaults that a new role lacks: of the cluster's release on either side; if none is declared, those that every
 * known release gives. A release whose defaults are unknown has none.
 */
function lackingIn(role: Manifest, sides: readonly Snapshot[]): { lost: Permissions[]; release: string } | undefined {
  const { ref } = role
  const rules = role.root.at('rules')
  // Applying a manifest does not change missing fields; it keeps an existing aggregationRule, and the cluster
  // overwrites the rules.
  if (aggregationOf(role) || !rules.exists || defaultsOf(ref).some(({ gathers }) => gathers.length > 0))
    return undefined
  const written = permissionsIn(rules)
  const versions = new Set(sides.flatMap(({ facts }) => facts.kubernetes?.value ?? []))
  if (versions.size === 0) {
    const lost = uncovered(written, commonDefaults(ref))
    const release = `every release of Kubernetes${isInEveryRelease(ref) ? '' : ' that has it'}`
    return lost.length > 0 ? { lost, release } : undefined
  }
  for (const version of versions) {
    const lost = uncovered(written, defaultsAt(ref, version)?.always ?? [])
    if (lost.length > 0) return { lost, release: `Kubernetes ${version}` }
  }
  return undefined
}
