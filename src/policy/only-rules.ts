import type { Resolution } from './policy'

/** Some of the rules alone, with those that they yield to: where such a rule reports an object, they report nothing. */
export function onlyRules(resolution: Resolution, ids: ReadonlySet<string>): Resolution {
  const wanted = new Set(ids)
  for (const { rule } of resolution.rules)
    if (ids.has(rule.id) && rule.scope === 'removal') for (const other of rule.yieldsTo ?? []) wanted.add(other)
  return { ...resolution, rules: resolution.rules.filter(({ rule }) => wanted.has(rule.id)) }
}
