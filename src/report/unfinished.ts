import type { Overrun } from '../budget'
import { gateFinding } from '../finding/gate-finding'
import { sortFindings } from '../finding/order'
import type { Finding, Report } from '../finding/report'
import type { Level } from '../policy/schema'

/** The progress of a run: its report so far, and whether its verdict is final. */
export interface Progress {
  readonly report: Report
  readonly judged: boolean
}

/** The report of a run without results. */
export function emptyReport(
  terms: Pick<Report, 'failOn' | 'today' | 'policies' | 'config'>,
  base: string | null,
  head: string,
  findings: readonly Finding[] = [],
): Report {
  const inspected = (revision: string) => ({ revision, files: 0, sources: 0, rendered: 0, manifests: 0 })
  return {
    format: 1,
    verdict: 'pass',
    mode: base === null ? 'all' : 'change',
    ...terms,
    inspected: {
      base: base === null ? null : inspected(base),
      head: inspected(head),
      changes: { added: 0, changed: 0, removed: 0 },
      tools: [],
      skipped: [],
    },
    findings,
    claims: [],
  }
}

/**
 * The report of a run whose time was used up. Before everything was judged it fails; afterwards the verdict is as it
 * was found, and only lines to change were still looked for.
 */
export function unfinished({ report, judged }: Progress, overrun: Overrun): Report {
  const { minutes, doing, path } = overrun
  const used = `The time limit of the run (${written(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}) was reached while ${doing},`
  if (judged) {
    const text = `${used} in the search for the lines to change, so some findings are shown where they were found and not at the line to change. Raise \`timeout\` to find those lines.`
    return withFinding(report, 'notice', text, overrun)
  }
  const text = `${used} so everything after that step was not checked. Find out why it takes so long, or raise \`timeout\`.`
  return {
    ...withFinding(report, 'error', text, overrun),
    verdict: 'fail',
    unfinished: { minutes, doing, path: path ?? null },
  }
}

/** A number in digits alone. */
function written(minutes: number): string {
  return minutes.toLocaleString('en', { maximumFractionDigits: 20, useGrouping: false })
}

function withFinding(report: Report, level: Level, text: string, { path }: Overrun): Report {
  const finding = gateFinding('source/unfinished', level === 'error' ? 'unjudged' : 'unlocated', level, {
    side: 'head',
    // A finding without a file is placed where GitHub puts such findings.
    path: path ?? '.github',
    region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
    text,
    keys: [],
    status: report.mode === 'change' ? 'introduced' : 'existing',
  })
  const location = { ...finding.location, precision: 'file' as const, changed: false }
  const placed = { ...finding, location }
  const { shard } = report
  const parts = shard && { ...shard.parts, given: [...shard.parts.given, placed] }
  return {
    ...report,
    findings: sortFindings([...report.findings, placed]),
    ...(parts ? { shard: { ...shard, parts } } : {}),
  }
}
