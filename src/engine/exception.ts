import { gateFinding } from '../finding/gate-finding'
import type { Finding, Report } from '../finding/report'
import { matchesObject } from '../kubernetes/object/object-glob'
import type { PlacedException } from '../policy/config'
import { configPath, notJudgedRule } from '../policy/names'
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
    return valid ? { ...finding, exception: { reason: valid.reason, expires: valid.expires } } : finding
  })
  const about = terms.exceptions.flatMap((exception) => {
    const { rule, object, path, expires, region } = exception
    const subject = object ?? path ?? ''
    const expired = terms.today > expires
    if (!expired && used.has(exception)) return []
    const place = { side: mode === 'all' ? 'head' : 'base', path: terms.exceptionsPath ?? configPath, region } as const
    const what = `The exception from ${rule} for ${subject}`
    return [
      expired
        ? gateFinding('config/exception-expired', 'expired', 'warning', {
            ...place,
            status: used.has(exception) ? 'introduced' : 'existing',
            text: `${what} expired after ${expires}, so its findings count again. Remove it, or renew it with a later date.`,
            keys: [rule, subject],
          })
        : gateFinding('config/exception-unused', 'unused', 'notice', {
            ...place,
            status: 'existing',
            text: `${what} covers no finding here. Remove it if it is no longer needed.`,
            keys: [rule, subject],
          }),
    ]
  })
  return [...covered, ...about]
}

function covers(exception: PlacedException, finding: Finding): boolean {
  if (finding.rule === notJudgedRule) return finding.sources.every((source) => coversFile(exception, source.path))
  const { object: glob } = exception
  if (glob === undefined) return false
  const [policy] = finding.rule.split('/')
  if (exception.rule !== '*' && exception.rule !== `${policy}/*` && exception.rule !== finding.rule) return false
  if (exception.cluster !== undefined && !finding.sources.some(({ cluster }) => cluster === exception.cluster))
    return false
  return finding.objects.some((object) => matchesObject(glob, object))
}
