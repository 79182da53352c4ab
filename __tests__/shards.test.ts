import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { mergedReport, type NamedShard } from '../src/engine/merge'
import type { Report } from '../src/finding/report'
import { jsonReport } from '../src/report/json'
import { type Case, caseOf, judge, judgeInShards, readFolder, root, type Texts } from './harness'

const incidents = readdirSync(path.join(root, 'incidents')).map((id) => readFolder(path.join(root, 'incidents', id)))
const fixtures = readdirSync(path.join(root, '__tests__/fixtures'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory() && path.relative(root, entry.parentPath).split(path.sep).length === 4)
  .map((entry) => readFolder(path.join(entry.parentPath, entry.name)))
/** The changes of incidents and of fixtures, without their configs. */
const changes = [...incidents, ...fixtures].flatMap((texts) => {
  const { input } = caseOf(texts)
  return input.base ? [{ base: input.base, head: input.head }] : []
})

async function inOne(input: Case): Promise<Report> {
  return mergedReport((await judgeInShards(input)) as [NamedShard, ...NamedShard[]])
}

/** A coverage is found out for a revision as a whole. */
function comparable(report: Report) {
  const { inspected, ...json } = jsonReport(report)
  const { coverage: _, ...rest } = inspected
  return { ...json, inspected: rest, claims: report.claims }
}

function below(folder: string, texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).map(([file, text]) => [`${folder}${file}`, text]))
}

const homes = [
  '',
  'clusters/a/',
  'clusters/b/',
  'clusters/b/east/',
  'clusters/b/west/',
  'team/overlays/prod/',
  'declared/',
  'shop/eu/',
  'shop/us/',
]
const guard = 'format: 1\nclusters:\n  named: {paths: ["declared/**"]}\n'

describe('the reports of all shards are the report of one run', () => {
  test('for changes in several clusters', async () => {
    expect(changes.length).toBeGreaterThan(100)
    const change = fc.record({
      change: fc.constantFrom(...changes),
      home: fc.constantFrom(...homes),
      head: fc.constantFrom(...homes, undefined, undefined, undefined),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (parts) => {
        const side = (of: 'base' | 'head') =>
          Object.assign(
            {},
            ...parts.map((one) => below(of === 'head' ? (one.head ?? one.home) : one.home, one.change[of])),
          )
        const input = { base: side('base'), head: side('head'), guard }
        expect(comparable(await inOne(input))).toEqual(comparable(await judge(input)))
      }),
      { numRuns: Number(process.env.SHARD_RUNS ?? 40), seed: Number(process.env.SHARD_SEED ?? 1) },
    )
  })
})
