import { expect, test } from '@jest/globals'
import { gitlabReport } from '../../src/report/gitlab'
import { judge } from '../harness'
import { ingress, role } from '../source/objects'
import { manyFindings } from './many'

test('each finding that counts is an issue at its line', async () => {
  const report = await judge({
    base: { 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']), 'role.yaml': role('system:old') },
    head: { 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com']) },
  })
  const issues = JSON.parse(gitlabReport(report))
  expect(issues).toEqual([
    {
      description:
        'role.yaml (was line 1 at the base): ' +
        report.findings.find(({ rule }) => rule === 'protected-rbac/object-kept')?.text,
      check_name: 'protected-rbac/object-kept',
      fingerprint: expect.stringMatching(/^[0-9a-f]+:1$/),
      severity: 'critical',
      location: { path: 'role.yaml', lines: { begin: 1 } },
    },
    {
      description: report.findings.find(({ rule }) => rule === 'ingress-tls/host-covered')?.text,
      check_name: 'ingress-tls/host-covered',
      fingerprint: expect.stringMatching(/^[0-9a-f]+:1$/),
      severity: 'critical',
      location: {
        path: 'web.yaml',
        lines: {
          begin: 12,
        },
      },
    },
  ])
})

test('no two issues have one fingerprint, as GitLab would show only the first of them', async () => {
  const issues: { fingerprint: string }[] = JSON.parse(gitlabReport(await manyFindings(200)))
  expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(200)
})

test('a change without findings is an empty list', async () => {
  expect(gitlabReport(await judge({ base: {}, head: {} }))).toBe('[]\n')
})
