import { mergeByPlace } from '../finding/finding'
import { mergeByCause } from '../finding/one-cause'
import { sortFindings } from '../finding/order'
import { countsFor, type Finding, type Report, type ReportParts, type ReportTerms, reaches } from '../finding/report'
import { applyExceptions } from './exception'
import { notJudgedFindings } from './not-judged'

/**
 * Builds the report from its parts; findings with the same cause and location are merged. Those of several runs, each
 * of other clusters, give the report of one run on all.
 */
export function assembled(parts: ReportParts, terms: ReportTerms): Report {
  const { mode, inspected } = parts
  const open = notJudgedFindings(inspected.files ?? [], terms)
  const judged = applyExceptions([...byCluster(parts.findings), ...open], terms, mode)
  const findings = sortFindings(mergeByPlace(mergeByCause([...judged, ...parts.given])))
  const fails = findings.some((finding) => countsFor(finding, mode) && reaches(finding.level, terms.failOn))
  return {
    format: 1,
    verdict: fails ? 'fail' : 'pass',
    mode,
    ...inForce(terms),
    inspected: { ...inspected, skipped: sortSkipped(inspected.skipped) },
    findings,
    claims: parts.claims,
  }
}

/** The parts of the terms that a report shows. */
export function inForce({
  failOn,
  today,
  policies,
  exceptionsPath,
  ignore,
  exceptions,
}: ReportTerms): Pick<Report, 'failOn' | 'today' | 'policies' | 'config'> {
  return {
    failOn,
    today,
    policies,
    config: {
      path: exceptionsPath ?? null,
      ignore,
      exceptions: exceptions
        .filter(({ expires }) => today <= expires)
        .map(({ region: _, reasonAt: __, ...rest }) => rest),
    },
  }
}

/** The first of several findings at one place leads: the same one, whatever clusters were judged beside it. */
function byCluster(findings: readonly Finding[]): Finding[] {
  // The rest, which has no name, comes after the clusters that have one.
  const order = (a: string, b: string) => (a === b ? 0 : a !== '' && (b === '' || a < b) ? -1 : 1)
  return [...findings].sort(({ cluster: a }, { cluster: b }) => order(a, b))
}

function sortSkipped(skipped: Report['inspected']['skipped']): Report['inspected']['skipped'] {
  const unique = new Map(skipped.map((entry) => [`${entry.path}\n${entry.reason}`, entry]))
  return [...unique].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, entry]) => entry)
}
