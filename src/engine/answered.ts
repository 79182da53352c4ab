import type { RawFinding } from '../finding/finding'
import { isOfSample, isUnderOtherName } from '../manifest/assumption'
import { identityOf, type Origin } from '../manifest/manifest'
import type { Evidence } from './evidence'

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
  const all = [...drafts, ...others]
  const stated = new Set(all.filter(({ cluster }) => !answered.has(cluster)).map(statementOf))
  const isRepeated = repeatedIn(all, new Map([...answered].map((cluster, index) => [cluster, index])))
  const places = new Set(all.filter((draft) => !isRenamed(draft)).map(placeOf))
  return drafts.filter(
    (draft) =>
      !answered.has(draft.cluster) ||
      !(stated.has(statementOf(draft)) || isRepeated(draft) || (isRenamed(draft) && places.has(placeOf(draft)))),
  )
}

/** Whether a release with supposed values shows what one of the same chart before it does, which supposes less. */
function repeatedIn(drafts: readonly RawFinding[], order: ReadonlyMap<string, number>): (draft: RawFinding) => boolean {
  const first = new Map<string, number>()
  for (const draft of drafts) {
    const [statement, at] = [supposedStatementOf(draft), order.get(draft.cluster)]
    // A finding of a known release repeats none of a supposed one.
    if (statement === undefined || at === undefined) continue
    first.set(statement, Math.min(at, first.get(statement) ?? at))
  }
  return (draft) => {
    const [statement, at] = [supposedStatementOf(draft), order.get(draft.cluster)]
    return statement !== undefined && at !== undefined && at > (first.get(statement) ?? at)
  }
}

/** Whether a finding is on an object of a release that has another name than its chart. */
function isRenamed({ ends: [end] }: RawFinding): boolean {
  const origin = end?.manifest.origin
  return origin?.kind === 'rendered' && isUnderOtherName(origin.id)
}

/** What a finding says of a template: the names of its objects are others in a release of another name. */
function placeOf({ active, message, ends: [end] }: RawFinding): string {
  const origin = end?.manifest.origin
  const template = origin?.kind === 'rendered' ? [origin.source.path, origin.template] : [origin?.path]
  return JSON.stringify([active.rule.id, message, end?.manifest.ref.kind, ...template])
}

/**
 * Drops findings on the names that were made up for a release, of objects that the change adds: a host that no TLS entry
 * lists may be one of two that a user would have written alike.
 */
export function withoutSamples(drafts: readonly RawFinding[], { base }: Pick<Evidence, 'base'>): readonly RawFinding[] {
  return drafts.filter(({ cluster, keys, ends: [end] }) => {
    if (!end || !isSupposed(end.manifest.origin) || !keys.some(isOfSample)) return true
    return (base.get(cluster)?.get(end.manifest.ref) ?? []).length > 0
  })
}

function isSupposed(origin: Origin): boolean {
  return origin.kind === 'rendered' && origin.supposed !== undefined
}

function supposedStatementOf(draft: RawFinding): string | undefined {
  const origin = draft.ends[0]?.manifest.origin
  if (origin?.kind !== 'rendered' || !isSupposed(origin)) return undefined
  return `${origin.source.path}\n${statementOf(draft)}`
}

/** What a finding says of its object; the others that it reads may be missing with another answer. */
function statementOf({ active, message, keys, ends: [end] }: RawFinding): string {
  return JSON.stringify([active.rule.id, message, keys, end && identityOf(end.manifest.ref)])
}
