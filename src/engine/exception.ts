import { gateFinding } from '../finding/gate-finding'
import type { Finding, Report } from '../finding/report'
import { matchesObject } from '../kubernetes/object/object-glob'
import type { PlacedException } from '../policy/config'
import { configPath, knownDefectRule, notJudgedRule } from '../policy/names'
import { isSuggestedReason } from '../policy/suggested-reason'
import { coversFile } from './not-judged'

interface ExceptionContext {
  readonly exceptions: readonly PlacedException[]
  readonly exceptionsPath: string | undefined
  readonly today: string
}

/**
 * Marks the findings that an exception covers, and reports exceptions that expired or cover nothing here. Exceptions
 * come from the base: a pull request cannot excuse itself.
 */
export function applyExceptions(
  findings: readonly Finding[],
  terms: ExceptionContext,
  mode: Report['mode'],
): Finding[] {
  const used = new Set<PlacedException>()
  const covered = findings.map((finding) => {
    const candidates = terms.exceptions.filter((exception) => covers(exception, finding))
    const valid = candidates.find((exception) => terms.today <= exception.expires)
    const exception = valid ?? candidates[0]
    if (exception && finding.status !== 'resolved') used.add(exception)
    if (valid) return { ...finding, exception: { reason: valid.reason, expires: valid.expires } }
    return exception ? { ...finding, expired: expiredOf(exception) } : finding
  })
  return [...covered, ...terms.exceptions.flatMap((exception) => about(exception, used.has(exception), terms, mode))]
}

/** Returns, for each of these findings, whether an exception covers it. */
export function exceptedAmong(
  findings: readonly Finding[],
  terms: ExceptionContext,
  mode: Report['mode'],
): (finding: Finding) => boolean {
  const judged = applyExceptions(findings, terms, mode)
  const excepted = new Set(findings.filter((_, index) => judged[index]?.exception !== undefined))
  return (finding) => excepted.has(finding)
}

/** The fields from which a proposal can write an exception again. */
function expiredOf({ region, reasonAt: _, expires: __, ...terms }: PlacedException): Finding['expired'] {
  return { ...terms, line: region.startLine }
}

/** The findings on an exception itself. */
function about(
  exception: PlacedException,
  isUsed: boolean,
  { today, exceptionsPath }: ExceptionContext,
  mode: Report['mode'],
): Finding[] {
  const { rule, object, path, keys, expires, region, reason, reasonAt } = exception
  const subject = object ?? path ?? ''
  const what = `The exception from ${rule} for ${subject}`
  const status = 'existing'
  const place = { side: mode === 'all' ? 'head' : 'base', path: exceptionsPath ?? configPath, region } as const
  const named = { ...place, status, keys: [rule, subject] } as const
  const findings: Finding[] = []
  if (today > expires) {
    findings.push(
      gateFinding('config/exception-expired', 'expired', 'warning', {
        ...named,
        status: isUsed ? 'introduced' : status,
        text: `${what} expired after ${expires}, so its findings count again. Remove it, or renew it with a later date.`,
      }),
    )
  } else if (!isUsed) {
    findings.push(
      gateFinding('config/exception-unused', 'unused', 'notice', {
        ...named,
        text: `${what} covers no finding here. Remove it if it is no longer needed.`,
      }),
    )
  } else if (rule === knownDefectRule && keys === undefined) {
    findings.push(
      gateFinding('config/exception-unnamed', 'unnamed', 'notice', {
        ...named,
        text: `${what} names no defects, so it also covers those that become known later. Name the ones that are accepted under \`keys:\`.`,
      }),
    )
  }
  if (isSuggestedReason(reason)) {
    // An exception applies where it is merged; a revision that is judged whole has to be fixed.
    findings.push(
      gateFinding('config/exception-unexplained', 'unexplained', mode === 'all' ? 'error' : 'warning', {
        ...named,
        region: reasonAt,
        text: `${what} has the reason that was suggested with it. Write why it is intended.`,
      }),
    )
  }
  return findings
}

function covers(exception: PlacedException, finding: Finding): boolean {
  if (finding.rule === notJudgedRule) return finding.sources.every((source) => coversFile(exception, source.path))
  const { object: glob } = exception
  if (glob === undefined) return false
  const [policy] = finding.rule.split('/')
  if (exception.rule !== '*' && exception.rule !== `${policy}/*` && exception.rule !== finding.rule) return false
  if (exception.cluster !== undefined && !finding.sources.some(({ cluster }) => cluster === exception.cluster))
    return false
  if (exception.keys !== undefined && !areNamed(exception.keys, finding)) return false
  return finding.objects.some((object) => matchesObject(glob, object))
}

/** Whether an exception names each defect of a finding, whose first key is the component. */
function areNamed(keys: readonly string[], finding: Finding): boolean {
  return finding.keys.slice(1).every((id) => keys.includes(id))
}
