import { defaultUses, resolvePolicies } from '../policy/policy'
import type { RulesJson } from '../report/rules-json'
import { rules } from '../rules/index'
import { bundledPolicies } from './bundled'
import { versionIn } from './package'

/** Every rule, with its effect in a repository without a config. */
export function ruleList(root: string): RulesJson {
  const bundled = bundledPolicies(root)
  const active = resolvePolicies(defaultUses(bundled), bundled, rules).rules
  return {
    format: 1,
    version: versionIn(root),
    rules: rules.map((rule) => {
      const its = active.find((one) => one.rule === rule)
      const levels = Object.keys(rule.messages).flatMap((message) => {
        const level = its?.levelOf(message)
        return level ? [[message, level] as const] : []
      })
      const { id, summary, since } = rule
      const policy = its?.policy ?? null
      return { id, summary, since, policy, levels: Object.fromEntries(levels), page: `docs/rules/${id}.md` }
    }),
  }
}
