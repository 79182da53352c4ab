import { roleKinds } from '../../kubernetes/rbac/rbac'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Refused = { role: string; position: number }

export default defineRule({
  id: 'protected-rbac/rules-accepted',
  summary: 'The API server accepts every rule of a role.',
  since: '1.5.0',
  scope: 'manifest',
  kinds: roleKinds,
  messages: {
    lacks: ({ role, position, fields }: Refused & { fields: string }) =>
      `Rule ${position} of ${role} lacks ${fields}, so the API server rejects the whole role: its subjects keep the permissions that are in the cluster, and get none if the role is new. Add ${fields} to the rule, or remove the rule.`,
    mixed: ({ role, position }: Refused) =>
      `Rule ${position} of ${role} names both resources and nonResourceURLs, so the API server rejects the whole role: its subjects keep the permissions that are in the cluster, and get none if the role is new. Write a rule for each.`,
    namespaced: ({ role, position }: Refused) =>
      `Rule ${position} of ${role} names nonResourceURLs, which only a ClusterRole may have, so the API server rejects the whole role: its subjects keep the permissions that are in the cluster, and get none if the role is new. Move the rule to a ClusterRole, and bind that with a ClusterRoleBinding.`,
  },
  // Source: https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/rbac/validation/validation.go, ValidatePolicyRule
  check({ manifest, report }) {
    // The controller manager writes the rules of a role that gathers others.
    if (manifest.root.at('aggregationRule').exists) return
    const role = nameOf(manifest.ref)
    for (const [index, rule] of [...manifest.root.at('rules').items()].entries()) {
      const args = { role, position: index + 1 }
      const ofUrls = hasItems(rule.at('nonResourceURLs'))
      const ofResources = ['apiGroups', 'resources', 'resourceNames'].some((field) => hasItems(rule.at(field)))
      const wanted = ofUrls ? ['verbs'] : ['verbs', 'apiGroups', 'resources']
      const missing = wanted.filter((field) => !hasItems(rule.at(field)))
      const [first] = missing
      if (ofUrls && ofResources) report(rule, 'mixed', args, { keys: [String(index)] })
      if (ofUrls && manifest.ref.kind === 'Role')
        report(rule.at('nonResourceURLs'), 'namespaced', args, { keys: [String(index)] })
      if (!first) continue
      report(rule.at(first), 'lacks', { ...args, fields: enumerated(missing) }, { keys: missing })
    }
  },
})

/** Whether a list has items; something else than a list is rejected for another reason. */
function hasItems(list: Cursor): boolean {
  return list.isSet && (!list.isList || [...list.items()].length > 0)
}
