import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Log } from 'sarif'
import type { Report } from '../../src/finding/report'
import { toolIn } from '../../src/host/bundled'
import { annotationsOf } from '../../src/report/annotations'
import { jsonReport } from '../../src/report/json'
import { markdownReport } from '../../src/report/markdown'
import { sarifReport } from '../../src/report/sarif'
import { terminalReport } from '../../src/report/terminal'
import { root } from '../harness'
import { manyFindings } from './many'
import { nodesIn, rowsOf, treeOf, valuesOf } from './markdown-tree'

const number = 500

describe(`${number} findings`, () => {
  let report: Report
  let expected: string[]
  beforeAll(async () => {
    report = await manyFindings(number)
    expected = jsonReport(report)
      .findings.map(({ rule, location }) => `${rule} ${location.path}:${location.region.startLine}`)
      .sort()
  })

  test('are in the JSON report', () => {
    expect(expected).toHaveLength(number)
    expect(new Set(expected).size).toBe(number)
  })

  test('are annotations', () => {
    const places = annotationsOf(report).map(({ title, file, message, startLine }) => {
      const [, was] = message.match(/^removed: was line (\d+) at the base\. /) ?? []
      return `${title} ${file}:${startLine ?? was}`
    })
    expect(places.sort()).toEqual(expected)
  })

  test('are results of SARIF', () => {
    const [run] = (JSON.parse(sarifReport(report, toolIn(root))) as Log).runs
    const places = run?.results?.map(({ ruleId, locations }) => {
      const { artifactLocation, region } = locations?.[0]?.physicalLocation ?? {}
      return `${ruleId} ${artifactLocation?.uri}:${region?.startLine}`
    })
    expect(places?.sort()).toEqual(expected)
  })

  test('are items of the summary, and its table counts them', () => {
    const tree = treeOf(markdownReport(report))
    const items = nodesIn(tree).flatMap((node) => {
      if (node.type !== 'listItem') return []
      const [place = '', rule] = nodesIn(node).flatMap((inner) => (inner.type === 'inlineCode' ? [inner.value] : []))
      const [, path, line] = split(place)
      return [`${rule} ${path}:${line}`]
    })
    expect(items.sort()).toEqual(expected)
    const counts = rowsOf(tree).map(([, place = '']) => Number(place.match(/^(\d+) in /)?.[1] ?? 1))
    expect(counts).toHaveLength(40)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(number)
    expect(valuesOf(tree, 'html')).toContain(`<details><summary>Every finding with its lines: ${number}</summary>`)
  })

  test('are in the terminal report', () => {
    const lines = terminalReport(report, (_, words) => words).split('\n')
    const places = lines.flatMap((line) => {
      const [, rule, place = ''] = line.match(/^error (\S+) (.*?)(?:, this change deletes the file)?$/) ?? []
      if (!rule) return []
      const [, path, at] = split(place)
      return [`${rule} ${path}:${at}`]
    })
    expect(places.sort()).toEqual(expected)
  })
})

/** Splits `a.yaml:12:7` and `a.yaml (was line 12 at the base)` in the same way. */
function split(place: string): string[] {
  const [all = '', path = '', at, was] = place.match(/^(.*?)(?::(\d+):\d+| \(was line (\d+) at the base\))$/) ?? []
  return [all, path, at ?? was ?? '']
}
