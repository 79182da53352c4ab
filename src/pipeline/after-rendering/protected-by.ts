import type { Protect } from '../../kubernetes/protection/protection'
import type { ActiveRule } from '../../policy/policy'
import { fieldsOf, listOf } from '../../sources/untyped'

/** The objects that the rules in force protect. */
export function protectedBy(rules: readonly ActiveRule[]): Protect {
  const active = rules.filter(({ rule }) => rule.id === 'protected-rbac/object-kept')
  return active.flatMap(({ params }) => listOf(fieldsOf(params).protect).filter(isEntry))
}

/** The rule's own schema was checked when the policy was read. */
function isEntry(entry: unknown): entry is Protect[number] {
  return typeof entry === 'string' || typeof fieldsOf(entry).label === 'string'
}
