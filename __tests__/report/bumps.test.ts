import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Bump } from '../../src/finding/bump'
import type { Report } from '../../src/finding/report'
import { jsonReport } from '../../src/report/json'
import { markdownReport } from '../../src/report/markdown'
import { terminalReport } from '../../src/report/terminal'
import { judge } from '../harness'
import { configMap } from '../source/objects'
import { rowsOf, treeOf } from './markdown-tree'

const bump: Bump = {
  chart: 'ops',
  repository: 'https://charts.example.com',
  release: 'operator',
  namespace: 'ops',
  from: '1.0.0',
  to: '2.0.0',
  path: 'flux/ops.yaml',
  rows: [
    { aspect: 'role', object: 'ClusterRole operator', goes: [], comes: ['{resources: [secrets]}'] },
    { aspect: 'image', object: 'Deployment ops/operator, container main', goes: ['ops:1'], comes: ['ops:2'] },
  ],
  more: 0,
}
const many = Array.from({ length: 90 }, (_, index) => ({
  aspect: 'argument' as const,
  object: `Deployment ops/operator-${index}, container main`,
  goes: [],
  comes: ['--a', '--b', '--c', '--d', '--e'],
}))

let report: Report
beforeAll(async () => {
  report = await judge({ base: { 'a.yaml': configMap('a') }, head: { 'a.yaml': configMap('b') } })
})
const withBumps = (...bumps: readonly Bump[]): Report => ({ ...report, inspected: { ...report.inspected, bumps } })
const textOf = (...bumps: readonly Bump[]) => terminalReport(withBumps(...bumps), (_, words) => words)

describe('the job summary', () => {
  test('has a table of each release', () => {
    const markdown = markdownReport(withBumps(bump, { ...bump, namespace: 'other' }))
    expect(markdown).toContain('<summary>What new versions of charts bring: 2 releases</summary>')
    expect(markdown).toContain(
      '`ops` `1.0.0` → `2.0.0` of `https://charts.example.com` for the release `other/operator`, asked for in `flux/ops.yaml`:',
    )
    expect(rowsOf(treeOf(markdown))).toEqual([
      ['Role', 'ClusterRole operator', '', '{resources: [secrets]}'],
      ['Image', 'Deployment ops/operator, container main', 'ops:1', 'ops:2'],
      ['Role', 'ClusterRole operator', '', '{resources: [secrets]}'],
      ['Image', 'Deployment ops/operator, container main', 'ops:1', 'ops:2'],
    ])
  })

  test('counts the rows that a table has no room for', () => {
    const markdown = markdownReport(withBumps({ ...bump, rows: many, more: 7 }))
    expect(rowsOf(treeOf(markdown))).toHaveLength(40)
    expect(markdown).toContain('57 more rows: see the JSON report.')
  })

  test('says so where nothing comes or goes', () => {
    expect(markdownReport(withBumps({ ...bump, rows: [] }))).toContain(
      'asked for in `flux/ops.yaml`: no role, webhook, CRD, IngressClass, Service, image or argument differs.',
    )
  })

  test('keeps names from being markup', () => {
    const name = '</details> @org/team | `x`'
    const rows = [{ aspect: 'role' as const, object: name, goes: [name], comes: [] }]
    const markdown = markdownReport(withBumps({ ...bump, chart: name, rows }))
    expect(treeOf(markdown).children.filter(({ type }) => type === 'html')).toHaveLength(2)
  })

  test('has no such table where no chart has another version', () => {
    expect(markdownReport(report)).not.toContain('new versions')
  })
})

describe('the text report', () => {
  test('has a line for each row', () => {
    expect(textOf(bump)).toContain(`ops 1.0.0 → 2.0.0 of release ops/operator (flux/ops.yaml) brings:
  Role of ClusterRole operator: with {resources: [secrets]}
  Image of Deployment ops/operator, container main: without ops:1, with ops:2
`)
  })

  test('counts what it has no room for', () => {
    const text = textOf({ ...bump, rows: many, more: 7 }, bump, bump, bump, bump, bump, bump)
    expect(text.match(/^ {2}Argument of /gm)).toHaveLength(12)
    expect(text).toContain('container main: with --a, --b, --c, --d and 1 more\n')
    expect(text).toContain('  and 85 more rows, in the JSON report\n')
    expect(text).toContain('\n2 more releases of charts with a new version: see the JSON report.\n')
  })
})

test('the JSON report has all of it', () => {
  expect(jsonReport(withBumps(bump)).inspected.bumps).toEqual([bump])
  expect(jsonReport(report).inspected).not.toHaveProperty('bumps')
})
