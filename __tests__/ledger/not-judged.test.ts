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

const texts = (...files: LedgerEntry[]) =>
  notJudgedFindings(files, { exceptions: [], today: '2026-01-01' }).map(({ text }) => text)

const release: LedgerEntry = {
  path: 'a.yaml',
  change: 'changed',
  state: 'not-judged',
  cause: 'chart-elsewhere',
  reason: 'the chart web is not in this repository',
}
const unseen =
  'This change is not judged: the chart web is not in this repository. The objects that the chart creates are not seen.'

test('a removed file has nothing to correct, so its removal is to be checked or accepted', () => {
  const removed = { ...release, change: 'removed' } as const
  const line = (path: string) => `\`- {rule: source/not-judged, path: "${path}", reason: WHY, expires: YYYY-MM-DD}\``
  expect(texts(removed)).toEqual([
    `${unseen} This change removes it, so there is nothing left to correct: make sure that nothing needs what it deployed. To accept it, first merge ${line('a.yaml')} under \`exceptions:\` of the config.`,
  ])
  expect(texts(removed, ...['b', 'c', 'd'].map((name) => ({ ...removed, path: `${name}.yaml` })))).toEqual([
    `${unseen} The same applies to b.yaml, c.yaml, d.yaml. This change removes them, so there is nothing left to correct: make sure that nothing needs what they deployed. To accept it, first merge ${line('a.yaml')}, ${line('b.yaml')}, ${line('c.yaml')} and so on under \`exceptions:\` of the config.`,
  ])
  expect(texts(release, { ...removed, path: 'b.yaml' })).toEqual([
    expect.stringContaining('let this job fetch the chart'),
    expect.not.stringContaining('fetch'),
  ])
})

test('values that SOPS encrypts are to be moved, or their changes accepted', () => {
  expect(texts({ ...release, isEncrypted: true })).toEqual([
    `${unseen} SOPS encrypts its values, and the gate has no key. Keep only secrets in such a file, and move values that decide routes, TLS or permissions to one that is not encrypted. To accept it, first merge \`- {rule: source/not-judged, path: "a.yaml", reason: WHY, expires: YYYY-MM-DD}\` under \`exceptions:\` of the config.`,
  ])
})

test('files are one finding only where a reader can do the same about them', () => {
  const terraform = { ...release, cause: 'other-tool', reason: 'Terraform uses it', remedy: 'Do a.' }
  const kluctl = { ...release, path: 'b.yaml', cause: 'other-tool', reason: 'Kluctl uses it', remedy: 'Do b.' }
  expect(texts(terraform, kluctl)).toEqual([
    expect.stringMatching(/: Terraform uses it\. .* Do a\.$/),
    expect.stringMatching(/: Kluctl uses it\. .* Do b\.$/),
  ])
  const unreadable = (path: string, reason: string) => ({ ...release, path, cause: 'unreadable', reason })
  const two = [unreadable('a.yaml', 'it is too long'), unreadable('b.yaml', 'it is no YAML')]
  const found = notJudgedFindings(two, { exceptions: [], today: '2026-01-01' })
  expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(2)
  expect(texts(unreadable('a.yaml', 'it is too long'), unreadable('b.yaml', 'it is too long'))).toEqual([
    expect.stringContaining(' The same applies to b.yaml. '),
  ])
})
