import type { Finding, Report } from '../finding/report'
import type { Level } from '../policy/schema'
import { visible } from './words/visible'
import { countedFindings, placeOf, wholeTextOf } from './words/wording'

/**
 * An issue of GitLab's Code Quality report. Source:
 * https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
 */
interface Issue {
  readonly description: string
  readonly check_name: string
  readonly fingerprint: string
  readonly severity: (typeof severities)[Level]
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } }
}

const severities = { error: 'critical', warning: 'minor', notice: 'info' } as const

/** A report as GitLab's Code Quality takes it: the findings that count, each at its line, in merge requests. */
export function gitlabReport(report: Report): string {
  const seen = new Map<string, number>()
  const issues = countedFindings(report).map((finding): Issue => {
    const nth = (seen.get(finding.fingerprint) ?? 0) + 1
    seen.set(finding.fingerprint, nth)
    return issueOf(finding, nth)
  })
  return `${JSON.stringify(issues, null, 1)}\n`
}

/** @param nth GitLab shows one issue of each fingerprint */
function issueOf(finding: Finding, nth: number): Issue {
  const { rule, fingerprint, level, location } = finding
  const removed = location.side === 'base' ? `${placeOf(location)}: ` : ''
  return {
    description: visible(`${removed}${wholeTextOf(finding)}`),
    check_name: rule,
    fingerprint: `${fingerprint}:${nth}`,
    severity: severities[level],
    // A removed object has no line at the head.
    location: { path: location.path, lines: { begin: location.side === 'base' ? 1 : location.region.startLine } },
  }
}
