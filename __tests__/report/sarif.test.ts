import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import type { Log, Run } from 'sarif'
import type { Finding, Report } from '../../src/finding/report'
import { toolIn } from '../../src/host/bundled'
import { sarifReport } from '../../src/report/sarif'
import { rules } from '../../src/rules/index'
import { judge, root } from '../harness'
import { ingress, role, stream } from '../source/objects'
import { manyFindings } from './many'
import { sarifErrors } from './sarif-schema'

/** The one run of a report, which the official schema takes. */
function runOf(report: Report): Run {
  const log = JSON.parse(sarifReport(report, toolIn(root))) as Log
  expect(sarifErrors(log)).toEqual([])
  expect([log.version, log.runs.length]).toEqual(['2.1.0', 1])
  return log.runs[0] as Run
}

const placesIn = ({ results = [] }: Run) =>
  results.map(({ locations }) => {
    const { artifactLocation, region } = locations?.[0]?.physicalLocation ?? {}
    return `${artifactLocation?.uri}:${region?.startLine}`
  })

const sound = ingress('web', ['a.example.com'], ['a.example.com'])
const holed = ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com'])

test('the schema is one: it refuses what is no SARIF', () => {
  expect(sarifErrors({ version: '2.1.0' })).not.toEqual([])
  expect(sarifErrors({ version: '2.1.0', runs: [{ tool: { driver: {} } }] })).not.toEqual([])
})

test('a finding is at its line, with its rule, its help and its fingerprint', async () => {
  const report = await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': holed } })
  const { tool, results = [], columnKind } = runOf(report)
  expect(columnKind).toBe('utf16CodeUnits')
  expect(tool.driver).toMatchObject({ name: 'ingress-guard', semanticVersion: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  expect(tool.extensions).toContainEqual({ name: 'ingress-tls', semanticVersion: expect.stringMatching(/^1\./) })
  expect(results).toHaveLength(1)
  expect(results[0]).toMatchObject({
    ruleId: 'ingress-tls/host-covered',
    ruleIndex: 0,
    level: 'error',
    baselineState: 'new',
    message: { text: expect.stringContaining('b.example.com') },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'web.yaml', uriBaseId: '%SRCROOT%' },
          region: { startLine: 12, startColumn: 13, endLine: 12, endColumn: 26 },
        },
        logicalLocations: [{ fullyQualifiedName: 'Ingress/shop/web' }],
      },
    ],
    partialFingerprints: { 'ingressGuard/v1': `${report.findings[0]?.fingerprint}:1` },
  })
  const [rule] = tool.driver.rules ?? []
  expect(rule).toMatchObject({
    id: 'ingress-tls/host-covered',
    name: 'HostCovered',
    shortDescription: { text: 'Every host that an Ingress routes is listed in one of its TLS entries.' },
    defaultConfiguration: { level: 'error' },
  })
  expect(rule?.help?.markdown).toMatch(/## What it stops[\s\S]*## What to do/)
  // Links into the repository would lead nowhere.
  expect(rule?.help?.markdown).not.toMatch(/\]\((?!https:)/)
})

test('every rule has help', () => {
  const { describe: describeRule } = toolIn(root)
  for (const { id } of rules)
    expect([id, describeRule(id).page]).toEqual([id, expect.stringMatching(/^## What it stops$/m)])
})

test('notices are notes, and nothing found is a run without results', async () => {
  const run = runOf(await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': sound } }))
  expect(run.results).toEqual([])
  const report = await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': holed } })
  const { results } = runOf({ ...report, findings: report.findings.map((one) => ({ ...one, level: 'notice' })) })
  expect(results?.map(({ level }) => level)).toEqual(['note'])
})

describe('the primary location', () => {
  test('is the line that took a removed object away, and the place it had is related', async () => {
    const kept = role('kept')
    const run = runOf(
      await judge({ base: { 'a.yaml': stream(kept, role('system:a'), kept) }, head: { 'a.yaml': kept } }),
    )
    expect(placesIn(run)).toEqual(['a.yaml:4'])
    const [related] = run.results?.[0]?.relatedLocations ?? []
    expect(related?.physicalLocation?.region?.startLine).toBe(6)
    expect(related?.message?.text).toContain('was line 6 at the base')
  })

  test('is the place in a deleted file, with a hash that the upload could not make', async () => {
    const report = await judge({ base: { 'a.yaml': role('system:a') }, head: {} })
    const run = runOf(report)
    expect(placesIn(run)).toEqual(['a.yaml:1'])
    const identity = `${report.findings[0]?.fingerprint}:1`
    expect(run.results?.[0]?.partialFingerprints).toEqual({
      'ingressGuard/v1': identity,
      primaryLocationLineHash: identity,
    })
  })

  test('is on a changed line where one of the places is', async () => {
    const report = await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': holed } })
    const [finding] = report.findings as [Finding]
    const elsewhere = { ...finding.location, path: 'other.yaml', changed: false }
    const moved: Finding = { ...finding, location: elsewhere, related: [elsewhere, finding.location] }
    expect(placesIn(runOf({ ...report, findings: [moved] }))).toEqual(['web.yaml:12'])
  })

  test('is the first line where no more than the file is known', async () => {
    const report = await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': holed } })
    const [finding] = report.findings as [Finding]
    const rendered: Finding = { ...finding, location: { ...finding.location, precision: 'file' } }
    expect(runOf({ ...report, findings: [rendered] }).results?.[0]?.locations?.[0]?.physicalLocation?.region).toEqual({
      startLine: 1,
    })
  })

  test('has a URI that names the file, whatever it is called', async () => {
    const file = 'a b/ü#1?:%20"<x>.yaml'
    const run = runOf(await judge({ base: { [file]: sound }, head: { [file]: holed } }))
    const uri = run.results?.[0]?.locations?.[0]?.physicalLocation?.artifactLocation?.uri ?? ''
    expect(decodeURIComponent(uri)).toBe(file)
  })
})

test('a finding that an exception covers is suppressed; an existing one is left out', async () => {
  const guard =
    'format: 1\nexceptions:\n  - {rule: ingress-tls/*, object: Ingress/shop/web, reason: the CDN, expires: 2027-01-01}\n'
  const excepted = runOf(await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': holed }, guard }))
  expect(excepted.results?.map(({ suppressions }) => suppressions)).toEqual([
    [{ kind: 'external', status: 'accepted', justification: 'the CDN (until 2027-01-01)' }],
  ])
  const touched = holed.replace('metadata:', 'metadata:\n  labels: {a: b}')
  expect(runOf(await judge({ base: { 'web.yaml': holed }, head: { 'web.yaml': touched } })).results).toEqual([])
  const whole = runOf(await judge({ head: { 'web.yaml': holed } }))
  expect(whole.results).toHaveLength(1)
  expect(whole.results?.[0]).not.toHaveProperty('baselineState')
})

test('a fix is one of SARIF', async () => {
  const report = await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': holed } })
  const [finding] = report.findings as [Finding]
  const edit = { path: 'web.yaml', region: finding.location.region, newText: 'a.example.com' }
  const { results } = runOf({ ...report, findings: [{ ...finding, fix: { edits: [edit] } }] })
  expect(results?.[0]?.fixes?.[0]?.artifactChanges[0]?.replacements[0]).toEqual({
    deletedRegion: finding.location.region,
    insertedContent: { text: 'a.example.com' },
  })
})

test('a gap is a notification', async () => {
  const report = await judge({ base: {}, head: { 'a.yaml': 'a: {{ .Values.a }}\n' } })
  const skipped = [{ path: 'a.yaml', reason: 'it is a template' }]
  const { invocations } = runOf({ ...report, inspected: { ...report.inspected, skipped } })
  expect(invocations?.[0]).toMatchObject({
    executionSuccessful: true,
    toolExecutionNotifications: [{ level: 'note', message: { text: 'a.yaml was not inspected: it is a template' } }],
  })
})

describe('within what code scanning takes', () => {
  test('25,000 results, worst first, and a word on the others', async () => {
    const report = await manyFindings(1)
    const [finding] = report.findings as [Finding]
    const notices = Array.from({ length: 25_000 }, () => ({ ...finding, level: 'notice' as const }))
    const { results = [], invocations } = runOf({ ...report, findings: [...notices, finding] })
    expect(results).toHaveLength(25_000)
    expect(results[0]?.level).toBe('error')
    expect(new Set(results.map(({ partialFingerprints }) => partialFingerprints?.['ingressGuard/v1'])).size).toBe(
      25_000,
    )
    expect(invocations?.[0]?.toolExecutionNotifications?.[0]?.message.text).toBe(
      '1 finding left out here: see the JSON report.',
    )
  })

  test('1,000 locations', async () => {
    const report = await manyFindings(1)
    const [finding] = report.findings as [Finding]
    const related = Array.from({ length: 2000 }, (_, index) => ({ ...finding.location, path: `f${index}.yaml` }))
    const { results } = runOf({ ...report, findings: [{ ...finding, related }] })
    expect((results?.[0]?.relatedLocations?.length ?? 0) + 1).toBeLessThanOrEqual(100)
  })

  test('10 MB when packed', async () => {
    const report = await manyFindings(1)
    const [finding] = report.findings as [Finding]
    const findings = Array.from({ length: 16_000 }, () => ({ ...finding, text: randomBytes(700).toString('base64') }))
    const text = sarifReport({ ...report, findings }, toolIn(root))
    expect(gzipSync(text).length).toBeLessThan(10_000_000)
    const [run] = (JSON.parse(text) as Log).runs
    expect(run?.results).toHaveLength(8000)
    expect(run?.invocations?.[0]?.toolExecutionNotifications?.[0]?.message.text).toMatch(/^8,000 findings left out/)
  })

  test('20 tags of a rule', async () => {
    const { tool } = runOf(await manyFindings(20))
    for (const { properties } of tool.driver.rules ?? []) expect(properties?.tags?.length).toBeLessThanOrEqual(20)
  })
})
