import type { Static } from 'typebox'
import * as Type from 'typebox'
import { defaultUses, resolvePolicies } from '../policy/policy'
import { Level } from '../policy/schema'
import { rules } from '../rules/index'
import { bundledPolicies } from './bundled'
import { versionIn } from './package'

/** The rules as data. Keys are added in later versions, never changed or removed within format 1. */
export const RulesJson = Type.Object(
  {
    format: Type.Literal(1),
    version: Type.String({ description: 'The version of ingress-guard.' }),
    rules: Type.Array(
      Type.Object({
        id: Type.String(),
        summary: Type.String({ description: 'What is true when the rule reports nothing.' }),
        since: Type.String({ description: 'The first version of its policy that has the rule.' }),
        policy: Type.Union([Type.Object({ name: Type.String(), version: Type.String() }), Type.Null()], {
          description: 'The version that is in force without a config; null where that has not the rule.',
        }),
        levels: Type.Record(Type.String(), Level, { description: 'The level of each of its messages there.' }),
        page: Type.String({ description: 'Its page, from the folder of the package.' }),
      }),
    ),
  },
  { title: 'The rules of ingress-guard' },
)
export type RulesJson = Static<typeof RulesJson>

/** Every rule, with what it does in a repository without a config. */
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
