import { expect, test } from '@jest/globals'
import { counted, type Mark, type Measured, summaryOf, unmarked } from '../../scripts/precision/summary'
import type { FoundInHistory, JudgedChange } from '../../src/report/replay/replay-schema'

function found(rule: string, level: FoundInHistory['level'], path = 'a.yaml'): FoundInHistory {
  const words = { message: 'one', text: `It says ${rule}.`, fingerprint: 'f', also: [] }
  return { rule, level, stops: level === 'error', side: 'head', path, line: 1, ...words }
}

function change(repository: string, commit: string, ...findings: readonly FoundInHistory[]): Measured {
  const verdict = findings.some(({ stops }) => stops) ? 'fail' : 'pass'
  const judged: JudgedChange = { verdict, findings: [...findings], notJudged: [], milliseconds: 1, peakMemory: 1 }
  return { repository, style: repository.startsWith('x/') ? 'flux' : 'plain', commit, outcome: { judged } }
}

const measured: readonly Measured[] = [
  change('x/one', 'aaaa1111', found('tls/a', 'error'), found('tls/a', 'error', 'b.yaml'), found('rbac/b', 'warning')),
  change('x/one', 'bbbb1111'),
  change('y/two', 'cccc1111', found('rbac/b', 'error')),
  change('y/two', 'dddd1111', found('rbac/b', 'error')),
  { repository: 'y/two', style: 'plain', commit: 'eeee1111', outcome: { failed: 'The time limit was reached.' } },
]
const marks: readonly Mark[] = [
  { repository: 'x/one', commit: 'aaaa', rule: 'tls/a', path: 'a.yaml', mark: 'true', why: 'it was an outage' },
  { repository: 'x/one', commit: 'aaaa', rule: 'tls/a', path: 'b.yaml', mark: 'false', why: 'it was none' },
  { repository: 'y/two', commit: 'cccc', rule: 'rbac/b', mark: 'arguable', why: 'a clean-up' },
]

test('the errors of changes are counted by their marks', () => {
  const fixed: Mark = { repository: 'x/one', commit: 'bbbb', rule: 'tls/a', mark: 'false', why: 'it was none' }
  expect(summaryOf(measured, counted(measured, marks), [...marks, fixed]).split('\n')).toEqual([
    '4 changes of 2 repositories of 2 styles were judged, 1 could not be.',
    '3 were stopped: 1 rightly, 1 arguably, 1 wrongly, 1 not read yet. Wrongly in 1,000: 250.0.',
    'When first judged, 2 were stopped wrongly: 500.0 in 1,000.',
    '',
    '| rule | true | arguable | false | not read |',
    '| --- | --- | --- | --- | --- |',
    '| `rbac/b` | 0 | 1 | 0 | 1 |',
    '| `tls/a` | 1 | 0 | 1 | 0 |',
    '',
    '| rule | warnings |',
    '| --- | --- |',
    '| `rbac/b` | 1 |',
    '',
    'Not judged:',
    '- y/two eeee1111: The time limit was reached.',
  ])
})

test('an error without a mark is printed as the line to fill in', () => {
  expect(unmarked(counted(measured, marks))).toEqual([
    '{"repository":"y/two","commit":"dddd1111","rule":"rbac/b","mark":"","why":"It says rbac/b."}',
  ])
})
