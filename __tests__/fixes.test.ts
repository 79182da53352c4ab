import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { applied } from './applied'
import { judge, readFolder, root, type Texts } from './harness'

const fixtures = path.join(root, '__tests__', 'fixtures')

/** The cases of one revision; a change's head is judged whole. */
const cases = ['ingress-tls', 'protected-rbac'].flatMap((policy) =>
  readdirSync(path.join(fixtures, policy)).flatMap((rule) =>
    readdirSync(path.join(fixtures, policy, rule)).map((name): [rule: string, name: string, texts: Texts] => {
      const full = path.join(fixtures, policy, rule, name)
      if (!statSync(full).isDirectory()) return [`${policy}/${rule}`, name, { [name]: readFileSync(full, 'utf8') }]
      const head = path.join(full, 'head')
      return [`${policy}/${rule}`, name, readFolder(readdirSync(full).includes('head') ? head : full)]
    }),
  ),
)

describe('a fix takes its finding away and brings no other', () => {
  const fixed = new Map<string, number>()

  test.each(cases)('%s/%s', async (id, _, texts) => {
    const before = await judge({ head: texts }, id)
    const known = before.findings.map(({ fingerprint }) => fingerprint)
    for (const finding of before.findings) {
      if (!finding.fix) continue
      const message = `${id.replace(/.*\//, '')} ${finding.message}`
      fixed.set(message, (fixed.get(message) ?? 0) + 1)
      const after = await judge({ head: applied(texts, finding.fix) }, id)
      const left = after.findings.map(({ fingerprint }) => fingerprint)
      // One name in two places is two findings of one fingerprint.
      const count = (all: readonly string[]) => all.filter((one) => one === finding.fingerprint).length
      expect(count(left)).toBe(count(known) - 1)
      expect(left.filter((one) => !known.includes(one))).toEqual([])
    }
  })

  test('these messages have one somewhere', () => {
    expect([...fixed.keys()].sort()).toEqual([
      'host-covered redirect',
      'host-covered uncovered',
      'host-covered unlisted',
      'host-valid host',
      'secret-agrees hidden',
      'secret-agrees unfit',
      'webhook-scope namespaces',
    ])
  })
})
