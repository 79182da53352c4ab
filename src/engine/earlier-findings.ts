import { append } from '../append'
import type { Snapshot } from '../cluster/snapshot'
import type { RawFinding } from '../finding/finding'
import { identityOf } from '../manifest/manifest'
import type { Evidence } from './evidence'

/**
 * Findings of the base that the head does not have in this form: one of the head's may be the same fault, of an object
 * that has another name now, or that is in another folder.
 */
export class EarlierFindings {
  /** The findings that the head still has. */
  readonly taken = new Set<RawFinding>()
  private readonly known = new Map<string, RawFinding[]>()

  constructor(
    findings: readonly RawFinding[],
    private readonly evidence: Pick<Evidence, 'base' | 'head'>,
  ) {
    for (const one of findings) for (const key of keysOf(one, evidence.head)) append(this.known, key, one)
  }

  /** The finding of the base that a finding of the head continues: each continues in one only. */
  take(draft: RawFinding): RawFinding | undefined {
    for (const key of keysOf(draft, this.evidence.base)) {
      const earlier = this.known.get(key)?.findLast((one) => !this.taken.has(one))
      if (!earlier) continue
      this.taken.add(earlier)
      return earlier
    }
    return undefined
  }
}

/** @param other the clusters of the other side */
function keysOf(draft: RawFinding, other: ReadonlyMap<string, Snapshot>): string[] {
  return [subjectOf(draft) ?? [], placelessOf(draft, other)].flat()
}

function subjectOf({ active, message, cluster, keys, subject }: RawFinding): string | undefined {
  if (subject === undefined) return undefined
  return JSON.stringify(['subject', active.rule.id, message, cluster, subject, [...keys].sort()])
}

/**
 * Equal for a statement about one object that a change moves from one folder to another, where folders are only taken
 * for clusters because they repeat each other.
 */
function placelessOf(
  { active, message, cluster, ends, keys }: RawFinding,
  other: ReadonlyMap<string, Snapshot>,
): string[] {
  const [end, ...others] = ends
  if (!end || others.some(({ manifest }) => manifest !== end.manifest)) return []
  const { evidence, ref, side, object, origin } = end.manifest
  if (evidence === 'declared' || evidence === 'layout') return []
  const there = other.get(cluster)?.get(ref) ?? []
  const statement = ['object', active.rule.id, message, identityOf(ref), [...keys].sort()]
  const whole = JSON.stringify([...statement, object.content])
  if (there.length === 0) return [JSON.stringify(statement), whole]
  // An object that the other side has in the same place has not moved, unless that is one of another file.
  const isReplaced = side === 'base' && there.every((one) => one.origin.path !== origin.path)
  return isReplaced ? [whole] : []
}
