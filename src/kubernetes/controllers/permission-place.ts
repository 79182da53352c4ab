import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { Need } from './controller-permissions'

/**
 * Places where a missing permission could be granted: first in the roles with the same reach that name the resource,
 * then at the account, and last in the other roles, which no rule can extend.
 */
export function placesToAllow(need: Need, roles: readonly Manifest[]): Cursor[] {
  const wide = need.permissions.some(({ namespace }) => namespace.has('*'))
  const reaches = ({ ref }: Manifest) =>
    ref.kind === 'ClusterRole' || (!wide && need.permissions.every(({ namespace }) => namespace.has(ref.namespace)))
  const concern = (role: Manifest) =>
    2 * Number(rulesOn(role, need).length > 0) + Number((role.ref.kind === 'ClusterRole') === wide)
  const sorted = [...roles].sort((a, b) => concern(b) - concern(a))
  const [able, others] = [sorted.filter(reaches), sorted.filter((role) => !reaches(role))]
  return [...able.map((role) => placeIn(role, need)), need.at, ...others.map((role) => placeIn(role, need))]
}

/** The rules of a role that name the needed resource. */
function rulesOn(role: Manifest, { permissions }: Need): Cursor[] {
  const resources = new Set(permissions.flatMap(({ resource }) => [...resource]))
  const speaksOf = (rule: Cursor) =>
    [...rule.at('resources').items()].some(({ string }) => string && resources.has(string))
  return [...role.root.at('rules').items()].filter(speaksOf)
}

/** The place where a role would allow it: the names or verbs of the rule on the same resource, else its rules. */
function placeIn(role: Manifest, need: Need): Cursor {
  const names = new Set(need.permissions.flatMap(({ name }) => [...name]))
  const rules = rulesOn(role, need)
  const limited = rules.find((rule) => rule.at('resourceNames').exists)
  const named = limited && [...limited.at('resourceNames').items()].some(({ string }) => string && names.has(string))
  if (limited && !named) return limited.at('resourceNames')
  return (limited ?? rules[0])?.at('verbs') ?? role.root.at('rules')
}
