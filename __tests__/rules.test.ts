import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { Report } from '../src/finding/report'
import type { ReportJson } from '../src/report/report-schema'
import { rules } from '../src/rules/index'
import { checkOpened } from './cli/guard'
import {
  type Case,
  caseOf,
  compare,
  type Expectation,
  judge as judgeAsWritten,
  newestVersions,
  readFolder,
  root,
} from './harness'
import { opened } from './source/in-memory'
import { toolsOf } from './source/rendered'

const agreement = { unexpected: [], missing: [] }

type Judged = Report | ReportJson

/** Variables are filled in, charts inflated and names hashed once kustomize has built the files; other cases need no tool. */
function judge(input: Case, id: string): Promise<Judged> {
  const isBuilt = Object.values(input.head).some((text) =>
    /postBuild:|^(?:helmCharts|secretGenerator):|{{ \.Release\.Name }}/m.test(text),
  )
  if (!isBuilt) return judgeAsWritten(input, id)
  return checkOpened(opened(input.base ?? {}, input.head), ...toolsOf(), '--policy', ...newestVersions)
}

/** The cases of a rule: each file of its folder, and each folder in it. */
function fixturesOf(id: string): [name: string, texts: Record<string, string>][] {
  const folder = path.join(root, '__tests__', 'fixtures', id)
  return readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const full = path.join(folder, entry.name)
    return [entry.name, entry.isDirectory() ? readFolder(full) : { [entry.name]: readFileSync(full, 'utf8') }]
  })
}

/** The examples of a page under a heading: its `yaml` blocks, those below one `###` heading together. */
function examplesOf(page: string, heading: string): Record<string, string>[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const chunks = section.split(/^### /m)
  return chunks.flatMap((chunk) => {
    const blocks = [...chunk.matchAll(/(?:^`([^`\n]+)`:\n+)?^```yaml\n(.*?)^```$/gms)]
    const named = blocks.filter((block) => block[1])
    if (named.length > 0) return [Object.fromEntries(named.map((block) => [block[1], block[2] ?? '']))]
    return blocks.map((block) => ({ 'example.yaml': block[2] ?? '' }))
  })
}

/** The content of a case, with any name of its single file. */
function contentOf(texts: Record<string, string>): string {
  const files = Object.entries(texts)
  return files.length === 1 ? Object.values(texts).join('') : JSON.stringify(files)
}

test('the rules are sorted, and each id is the path of its file', () => {
  const ids = rules.map(({ id }) => id)
  expect(ids).toEqual([...ids].sort())
  for (const id of ids) expect(existsSync(path.join(root, 'src', 'rules', `${id}.ts`))).toBe(true)
  const files = Object.keys(readFolder(path.join(root, 'src', 'rules'))).filter((file) => file.includes('/'))
  expect(files.map((file) => file.replace(/\.ts$/, '')).sort()).toEqual(ids)
})

/** What only charts that are rendered show: tests with the real tool hold these messages. */
const onlyOfRendered: ReadonlySet<string> = new Set([
  'controller-scope/deployer-single itself',
  'controller-scope/values-read ignored',
  'ingress-tls/ingress-accepted untyped',
])

describe.each(rules.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  const page = readFileSync(path.join(root, 'docs', 'rules', `${id}.md`), 'utf8')
  const fixtures = fixturesOf(id)
  const judged = new Map<string, Promise<Judged>>()
  /** Each fixture is judged once, for all that is asked of it. */
  const reportOf = (name: string, input: Case) => {
    const report = judged.get(name) ?? judge(input, id)
    judged.set(name, report)
    return report
  }
  const own = (expected: readonly Expectation[]) => expected.filter((expectation) => expectation.rule === id)

  const alike = new Set(fixtures.map(([, texts]) => contentOf(texts)))
  /** The examples of the page that are no fixtures themselves, which would be judged twice. */
  const further = (heading: string) => examplesOf(page, heading).filter((texts) => !alike.has(contentOf(texts)))

  test.each(fixtures)('%s', async (name, texts) => {
    const { input, expected } = caseOf(texts)
    expect(compare(expected, await reportOf(name, input), id)).toEqual(agreement)
  })

  test('fires in some fixtures and is silent in others', () => {
    const firing = fixtures.filter(([, texts]) => own(caseOf(texts).expected).length > 0)
    expect(firing.length).toBeGreaterThan(0)
    expect(firing.length).toBeLessThan(fixtures.length)
  })

  test('has a fixture for each of its messages', async () => {
    const seen = new Set<string>()
    for (const [name, texts] of fixtures) {
      const { input, expected } = caseOf(texts)
      const report = await reportOf(name, input)
      // Messages that a red fixture lacks are not reported twice.
      if (compare(expected, report, id).missing.length > 0) return
      for (const { message, rule: found } of report.findings) if (found === id) seen.add(message)
    }
    const others = Object.keys(rule.messages).filter((message) => !onlyOfRendered.has(`${id} ${message}`))
    expect([...seen].sort()).toEqual(others.sort())
  })

  test('its summary is a sentence, and its page shows examples that fail and that pass', () => {
    expect(rule.summary).toMatch(/^[A-Z].*\.$/)
    expect(page).toMatch(new RegExp(`^# ${id}\n`))
    const expectedOf = (heading: string) => examplesOf(page, heading).map((texts) => caseOf(texts).expected)
    expect(expectedOf('Fails').map((expected) => own(expected).length > 0)).toContain(true)
    expect(expectedOf('Fails').map((expected) => own(expected).length > 0)).not.toContain(false)
    expect(expectedOf('Passes').length).toBeGreaterThan(0)
    expect(expectedOf('Passes').flat()).toEqual([])
  })

  for (const [index, texts] of further('Fails').entries()) {
    test(`failing example ${index + 1} of its page`, async () => {
      const { input, expected } = caseOf(texts)
      expect(compare(expected, await judge(input, id), id)).toEqual(agreement)
    })
  }

  for (const [index, texts] of further('Passes').entries()) {
    test(`passing example ${index + 1} of its page`, async () => {
      expect(compare([], await judge(caseOf(texts).input, id), id)).toEqual(agreement)
    })
  }
})
