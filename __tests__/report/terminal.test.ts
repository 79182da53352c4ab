import { expect, test } from '@jest/globals'
import type { Finding, Report } from '../../src/finding/report'
import { terminalReport } from '../../src/report/terminal'
import { judge } from '../harness'
import { ingress } from '../source/objects'

const base = { 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) }
const head = { 'web.yaml': ingress('web', ['a.example.com'], ['b.example.com']) }
const plain = (_: unknown, words: string) => words

test('errors come before warnings, and these before notices, in any order of paths', async () => {
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

test('the marks are below the text that they mark, also where it is escaped, and not where the line is cut', async () => {
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

test('the first change to merge is a config where there is none, else an addition to it', async () => {
  const entry = '  exceptions:\n      - rule: ingress-tls/host-covered\n        object: Ingress/shop/web\n'
  const none = terminalReport(await judge({ base, head }), plain)
  expect(none).toContain(
    `first add this as .github/ingress-guard.yaml in a separate pull request:\n\n    format: 1\n  ${entry}`,
  )
  const some = terminalReport(await judge({ base, head, guard: 'format: 1\nfail-on: warning\n' }), plain)
  expect(some).toContain(
    `first add this to .github/ingress-guard.yaml in a separate pull request (extend a list that exists already):\n\n  ${entry}`,
  )
  expect(some).not.toContain('format: 1')
  const whole = terminalReport(await judge({ head }), plain)
  expect(whole).toContain(`\nIf this is intended, add this as .github/ingress-guard.yaml:\n\n    format: 1\n  ${entry}`)
})

test('findings that the change resolves are counted, and listed among all details', async () => {
  const report = await judge({ base: head, head: base })
  expect(report.findings.map(({ status }) => status)).toEqual(['resolved'])
  const line =
    /^resolved: ingress-tls\/host-covered web\.yaml \(was line 11 at the base\): No entry of spec\.tls lists b/m
  expect(terminalReport(report, plain)).not.toMatch(line)
  const verbose = terminalReport(report, plain, 'verbose')
  expect(verbose).toMatch(line)
  expect(verbose).toContain('\nThis change resolves 1 finding.\n')
})

test('a finding of the gate that existed before says so; those of policies are counted', async () => {
  const report = await judge({ base, head })
  const [finding] = report.findings as [Finding]
  const ofGate = { ...finding, policy: null, rule: 'source/unrendered', status: 'existing' as const }
  const findings = [ofGate, { ...finding, status: 'existing' as const }]
  const text = terminalReport({ ...report, findings, verdict: 'pass' }, plain)
  expect(text).toContain(`existed before this change: source/unrendered web.yaml:11:13: ${finding.text}`)
  expect(text).toContain('1 finding existed before this change.')
})

test('a finding that does not stop a change needs no exception', async () => {
  const report = await judge({ base, head })
  const [finding] = report.findings as [Finding]
  const warned: Finding = { ...finding, rule: 'ingress-tls/secret-type', level: 'warning' }
  const of = (failOn: Report['failOn']) => terminalReport({ ...report, failOn, findings: [finding, warned] }, plain)
  expect(of('error')).not.toContain('- rule: ingress-tls/secret-type')
  expect(of('warning')).toContain('- rule: ingress-tls/secret-type')
})

test('below the entries to merge are the findings that none of them lifts', async () => {
  const report = await judge({ base, head })
  const [finding] = report.findings as [Finding]
  const unlifted: Finding = { ...finding, rule: 'source/unrendered', policy: null, object: null }
  const of = (...findings: Finding[]) => terminalReport({ ...report, findings }, plain)
  expect(of(finding)).not.toContain('Nothing lifts')
  expect(of(finding, unlifted)).toContain(
    '\n\nThis lifts 1 of 2 findings that block. Nothing lifts the other one, which has to be fixed: source/unrendered web.yaml:11:13.\n\nAfter its merge,',
  )
  expect(of(finding, unlifted, { ...unlifted, rule: 'config/invalid', level: 'warning' })).toContain('1 of 2 findings')
  const others = ['source/unfinished', 'source/misnamed'].map((rule) => ({ ...unlifted, rule }))
  expect(of(finding, ...others)).toContain(
    'This lifts 1 of 3 findings that block. Nothing lifts the other 2, which have to be fixed: source/unfinished web.yaml:11:13, source/misnamed web.yaml:11:13.',
  )
})

test('a file whose content the clone lacks is not one to ignore', async () => {
  const report = await judge({ base, head })
  const [finding] = report.findings as [Finding]
  const unread: Finding = { ...finding, rule: 'source/unreadable', policy: null, object: null }
  const of = (message: string) => terminalReport({ ...report, findings: [{ ...unread, message }] }, plain)
  expect(of('unreadable')).toContain('- web.yaml')
  expect(of('absent')).not.toContain('If this change is intended')
})

test('an inventory that cannot be read is to be fixed, and the config that names it is not ignored', async () => {
  const report = await judge({ base, head })
  const finding: Finding = {
    ...(report.findings as [Finding])[0],
    rule: 'source/unreadable',
    policy: null,
    object: null,
  }
  const config = { ...report.config, path: finding.location.path }
  expect(terminalReport({ ...report, findings: [finding] }, plain)).toContain('- web.yaml')
  expect(terminalReport({ ...report, config, findings: [finding] }, plain)).not.toContain('If this change is intended')
})

test('every object of a finding is named, and places of the same text are listed once', async () => {
  const report = await judge({ base, head })
  const [finding] = report.findings as [Finding]
  const object = finding.object as NonNullable<Finding['object']>
  const likewise = ['web', 'cart'].map((name) => ({ ...object, name }))
  const related = [1, 2].map((startLine) => ({
    ...finding.location,
    path: 'base.yaml',
    precision: 'file' as const,
    region: { ...finding.location.region, startLine },
  }))
  const shown = terminalReport({ ...report, findings: [{ ...finding, likewise, related }] }, plain)
  expect(shown).toContain('\n  Ingress/shop/web, Ingress/shop/cart · policy')
  expect(shown.match(/see also: base\.yaml/g)).toHaveLength(1)
})

test('a change of the facts of a cluster alone is reported as a change', async () => {
  const report = await judge({ base, head })
  const changes = { added: 0, changed: 0, removed: 0 }
  expect(terminalReport({ ...report, inspected: { ...report.inspected, changes } }, plain)).toMatch(
    /\. No object differs in .*, only the description of a cluster or a chart with assumed values \(/,
  )
})
