import type { RawFinding } from '../finding/finding'
import type { ActiveRule } from '../policy/policy'
import { type BeforeRule, Evaluation } from './evaluate'
import type { Evidence } from './evidence'

/** The findings of assumed objects, of the two sides and of the change. */
interface AssumedFindings {
  readonly base: readonly RawFinding[]
  readonly head: readonly RawFinding[]
  readonly changes: readonly RawFinding[]
  readonly skipped: Evaluation['skipped']
}

/**
 * Evaluates the rules that judge assumed objects, on these together with all others. Objects that were read are not
 * judged by assumptions: only findings about assumed objects are kept, as warnings that name the assumption.
 */
export function evaluateAssumed(
  evidence: Evidence,
  rules: readonly ActiveRule[],
  placing: { touched: Evaluation['touched'] },
  today: string,
  before?: BeforeRule,
): AssumedFindings {
  if (!evidence.assumed) return { base: [], head: [], changes: [], skipped: [] }
  const judged = { ...evidence, ...evidence.assumed, described: [], moves: [] }
  // A change of an object that was read may be a loss for an assumed one.
  const changes = [...evidence.changes, ...evidence.assumed.changes]
  const evaluations = [
    new Evaluation(judged, asking(rules, 'own'), placing.touched, today, before),
    new Evaluation({ ...judged, changes }, asking(rules, 'any'), placing.touched, today, before),
  ]
  return {
    base: evaluations.flatMap((one) => one.evaluateSide('base')).flatMap(asAssumed),
    head: evaluations.flatMap((one) => one.evaluateSide('head')).flatMap(asAssumed),
    changes: evaluations.flatMap((one) => one.evaluateChanges()).flatMap(asAssumed),
    skipped: evaluations.flatMap(({ skipped }) => skipped),
  }
}

function asking(rules: readonly ActiveRule[], changes: ActiveRule['assumes']): ActiveRule[] {
  return rules.filter(({ assumes }) => assumes === changes)
}

/** An edit of an assumed object would depend on the assumption, so no fix is suggested. */
function asAssumed(draft: RawFinding): RawFinding[] {
  const assumption = draft.ends.map(({ manifest }) => manifest.assumption).find((one) => one !== undefined)
  if (!assumption) return []
  const level = draft.level === 'error' ? 'warning' : draft.level
  return [{ ...draft, level, text: `${draft.text} ${assumption.text}`, fix: undefined }]
}
