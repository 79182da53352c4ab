import { expect, test } from '@jest/globals'
import { notJudgedFindings } from '../../src/engine/not-judged'
import type { LedgerEntry } from '../../src/ledger/entry'
import { startOf } from '../../src/region'

const file = (path: string, at?: string): LedgerEntry => ({
  path,
  change: 'added',
  state: 'not-judged',
  cause: 'place-new',
  reason: 'the chart web was not fetched',
  place: { side: 'head', ...(at ? { path: at } : {}), region: startOf(14), excerpt: { startLine: 14, lines: [] } },
})

const found = (...files: LedgerEntry[]) => {
  const [finding, ...others] = notJudgedFindings(files, { exceptions: [], today: '2026-01-01' })
  expect(others).toEqual([])
  const [, names] = finding?.text.match(/ The same applies to (.*?)\. To have/) ?? []
  return `${finding?.location.path}: ${names}`
}

test('a finding at another file than the changed one names the changed one, not itself', () => {
  const entries = [file('release.yaml', 'source.yaml'), file('source.yaml', 'source.yaml')]
  expect(found(...entries)).toBe('source.yaml: release.yaml')
  expect(found(...entries, file('values.yaml', 'source.yaml'))).toBe('source.yaml: release.yaml, values.yaml')
  expect(found(file('release.yaml'))).toBe('release.yaml: undefined')
})
