import type { RawFinding } from '../finding/finding'
import { identityOf } from '../manifest/manifest'

/**
 * Drops findings that another answer of a cluster, or a supposed value, shows and that are also true without it.
 *
 * @param answered the clusters whose objects are rendered in that way
 * @param others what is stated on the other side
 */
export function withoutRepeated(
  drafts: readonly RawFinding[],
  answered: ReadonlySet<string> | undefined,
  others: readonly RawFinding[] = [],
): readonly RawFinding[] {
  if (!answered || !drafts.some(({ cluster }) => answered.has(cluster))) return drafts
  const certain = [...drafts, ...others].filter(({ cluster }) => !answered.has(cluster))
  const stated = new Set(certain.map(statementOf))
  return drafts.filter((draft) => !answered.has(draft.cluster) || !stated.has(statementOf(draft)))
}

/** What a finding says of its object; the others that it reads may be missing with another answer. */
function statementOf({ active, message, keys, ends: [end] }: RawFinding): string {
  return JSON.stringify([active.rule.id, message, keys, end && identityOf(end.manifest.ref)])
}
