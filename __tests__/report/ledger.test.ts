import { expect, test } from '@jest/globals'
import type { Report } from '../../src/finding/report'
import type { FileState, LedgerEntry } from '../../src/ledger/entry'
import { accountedIn, notInspectedIn, placesOf } from '../../src/report/words/ledger'

const file = (path: string, state: FileState, reason = 'as it is'): LedgerEntry => ({
  path,
  change: 'changed',
  state,
  reason,
})

test('the summary counts the changed files by state, and names those that are not judged', () => {
  const files = [
    ...['a', 'b', 'c'].map((name) => file(`${name}.yaml`, 'judged')),
    file('values.yaml', 'input'),
    file('README.md', 'not-kubernetes'),
    ...['v', 'w', 'x', 'y'].map((name) => file(`${name}.yaml`, 'not-judged')),
  ]
  expect(accountedIn(files)).toBe(
    '9 changed files: 3 judged, 1 input of what was judged, 1 not Kubernetes, 4 not judged: v.yaml, w.yaml, x.yaml and 1 more.',
  )
  expect(accountedIn([file('a.yaml', 'not-deployed')])).toBe('1 changed file: 1 not deployed.')
  expect(accountedIn([])).toBe('')
})

test('the list of what was not inspected begins with changed files; the rest is one line for each cause', () => {
  const remote = (name: string) => ({
    path: `${name}.yaml`,
    reason: `HelmRelease ${name}: the chart ${name} is not in this repository`,
    cause: 'chart-elsewhere',
  })
  const inspected: Pick<Report['inspected'], 'files' | 'skipped'> = {
    files: [file('seen.yaml', 'judged'), file('z.yaml', 'not-judged', 'nothing renders it')],
    skipped: [
      ...['a', 'b', 'c', 'd', 'z'].map(remote),
      { path: 'one.yaml', reason: 'a template', cause: 'template' },
      { path: 'two.yaml', reason: 'a template', cause: 'template' },
      { path: 'k.yaml', reason: 'no cause' },
      { path: 'seen.yaml', reason: 'no file says which kernel it has' },
    ],
  }
  const shown = notInspectedIn(inspected).map((line) => `${placesOf(line)}: ${line.reason}`)
  expect(shown).toEqual([
    'z.yaml: nothing renders it',
    'seen.yaml: no file says which kernel it has',
    'a.yaml, b.yaml, c.yaml and 1 more: 4 releases of charts that are not in this repository',
    'one.yaml, two.yaml: a template',
    'k.yaml: no cause',
  ])
})
