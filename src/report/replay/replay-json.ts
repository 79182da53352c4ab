import { countsFor, type Finding, type Report, reaches } from '../../finding/report'
import type { FoundInHistory, JudgedChange, ReplayLine } from './replay-schema'

/** The short form of a report of a change. */
export function judgedChange(report: Report, cost: { milliseconds: number; peakMemory: number }): JudgedChange {
  return {
    verdict: report.verdict,
    findings: report.findings
      .filter((finding) => countsFor(finding, 'change'))
      .map((finding) => foundIn(finding, report.failOn)),
    notJudged: (report.inspected.files ?? [])
      .filter(({ state }) => state === 'not-judged')
      .map(({ path, reason }) => ({ path, reason })),
    ...cost,
  }
}

function foundIn(finding: Finding, failOn: Report['failOn']): FoundInHistory {
  const { rule, level, message, text, fingerprint, location, also = [] } = finding
  const { side, path, region } = location
  return {
    rule,
    level,
    stops: reaches(level, failOn),
    side,
    path,
    line: region.startLine,
    message,
    text,
    fingerprint,
    also: also.map((one) => one.fingerprint),
  }
}

/** One line for each commit, in the order of the branch. */
export function replayLines(lines: readonly ReplayLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}
