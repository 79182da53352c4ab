import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Nodes } from 'mdast'
import type { Finding, Report } from '../../src/finding/report'
import { markdownReport } from '../../src/report/markdown'
import { judge } from '../harness'
import { ingress, role } from '../source/objects'
import { manyFindings } from './many'
import { nodesIn, rowsOf, treeOf, valuesOf } from './markdown-tree'

const sound = ingress('web', ['a.example.com'], ['a.example.com'])
const holed = ingress('web', ['a.example.com'], ['b.example.com'])
const room = (bytes: number) => ({ bytes, rest: 'the job summary' })

function wordsOf(node: Nodes): string {
  if ('value' in node) return node.value
  return 'children' in node ? node.children.map(wordsOf).join('') : ''
}

/** The folded lists, by their titles, with the words of their items. */
function foldedIn(markdown: string): Record<string, string[]> {
  const lists: Record<string, string[]> = {}
  let title = ''
  for (const node of treeOf(markdown).children) {
    if (node.type === 'html') title = node.value.match(/<summary>(.*)<\/summary>/)?.[1] ?? ''
    else if (node.type === 'list' && title) lists[title] = [...(lists[title] ?? []), ...node.children.map(wordsOf)]
  }
  return lists
}

test('one file is a table without a heading, and the finding with its lines', async () => {
  const markdown = markdownReport(await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': holed } }))
  const tree = treeOf(markdown)
  expect(tree.children.map(({ type }) => type)).toEqual([
    'paragraph',
    'table',
    'paragraph',
    'code',
    'paragraph',
    'paragraph',
    'html',
    'list',
    'html',
  ])
  expect(rowsOf(tree).map(([level, place, , rule]) => [level, place, rule])).toEqual([
    ['error', 'web.yaml:11:13', 'ingress-tls/host-covered'],
  ])
  const lines = valuesOf(tree, 'code').at(-1)?.split('\n')
  expect(lines?.slice(0, 2)).toEqual(['10    rules:', '11      - host: b.example.com'])
})

test('findings are sorted by cluster, worst first, and those of one rule in one folder share a row', async () => {
  const tree = treeOf(markdownReport(await manyFindings(400)))
  expect(tree.children.flatMap((node) => (node.type === 'heading' ? [wordsOf(node)] : []))).toEqual([
    'Cluster clusters/east: 200 findings',
    'Cluster clusters/west: 200 findings',
  ])
  const rows = rowsOf(tree).map(([level, place, , rule]) => `${level} ${place} ${rule}`)
  expect(rows).toHaveLength(40)
  expect(rows[1]).toBe(
    'error 20 in clusters/east/team-0/, the first at clusters/east/team-0/web-0.yaml:12:13 ingress-tls/host-covered',
  )
})

test('exceptions in force, the findings they cover, existing findings and gaps have lists', async () => {
  const guard = [
    'format: 1',
    'exceptions:',
    '  - {rule: ingress-tls/*, object: Ingress/shop/web, reason: the CDN, expires: 2027-01-01}',
    '  - {rule: protected-rbac/*, object: ClusterRole/x, cluster: prod, reason: not here, expires: 2026-11-21}',
    '  - {rule: protected-rbac/*, object: ClusterRole/y, reason: over, expires: 2026-11-20}',
  ].join('\n')
  const other = ingress('other', ['a.example.com'], ['b.example.com'])
  const report = await judge({
    base: { 'web.yaml': sound, 'other.yaml': other },
    head: { 'web.yaml': holed, 'other.yaml': other.replace('metadata:', 'metadata:\n  labels: {a: b}') },
    guard,
  })
  const skipped = [{ path: 'chart/x.yaml', reason: 'it is a template' }]
  const folded = foldedIn(markdownReport({ ...report, inspected: { ...report.inspected, skipped } }))
  expect(folded).toMatchObject({
    'Exceptions in force: 2': [
      'ingress-tls/* for Ingress/shop/web until 2027-01-01: the CDN',
      'protected-rbac/* for ClusterRole/x in cluster prod until 2026-11-21: not here',
    ],
    'Excepted findings: 1': ['web.yaml:11:13 ingress-tls/host-covered until 2027-01-01: the CDN'],
    'Not inspected: 1': ['chart/x.yaml: it is a template'],
  })
  expect(folded['Existed before this change: 3']?.at(-1)).toMatch(
    /^other\.yaml:12:13 ingress-tls\/host-covered No entry /,
  )
})

describe('room', () => {
  let many: Report
  beforeAll(async () => {
    many = await manyFindings(500)
  })

  const sizes = [1000, 3000, 10_000, 65_535, 300_000]
  test.each(sizes)('%d bytes are not exceeded, and what is left out is said', (bytes) => {
    const markdown = markdownReport(many, room(bytes))
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(bytes)
    const tree = treeOf(markdown)
    for (const cells of rowsOf(tree)) expect(cells).toHaveLength(4)
    const html = valuesOf(tree, 'html')
    expect(html.filter((tag) => tag === '</details>')).toHaveLength(html.length / 2)
    expect(wordsOf(tree)).toContain('ingress-guard found 500 errors and blocks this change.')
    const items = nodesIn(tree).filter(({ type }) => type === 'listItem').length
    const [, left = '0'] = markdown.match(/^(\d+) (?:more )?findings? left out here: see the job summary\.$/m) ?? []
    expect(items + Number(left)).toBe(500)
  })

  test('a full table leaves room for what comes after it', async () => {
    const report = await manyFindings(1)
    const [finding] = report.findings as [Finding]
    const findings = Array.from({ length: 1000 }, (_, index) => ({
      ...finding,
      location: { ...finding.location, path: `d${index}/web.yaml` },
    }))
    const skipped = [{ path: 'x.yaml', reason: 'it is a template' }]
    const full: Report = { ...report, findings, inspected: { ...report.inspected, skipped } }
    const markdown = markdownReport(full, room(65_535))
    expect(Object.keys(foldedIn(markdown))).toEqual([
      'Not inspected: 1',
      'Every finding with its lines: 1000'.replace('1000', '1,000'),
    ])
    expect(markdown).toMatch(/^\d+ more rows left out here: see the job summary\.$/m)
    expect(markdown).toContain('Policies: ')
  })

  test('exceptions that let the change through are written out for fifty objects, and the others are counted', () => {
    const tree = treeOf(markdownReport(many))
    const [yaml = ''] = valuesOf(tree, 'code')
    expect(yaml.match(/^ {2}- rule: /gm)).toHaveLength(50)
    expect(wordsOf(tree).includes('45 more entries: see the log of the job.')).toBe(true)
  })

  test('a megabyte holds 1,000 findings whole', () => {
    const findings = [...many.findings, ...many.findings]
    const markdown = markdownReport({ ...many, findings })
    expect(Buffer.byteLength(markdown)).toBeLessThan(2 ** 20)
    expect(markdown).not.toContain('left out')
  })
})

test('a removal says so where it was', async () => {
  const markdown = markdownReport(await judge({ base: { 'a.yaml': role('system:a') }, head: {} }))
  expect(foldedIn(markdown)['Every finding with its lines: 1']?.[0]).toMatch(
    /^error a\.yaml \(was line 1 at the base\) protected-rbac\/object-kept ClusterRole\/system:a, this change deletes the file/,
  )
})
