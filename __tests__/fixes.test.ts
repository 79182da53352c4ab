import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { structuredPatch } from 'diff'
import type { Patch } from '../src/finding/edited-text'
import type { Finding } from '../src/finding/report'
import { fixableMessages } from '../src/rules/fixes'
import { rules as allRules } from '../src/rules/index'
import { caseOf, judge, judgeWithFixes, readFolder, root, type Texts } from './harness'

const fixtures = path.join(root, '__tests__', 'fixtures')
const rules = readdirSync(fixtures).flatMap((policy) =>
  readdirSync(path.join(fixtures, policy)).map((rule) => `${policy}/${rule}`),
)

/** Every fixture of a rule, as the test of the rules judges it. */
function inputsOf(rule: string) {
  return readdirSync(path.join(fixtures, rule)).map((name) => {
    const full = path.join(fixtures, rule, name)
    const texts = statSync(full).isDirectory() ? readFolder(full) : { [name]: readFileSync(full, 'utf8') }
    return { name, input: caseOf(texts).input }
  })
}

/** The lines of the head that a patch takes away or replaces, apart from those that an edit names. */
function touchedBeside({ path: file, before = '', after }: Patch, findings: readonly Finding[]): string[] {
  const edits = findings.flatMap(({ fix }) => fix?.edits ?? []).filter((edit) => edit.path === file)
  const isNamed = (line: number) => edits.some(({ region }) => region.startLine <= line && line <= region.endLine)
  const { hunks } = structuredPatch(file, file, before, after, '', '', { context: 0 })
  return hunks.flatMap(({ oldStart, lines }) => {
    const taken = lines.filter((line) => line.startsWith('-'))
    return taken.filter((_, index) => !isNamed(oldStart + index))
  })
}

/** The same files with other line ends. */
function withLineEnds<T extends { head: Texts; base?: Texts | undefined }>(input: T, end: string): T {
  const ended = (texts: Texts) =>
    Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, text.replaceAll('\n', end)]))
  return { ...input, head: ended(input.head), ...(input.base && { base: ended(input.base) }) }
}

const fingerprints = (findings: readonly Finding[]) => findings.map(({ fingerprint }) => fingerprint).sort()

describe('with the fixes that hold, their findings are gone, none is new, and no other line is touched', () => {
  const fixed = new Map<string, Set<string>>()

  test.each(rules)('%s', async (rule) => {
    let isOnWindows = false
    for (const { name, input } of inputsOf(rule)) {
      const { report, fixed: head } = await judgeWithFixes(input, rule)
      const solved = report.findings.filter(({ fix }) => fix)
      if (solved.length === 0) {
        expect(report.patches).toEqual([])
        continue
      }
      for (const { rule: id, message } of solved) fixed.set(id, (fixed.get(id) ?? new Set()).add(message))
      const after = await judge({ ...input, head }, rule)
      const left = fingerprints(after.findings.filter(({ status }) => status !== 'resolved'))
      const open = fingerprints(report.findings.filter(({ fix, status }) => !fix && status !== 'resolved'))
      expect([name, left.filter((one) => !open.includes(one))]).toEqual([name, []])
      for (const patch of report.patches ?? []) expect([name, touchedBeside(patch, solved)]).toEqual([name, []])
      if (isOnWindows) continue
      const onWindows = await judgeWithFixes(withLineEnds(input, '\r\n'), rule)
      expect([name, onWindows.fixed]).toEqual([name, withLineEnds({ head }, '\r\n').head])
      isOnWindows = true
    }
  })

  test('these messages have one somewhere', () => {
    const found = [...fixed].sort().map(([rule, messages]) => [rule, [...messages].sort()])
    expect(Object.fromEntries(found)).toEqual(fixableMessages)
  })
})

test('the page names each rule that leaves a message without a fix', () => {
  const page = readFileSync(path.join(root, 'docs', 'fixes.md'), 'utf8')
  const names = [...page.matchAll(/`(?:[a-z-]+\/)?([a-z-]+)`/g)].map(([, name]) => name)
  const unnamed = allRules.filter(({ id, messages, until = {} }) => {
    const open = Object.keys(messages).filter((one) => !fixableMessages[id]?.includes(one) && !(one in until))
    return open.length > 0 && !names.includes(id.split('/')[1])
  })
  expect(unnamed.map(({ id }) => id)).toEqual([])
})
