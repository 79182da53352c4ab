import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { run } from '../src/host/run'
import { compare, type Expectation, root } from './harness'
import './tools'

const folder = path.join(root, 'incidents')

/** `head/apps/web.yaml:12 ingress-tls/host-covered part of the message`, a line for each finding. */
function expectationsOf(incident: string): Expectation[] {
  const lines = readFileSync(path.join(folder, incident, 'expected.txt'), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => {
    const [place = '', rule = '', ...text] = line.split(' ')
    return { place, rule, text: text.join(' ') }
  })
}

/**
 * An outage has other forms: without a chart, for machines that have no helm, or with one that is not in the
 * repository.
 */
const forms = ['raw', 'flux', 'argocd', 'argocd-values', 'applicationset', 'kustomize', 'kustomize-inline']
const cases = readdirSync(folder).flatMap((incident) => [
  incident,
  ...forms.map((form) => path.join(incident, form)).filter((form) => existsSync(path.join(folder, form))),
])

test.each(cases)('outage %s is stopped on its lines, by these findings and no others', async (incident) => {
  const expected = expectationsOf(incident)
  const [base, head] = ['base', 'head'].map((side) => path.join(folder, incident, side))
  const report = await run(
    { repo: '.', base, head, policies: [], all: false, offline: true, today: '2026-11-21' },
    { root },
  )
  expect(compare(expected, report)).toEqual({ unexpected: [], missing: [] })
  expect(expected.length).toBeGreaterThan(0)
  // Values are placed at lines that the change wrote, so that the pull request shows them.
  const placed = report.findings.filter(({ status }) => status === 'introduced').map(({ location }) => location)
  expect(placed.filter(({ precision, changed }) => precision === 'values' && !changed)).toEqual([])
  expect(report.verdict).toBe('fail')
})

test.each(cases)('the page of outage %s names the places', (incident) => {
  const page = readFileSync(path.join(root, 'docs', 'incidents', `${incident.split(path.sep)[0]}.md`), 'utf8')
  expect(page).toMatch(new RegExp(`^# ${incident.split(path.sep)[0]} — `))
  for (const { place } of expectationsOf(incident)) {
    const [file = '', line = ''] = place.replace(/^(?:base|head)\//, '').split(':')
    expect(page).toContain(file)
    expect(page).toMatch(new RegExp(`\\b${line}\\b`))
  }
})
