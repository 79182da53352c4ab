import { expect, test } from '@jest/globals'
import { junitReport } from '../../src/report/junit'
import { judge } from '../harness'
import { ingress } from '../source/objects'

const sound = ingress('web', ['a.example.com'], ['a.example.com'])
const uncovered = ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com'])

test('a finding that fails the run is a failure at its place', async () => {
  const report = await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': uncovered } })
  const [finding] = report.findings
  expect(junitReport(report)).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites tests="1" failures="1" errors="0"><testsuite name="ingress-guard" tests="1" failures="1" errors="0">' +
        `<testcase classname="ingress-tls/host-covered" name="web.yaml:12:13" file="web.yaml">` +
        `<failure type="error" message="${finding?.text}">web.yaml:12:13`,
      `${finding?.text}`,
      'Ingress/shop/web</failure></testcase></testsuite></testsuites>',
      '',
    ].join('\n'),
  )
})

test('a finding that does not fail the run is a case that passes', async () => {
  const report = await judge({ base: { 'web.yaml': sound }, head: { 'web.yaml': uncovered } })
  const xml = junitReport({ ...report, failOn: 'never' })
  expect(xml).toContain('<testsuites tests="1" failures="0" errors="0">')
  expect(xml).toContain('<system-out>error web.yaml:')
})

test('a run without findings is one case that passes', async () => {
  const xml = junitReport(await judge({ base: {}, head: {} }))
  expect(xml).toContain('<testcase classname="ingress-guard" name="ingress-guard found nothing."/>')
})

test('a run that did not finish is an error', async () => {
  const report = await judge({ base: {}, head: {} })
  const xml = junitReport({
    ...report,
    verdict: 'fail',
    unfinished: { minutes: 1, doing: 'rendering <x>', path: null },
  })
  expect(xml).toContain('errors="1"')
  expect(xml).toContain('<error message="The time limit was reached while rendering &lt;x&gt;."/>')
})
