import { Snapshot } from '../cluster/snapshot'
import type { Change } from '../manifest/change'
import type { ActiveRule } from '../policy/policy'
import type { NamesInText } from '../rule/rule'
import { judges } from './candidates'
import type { Evidence } from './evidence'

/** A name that a rule looks for in the texts of untouched files, for a change. */
export interface NameAsked {
  readonly name: string
  readonly change: Change
  readonly isUsedIn: NamesInText['isUsedIn']
  readonly isMadeIn?: NamesInText['isMadeIn']
}

/** The names that rules look for in texts, to judge these changes. */
export function namesAsked(
  { changes, base, head }: Pick<Evidence, 'changes' | 'base' | 'head'>,
  rules: readonly ActiveRule[],
): NameAsked[] {
  return rules.flatMap((active) => {
    const { rule } = active
    const names = rule.scope === 'change' || rule.scope === 'snapshot' ? rule.names : undefined
    if (!names) return []
    return changes.flatMap((change) => {
      if (!judges(active, change.kind === 'added' ? change.after : change.before)) return []
      const { cluster } = change
      const none = new Snapshot(cluster, [])
      const sides = { base: base.get(cluster) ?? none, head: head.get(cluster) ?? none }
      return [...names.of({ change, ...sides })].map((name) => ({ name, change, ...names }))
    })
  })
}
