// More charts of the kind that refused-answers.test.ts tries.
import { describe, expect, test } from '@jest/globals'
import { released as base, change, role } from './probe'
import { conditional, refusing } from './refusing-charts'
import { places } from './rendered'

const kept = 'protected-rbac/object-kept'

describe('a template that fails with an answer hides no other question', () => {
  test.each(refusing.slice(1))('%s', async (_, files) => {
    const found = places(await change(base, files))
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`role\\.yaml:\\d+ \\w+ ${kept}$`)))
  })

  test('in a large file', async () => {
    const files = { 'c/templates/role.yaml': `{{/* ${'x'.repeat(2 * 1024 * 1024)} */}}\n${conditional}` }
    expect(places(await change(base, files))).toContainEqual(expect.stringContaining(kept))
  })

  const many = Array.from(
    { length: 9 },
    (_, n) => `{{ if lookup "v1" "Secret" "x" "y${n}" }}{{ fail "no" }}{{ end }}\n`,
  )

  test('where more questions are refused than are tried alone', async () => {
    const report = await change(base, { 'c/templates/role.yaml': `${many.join('')}${role}` })
    expect(places(report)).toEqual(['head/c/templates/role.yaml:1 exact source/unrendered'])
    expect(report.findings[0]?.text).toBe(
      'After this change, helm cannot render release shop/web of c where lookup finds objects: its objects in such a cluster are unknown, and a condition on the cluster can remove any of them. Helm reports: execution error at (c/templates/role.yaml:1:41): no. Fix that, or write the templates so that they render with each answer to `lookup`, `.Release.Revision`, `.Capabilities` and random functions, or remove the condition that this change adds.',
    )
  })

  test('and it is listed, where that was so before', async () => {
    const before = { ...base, 'c/templates/a.yaml': many.join('') }
    const report = await change(before, { 'c/values.yaml': 'enabled: false\n' })
    expect(report.findings).toEqual([])
    expect(report.inspected.skipped).toEqual([
      {
        path: 'c/values.yaml',
        reason:
          'release shop/web of c does not render where lookup finds objects (templates/a.yaml), so it is judged without that answer',
      },
      {
        path: 'c/values.yaml',
        reason: 'release shop/web of c does not render where lookup finds objects, so it is judged without that answer',
      },
    ])
  })
})
