import { fields, type Permissions, parts, permissionsIn } from '../kubernetes/rbac/rbac'
import { ruleTexts } from '../kubernetes/rbac/rbac-words'
import type { Cursor } from '../manifest/cursor'
import { appended, withItems } from './fix'
import type { Fix } from './rule'

/**
 * Adds permissions to a role: a single value to the rule that lacks nothing else, else rules of their own.
 *
 * @returns the edit, if one is certain, and the list that lacks the first of them
 */
export function allowing(rules: Cursor, lacking: readonly Permissions[]): { fix: Fix | undefined; gap?: Cursor } {
  const [first, ...more] = lacking
  if (!first) return { fix: undefined }
  const gap = permissionsIn(rules).flatMap((rule) => gapOf(rule, first) ?? [])[0]
  const fix = (more.length === 0 ? gap?.fix : undefined) ?? withItems(rules, [...new Set(ruleTexts(lacking))])
  return { fix, ...(gap && { gap: gap.at }) }
}

/** The list of a rule that lacks a value and so causes the lack, with the edit that adds exactly this value. */
function gapOf(rule: Permissions, lost: Permissions): { at: Cursor; fix: Fix | undefined } | undefined {
  const lacking = parts.filter((part) => [...lost[part]].some((value) => !rule[part].has(value)))
  const [part, ...others] = lacking
  if (!part || others.length > 0 || !rule.at) return undefined
  const at = rule.at.at(fields[part])
  const isExact = parts.every((one) => one === part || rule[one].size === lost[one].size)
  const [value, ...values] = lost[part]
  return { at, fix: isExact && value && values.length === 0 ? appended(at, value) : undefined }
}
