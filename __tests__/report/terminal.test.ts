import { expect, test } from '@jest/globals'
import type { Finding } from '../../src/report/report'
import { terminalReport } from '../../src/report/terminal'
import { judge } from '../harness'
import { ingress } from '../source/objects'

const base = { 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) }
const head = { 'web.yaml': ingress('web', ['a.example.com'], ['b.example.com']) }
const plain = (_: unknown, words: string) => words

test('errors stand before warnings, and these before notices, whatever their paths', async () => {
  const report = await judge({ base, head })
  const [finding] = report.findings as [Finding]
  const findings = (['notice', 'error', 'warning', 'error'] as const).map((level) => ({ ...finding, level }))
  const levels = terminalReport({ ...report, findings }, plain).match(/^(?:error|warning|notice)(?= )/gm)
  expect(levels).toEqual(['error', 'error', 'warning', 'notice'])
})

test('of many related places eight are shown, and the number of the others', async () => {
  const report = await judge({ base, head })
  const [finding] = report.findings as [Finding]
  const related = Array.from({ length: 20 }, (_, index) => ({ ...finding.location, path: `${index}.yaml` }))
  const shown = terminalReport({ ...report, findings: [{ ...finding, related }] }, plain)
  expect(shown.match(/^ {2}see also: /gm)).toHaveLength(8)
  expect(shown).toContain('\n  and 12 more places, in the JSON report\n')
})

test('the marks stand below what they mark, though it is written out, and not where the line is cut', async () => {
  const text = (host: string) =>
    `${ingress('web', ['a.example.com'], []).replace('  rules:', `  rules: [{host: "${host}"}]`)}`
  const bidi = '\u202e'
  const short = terminalReport(await judge({ base, head: { 'web.yaml': text(`${bidi}b.example.com`) } }), plain)
  const [, line = '', marks = ''] = short.match(/^ {2}> (.*\\u\{202e\}b\.example\.com.*)\n {4}(.*)$/m) ?? []
  expect(line.slice(marks.indexOf('^'), marks.lastIndexOf('^') + 1)).toBe('"\\u{202e}b.example.com"')
  const long = `  rules: [${'{host: a.example.com}, '.repeat(5000)}{host: b.example.com}]`
  const cut = terminalReport(
    await judge({ base, head: { 'web.yaml': ingress('web', ['a.example.com'], []).replace('  rules:', long) } }),
    plain,
  )
  expect(cut.length).toBeLessThan(3000)
})

test('what to merge first is a config where there is none, else what to add to it', async () => {
  const entry = '  exceptions:\n      - rule: ingress-tls/host-covered\n        object: Ingress/shop/web\n'
  const none = terminalReport(await judge({ base, head }), plain)
  expect(none).toContain(
    `first add this as .github/ingress-guard.yaml, in a pull request of its own:\n\n    format: 1\n  ${entry}`,
  )
  const some = terminalReport(await judge({ base, head, guard: 'format: 1\nfail-on: warning\n' }), plain)
  expect(some).toContain(
    `first add this to .github/ingress-guard.yaml, in a pull request of its own (a list that is there already goes on):\n\n  ${entry}`,
  )
  expect(some).not.toContain('format: 1')
})
