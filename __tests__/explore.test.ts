import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from '@jest/globals'
import { structuredPatch, formatPatch } from 'diff'
import { rules } from '../src/rules/index'
import { caseOf, judge, judgeWithFixes, readFolder, root } from './harness'

test.each(rules.map(({ id }) => id))('%s', async (id) => {
  const folder = path.join(root, '__tests__', 'fixtures', id)
  for (const name of readdirSync(folder)) {
    const full = path.join(folder, name)
    const texts = statSync(full).isDirectory() ? readFolder(full) : { [name]: readFileSync(full, 'utf8') }
    const { input } = caseOf(texts)
    const { report, fixed } = await judgeWithFixes(input, id)
    for (const f of report.findings.filter((one) => report.mode === 'all' || one.status === 'introduced'))
      appendFileSync('/tmp/w/explore.jsonl', JSON.stringify({ id, name, message: f.message, fix: f.fix !== undefined, rule: f.rule, side: f.location.side, mode: report.mode, text: f.text }) + '\n')
    for (const { path: file, before, after } of report.patches ?? [])
      appendFileSync('/tmp/w/explore.diff', `### ${id}/${name} ${file}\n` + (report.findings.filter(f=>f.fix).map(f=>f.text).join('\n')+'\n') + formatPatch(structuredPatch(file, file, before ?? '', after, '', '', { context: 2 })))
    if ((report.patches ?? []).length > 0) {
      const after = await judge({ ...input, head: fixed }, id)
      for (const f of after.findings.filter((one) => !report.findings.some((o) => o.fingerprint === one.fingerprint)))
        appendFileSync('/tmp/w/explore.jsonl', JSON.stringify({ NEW: true, id, name, message: f.message, text: f.text }) + '\n')
    }
  }
}, 600000)
