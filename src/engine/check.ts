import { findingOf, mergeCopies, type Placing, type RawFinding } from '../finding/finding'
import type { Finding, Report, ReportParts, ReportTerms } from '../finding/report'
import { Restorer } from '../finding/restore'
import { changedOwnership } from '../kubernetes/controllers/controller-ownership'
import { type Change, sidesOf } from '../manifest/change'
import { Hunks } from '../manifest/hunks'
import { identityOf } from '../manifest/manifest'
import type { Resolution } from '../policy/policy'
import { withoutRepeated, withoutSamples } from './answered'
import { evaluateAssumed } from './assumed'
import { type BeforeRule, Evaluation } from './evaluate'
import type { Evidence } from './evidence'
import { assembled } from './parts'
import { classifyByStatus } from './status'

/** The policies, exceptions and date a run is evaluated with. */
export interface PolicyContext extends Omit<ReportTerms, 'policies'> {
  readonly resolution: Resolution
}

/** The whole gate, and a pure function: the same evidence and terms give the same report. */
export function check(evidence: Evidence, context: PolicyContext): Report {
  return reportOf(evidence, judge(evidence, context), context)
}

/** Rule findings, plus what could not be evaluated. */
export interface Judgement {
  readonly findings: readonly Finding[]
  readonly skipped: Report['inspected']['skipped']
}

/**
 * Evaluates the rules on the evidence, each finding at its own place.
 *
 * @param before called with the rule and the path it looks at next; it may throw to end the judging
 */
export function judge(evidence: Evidence, { resolution, today }: PolicyContext, before?: BeforeRule): Judgement {
  const placing = placingIn(evidence)
  const evaluation = new Evaluation(evidence, resolution.rules, placing.touched, today, before)
  const [was, is] = [evaluation.evaluateSide('base'), evaluation.evaluateSide('head')]
  const base = withoutRepeated(was, evidence.answered, is)
  const head = withoutSamples(withoutRepeated(is, evidence.answered, was), evidence)
  const changes = withoutRepeated(evaluation.evaluateChanges(), evidence.answered)
  const assumed = evaluateAssumed(evidence, resolution.rules, placing, today, before)
  const hidden = exclude(head, evaluation.evaluateHeadWithBaseFacts())
  const findings = [
    ...classifyByStatus(base, head, placing, evidence),
    ...classifyByStatus(base, hidden, placing, evidence).filter(({ status }) => status === 'introduced'),
    ...classifyByStatus(assumed.base, assumed.head, placing, evidence),
    ...mergeCopies([...changes, ...assumed.changes].map((draft) => findingOf(draft, 'introduced', placing))),
  ]
  return { findings, skipped: [...evaluation.skipped, ...assumed.skipped] }
}

/** Builds the report; findings with the same cause and location are merged. */
export function reportOf(evidence: Evidence, { findings, skipped }: Judgement, context: PolicyContext): Report {
  const { mode, answered, inspected, covered, judges = () => true } = evidence
  const changes = evidence.changes.filter(({ cluster }) => !answered?.has(cluster) && judges(cluster))
  const count = (kind: Change['kind']) => changes.filter((change) => change.kind === kind).length
  const parts: ReportParts = {
    mode,
    inspected: {
      ...inspected,
      skipped: [...inspected.skipped, ...skipped],
      changes: { added: count('added'), changed: count('changed'), removed: count('removed') },
    },
    findings,
    given: evidence.findings,
    claims: changedOwnership(evidence).filter(({ cluster }) => judges(cluster)),
  }
  const terms = termsOf(context)
  const report = assembled(parts, terms)
  return covered ? { ...report, shard: { ...covered, terms, parts } } : report
}

/** The terms as data. */
export function termsOf({ resolution, ...terms }: PolicyContext): ReportTerms {
  return { ...terms, policies: resolution.policies }
}

function placingIn({ changes, described, assumed, changedTexts }: Evidence): Placing {
  const touched = new Set(
    [...changes, ...described, ...(assumed?.changes ?? [])].flatMap((change) => Object.values(sidesOf(change))),
  )
  const hunks = new Map<string, Hunks>()
  const restorer = new Restorer()
  return {
    touched: (manifest) => touched.has(manifest.values?.owner ?? manifest),
    isNew: (path) => changedTexts.has(path) && changedTexts.get(path)?.before === undefined,
    isDeleted: (path) => changedTexts.has(path) && changedTexts.get(path)?.after === undefined,
    restoring: (removed) => restorer.restoring(removed, changedTexts.get(removed.origin.path)?.after),
    hunks(path) {
      const { before, after } = changedTexts.get(path) ?? {}
      if (before === undefined || after === undefined) return undefined
      const known = hunks.get(path) ?? new Hunks(before, after)
      hunks.set(path, known)
      return known
    },
  }
}

/**
 * Removes findings that others state already: for the same first object, with the same keys. The further ends are the
 * places of facts, which may differ.
 */
function exclude(others: readonly RawFinding[], drafts: readonly RawFinding[]): RawFinding[] {
  const subject = ({ active, message, cluster, ends: [end] }: RawFinding) =>
    JSON.stringify([active.rule.id, message, cluster, end && identityOf(end.manifest.ref)])
  const known = new Map<string, Set<string>>()
  if (drafts.length > 0) {
    for (const draft of others) {
      const keys = known.get(subject(draft)) ?? new Set<string>()
      for (const key of draft.keys) keys.add(key)
      known.set(subject(draft), keys)
    }
  }
  return drafts.filter((draft) => {
    const keys = known.get(subject(draft))
    return !keys || draft.keys.some((key) => !keys.has(key))
  })
}
