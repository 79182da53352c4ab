import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { applied } from '../applied'
import { caseOf, judge, readFolder, root } from '../harness'

const ids = ['permissions-kept', 'reconciliation-kept', 'subjects-kept'].map((name) => `protected-rbac/${name}`)
const cases = ids.flatMap((id) => {
  const folder = path.join(root, '__tests__', 'fixtures', id)
  return readdirSync(folder).map((name): [string, string] => [id, name])
})

describe('a fix of a role or binding takes its finding away and brings no other', () => {
  const fixed = new Set<string>()

  test.each(cases)('%s %s', async (id, name) => {
    const { input } = caseOf(readFolder(path.join(root, '__tests__', 'fixtures', id, name)))
    const before = await judge(input, id)
    for (const finding of before.findings) {
      if (!finding.fix) continue
      fixed.add(`${id.split('/')[1]} ${finding.message}`)
      const after = await judge({ ...input, head: applied(input.head, finding.fix) }, id)
      const left = before.findings.filter(({ fingerprint }) => fingerprint !== finding.fingerprint)
      expect(after.findings.map(({ text }) => text)).toEqual(left.map(({ text }) => text))
    }
  })

  test('these messages have one somewhere', () => {
    expect([...fixed].sort()).toEqual([
      'permissions-kept lacking',
      'permissions-kept lost',
      'permissions-kept shrunk',
      'reconciliation-kept autoupdate',
      'subjects-kept lacking',
      'subjects-kept lost',
      'subjects-kept person',
    ])
  })
})
