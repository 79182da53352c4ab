import { type Finding, type Report, reaches } from '../finding/report'
import { visible, visibleLines } from './words/visible'
import { consequencesOf, countedFindings, foundIn, placeOf, subjectOf } from './words/wording'

/**
 * A report as JUnit XML, which most CI systems show as test results: a test case for each finding that counts. Those
 * that fail the run are failures; the others pass, with their text as output.
 */
export function junitReport(report: Report): string {
  const findings = countedFindings(report)
  const failing = findings.filter((finding) => reaches(finding.level, report.failOn))
  const { unfinished } = report
  const cases = [
    ...findings.map((finding) => caseOf(finding, failing.includes(finding))),
    ...(unfinished
      ? [
          element('testcase', { classname: 'ingress-guard', name: 'finished in time' }, [
            element('error', { message: `The time limit was reached while ${visible(unfinished.doing)}.` }, []),
          ]),
        ]
      : []),
    // A suite without a case counts as a run that did not happen.
    ...(findings.length === 0 && !unfinished
      ? [element('testcase', { classname: 'ingress-guard', name: foundIn(report) }, [])]
      : []),
  ]
  const numbers = { tests: cases.length, failures: failing.length, errors: unfinished ? 1 : 0 }
  const suite = element('testsuite', { name: 'ingress-guard', ...numbers }, cases)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', numbers, [suite])}\n`
}

function caseOf(finding: Finding, fails: boolean): string {
  const { rule, level, location, text } = finding
  const body = [placeOf(location), text, ...consequencesOf(finding), subjectOf(finding)].filter(Boolean).join('\n')
  const outcome = fails
    ? element('failure', { type: level, message: visible(text) }, [escaped(visibleLines(body))])
    : element('system-out', {}, [escaped(visibleLines(`${level} ${body}`))])
  return element('testcase', { classname: rule, name: visible(placeOf(location)), file: visible(location.path) }, [
    outcome,
  ])
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  inner: readonly string[],
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
  const start = `<${name}${given.join('')}`
  return inner.length === 0 ? `${start}/>` : `${start}>${inner.join('\n')}</${name}>`
}

/** Control characters, which XML does not allow, are written out by `visible`. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;')
}
