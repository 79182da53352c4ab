import { append } from '../append'
import { findingOf, fingerprintOf, type Placing, type RawFinding, statementOf } from '../finding/finding'
import type { Finding } from '../finding/report'
import { EarlierFindings } from './earlier-findings'
import type { Evidence } from './evidence'

/** The finding as it was with another message of more weight, where the rule has one. */
function graver(draft: RawFinding): RawFinding[] {
  const message = draft.active.rule.milder?.[draft.message]
  return message ? [{ ...draft, message }] : []
}

function isWithin(draft: RawFinding, known: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const keys = known.get(statementOf(draft))
  return keys !== undefined && draft.keys.every((key) => keys.has(key))
}

/** Compares the two sides by fingerprint: additional findings of the head are introduced, missing ones are resolved. */
export function classifyByStatus(
  base: readonly RawFinding[],
  head: readonly RawFinding[],
  placing: Placing,
  evidence: Pick<Evidence, 'mode' | 'base' | 'head'>,
): Finding[] {
  if (evidence.mode === 'all') return head.map((draft) => findingOf(draft, 'existing', placing))
  const left = new Map<string, RawFinding[]>()
  const knownKeys = new Map<string, Set<string>>()
  for (const draft of base) {
    append(left, fingerprintOf(draft), draft)
    const keys = knownKeys.get(statementOf(draft)) ?? new Set<string>()
    for (const key of draft.keys) keys.add(key)
    knownKeys.set(statementOf(draft), keys)
  }
  const same = head.map((draft) => left.get(fingerprintOf(draft))?.pop() !== undefined)
  const remaining = [...left.values()].flat()
  const earlier = new EarlierFindings(remaining, evidence)
  const findings = head.map((draft, index) => {
    const partOfOld = draft.keys.length > 1 && [draft, ...graver(draft)].some((one) => isWithin(one, knownKeys))
    const isOld = same[index] || partOfOld || earlier.take(draft) !== undefined
    return findingOf(draft, isOld ? 'existing' : 'introduced', placing)
  })
  const gone = remaining.filter((draft) => !earlier.taken.has(draft))
  const resolved = gone.map((draft) => findingOf(draft, 'resolved', placing))
  return [...findings, ...resolved]
}
