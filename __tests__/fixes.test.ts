import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { applied } from './applied'
import { judge, readFolder, root, type Texts } from './harness'

const fixtures = path.join(root, '__tests__', 'fixtures')
const rules = readdirSync(fixtures).flatMap((policy) =>
  readdirSync(path.join(fixtures, policy)).map((rule) => `${policy}/${rule}`),
)

/** The cases of one revision; a change's head is judged whole. */
const cases = rules.flatMap((rule) =>
  readdirSync(path.join(fixtures, rule)).map((name): [rule: string, name: string, texts: Texts] => {
    const full = path.join(fixtures, rule, name)
    if (!statSync(full).isDirectory()) return [rule, name, { [name]: readFileSync(full, 'utf8') }]
    const head = path.join(full, 'head')
    return [rule, name, readFolder(readdirSync(full).includes('head') ? head : full)]
  }),
)

describe('a fix takes its finding away and brings no other', () => {
  const fixed = new Map<string, number>()

  test.each(cases)('%s/%s', async (id, _, texts) => {
    const before = await judge({ head: texts }, id)
    const known = before.findings.map(({ fingerprint }) => fingerprint)
    for (const finding of before.findings) {
      if (!finding.fix) continue
      const message = `${id} ${finding.message}`
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
      'controller-scope/publish-target missing',
      'ingress-tls/host-covered redirect',
      'ingress-tls/host-covered uncovered',
      'ingress-tls/host-covered unlisted',
      'ingress-tls/host-valid host',
      'ingress-tls/secret-agrees unfit',
      'ingress-tls/secret-agrees unnamed',
      'protected-rbac/webhook-scope namespaces',
      'version-matrix/api-served leaving',
      'version-matrix/api-served unserved',
    ])
  })
})
