import {
  findingOf,
  fingerprintOf,
  mergeByPlace,
  mergeCopies,
  type Placing,
  type RawFinding,
  statementOf,
} from '../finding/finding'
import { mergeByCause } from '../finding/one-cause'
import { sortFindings } from '../finding/order'
import { countsFor, type Finding, type Report, reaches } from '../finding/report'
import { Restorer } from '../finding/restore'
import { changedOwnership } from '../kubernetes/controllers/controller-ownership'
import { type Change, sidesOf } from '../manifest/change'
import { Hunks } from '../manifest/hunks'
import { identityOf } from '../manifest/manifest'
import type { PlacedException } from '../policy/config'
import type { Resolution } from '../policy/policy'
import type { FailOn, NotJudged } from '../policy/schema'
import { withoutRepeated } from './answered'
import { evaluateAssumed } from './assumed'
import { type BeforeRule, Evaluation } from './evaluate'
import type { Evidence } from './evidence'
import { applyExceptions } from './exception'
import { notJudgedFindings } from './not-judged'

/** The policies, exceptions and date a run is evaluated with. */
export interface PolicyContext {
  readonly resolution: Resolution
  readonly exceptions: readonly PlacedException[]
  readonly exceptionsPath: string | undefined
  readonly ignore: readonly string[]
  /** The level of changed files that are not judged. */
  readonly notJudged?: NotJudged
  readonly failOn: FailOn
  /** YYYY-MM-DD */
  readonly today: string
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
  const base = withoutRepeated(evaluation.evaluateSide('base'), evidence.answered)
  const head = withoutRepeated(evaluation.evaluateSide('head'), evidence.answered)
  const changes = withoutRepeated(evaluation.evaluateChanges(), evidence.answered)
  const assumed = evaluateAssumed(evidence, resolution.rules, placing, today, before)
  const hidden = exclude(head, evaluation.evaluateHeadWithBaseFacts())
  const findings = [
    ...classifyByStatus(base, head, placing, evidence.mode),
    ...classifyByStatus(base, hidden, placing, evidence.mode).filter(({ status }) => status === 'introduced'),
    ...classifyByStatus(assumed.base, assumed.head, placing, evidence.mode),
    ...mergeCopies([...changes, ...assumed.changes].map((draft) => findingOf(draft, 'introduced', placing))),
  ]
  return { findings, skipped: [...evaluation.skipped, ...assumed.skipped] }
}

/** Builds the report; findings with the same cause and location are merged. */
export function reportOf(evidence: Evidence, { findings, skipped }: Judgement, context: PolicyContext): Report {
  const { mode, answered } = evidence
  const changes = evidence.changes.filter(({ cluster }) => !answered?.has(cluster))
  const open = notJudgedFindings(evidence.inspected.files ?? [], context)
  const judged = applyExceptions([...findings, ...open], context, mode)
  const all = sortFindings(mergeByPlace(mergeByCause([...judged, ...evidence.findings])))
  const fails = all.some((finding) => countsFor(finding, mode) && reaches(finding.level, context.failOn))
  const count = (kind: Change['kind']) => changes.filter((change) => change.kind === kind).length
  return {
    format: 1,
    verdict: fails ? 'fail' : 'pass',
    mode,
    ...inForce(context),
    inspected: {
      ...evidence.inspected,
      skipped: sortSkipped([...evidence.inspected.skipped, ...skipped]),
      changes: { added: count('added'), changed: count('changed'), removed: count('removed') },
    },
    findings: all,
    claims: changedOwnership(evidence),
  }
}

/** The parts of the policy context that a report shows. */
export function inForce(context: PolicyContext): Pick<Report, 'failOn' | 'today' | 'policies' | 'config'> {
  return {
    failOn: context.failOn,
    today: context.today,
    policies: context.resolution.policies,
    config: {
      path: context.exceptionsPath ?? null,
      ignore: context.ignore,
      exceptions: context.exceptions
        .filter(({ expires }) => context.today <= expires)
        .map(({ region: _, reasonAt: __, ...rest }) => rest),
    },
  }
}

function sortSkipped(skipped: Report['inspected']['skipped']): Report['inspected']['skipped'] {
  const unique = new Map(skipped.map((entry) => [`${entry.path}\n${entry.reason}`, entry]))
  return [...unique].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, entry]) => entry)
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

function subjectOf({ active, message, cluster, keys, subject }: RawFinding): string {
  return JSON.stringify([active.rule.id, message, cluster, subject, [...keys].sort()])
}

/** Compares the two sides by fingerprint: additional findings of the head are introduced, missing ones are resolved. */
function classifyByStatus(
  base: readonly RawFinding[],
  head: readonly RawFinding[],
  placing: Placing,
  mode: Report['mode'],
): Finding[] {
  if (mode === 'all') return head.map((draft) => findingOf(draft, 'existing', placing))
  const left = new Map<string, RawFinding[]>()
  const knownKeys = new Map<string, Set<string>>()
  for (const draft of base) {
    const fingerprint = fingerprintOf(draft)
    const same = left.get(fingerprint)
    if (same) same.push(draft)
    else left.set(fingerprint, [draft])
    const keys = knownKeys.get(statementOf(draft)) ?? new Set<string>()
    for (const key of draft.keys) keys.add(key)
    knownKeys.set(statementOf(draft), keys)
  }
  const same = head.map((draft) => left.get(fingerprintOf(draft))?.pop() !== undefined)
  // One of the remaining findings may be about the same object under its new name.
  const renamed = new Map<string, RawFinding[]>()
  const continued = new Set<RawFinding>()
  for (const draft of [...left.values()].flat()) {
    if (draft.subject === undefined) continue
    const there = renamed.get(subjectOf(draft))
    if (there) there.push(draft)
    else renamed.set(subjectOf(draft), [draft])
  }
  const findings = head.map((draft, index) => {
    const known = knownKeys.get(statementOf(draft))
    const partOfOld = draft.keys.length > 1 && draft.keys.every((key) => known?.has(key))
    const earlier = same[index] || partOfOld ? undefined : renamed.get(subjectOf(draft))?.pop()
    if (earlier) continued.add(earlier)
    return findingOf(draft, same[index] || partOfOld || earlier ? 'existing' : 'introduced', placing)
  })
  const gone = [...left.values()].flat().filter((draft) => !continued.has(draft))
  const resolved = gone.map((draft) => findingOf(draft, 'resolved', placing))
  return [...findings, ...resolved]
}
