import type { RawFinding } from '../finding/finding'
import { identityOf } from '../manifest/manifest'

/**
 * Drops findings that another answer of a cluster shows and that are also true without it.
 *
 * @param answered the clusters whose objects are rendered with other answers
 */
export function withoutRepeated(
  drafts: readonly RawFinding[],
  answered: ReadonlySet<string> | undefined,
): readonly RawFinding[] {
  if (!answered || !drafts.some(({ cluster }) => answered.has(cluster))) return drafts
  const stated = new Set(drafts.flatMap((draft) => (answered.has(draft.cluster) ? [] : [statementOf(draft)])))
  return drafts.filter((draft) => !answered.has(draft.cluster) || !stated.has(statementOf(draft)))
}

/** What a finding says of its object; the others that it reads may be missing with another answer. */
function statementOf({ active, message, keys, ends: [end] }: RawFinding): string {
  return JSON.stringify([active.rule.id, message, keys, end && identityOf(end.manifest.ref)])
}
