import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { caseOf, compare, type Expectation, judge, readFolder, root } from './harness'

const folder = path.join(root, '__tests__', 'incidents')

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

describe.each(readdirSync(folder))('outage %s', (incident) => {
  const { 'expected.txt': _, ...texts } = readFolder(path.join(folder, incident))

  test('is stopped on its lines, by these findings and no others', async () => {
    const expected = expectationsOf(incident)
    const report = await judge(caseOf(texts).input)
    expect(compare(expected, report)).toEqual({ unexpected: [], missing: [] })
    expect(expected.length).toBeGreaterThan(0)
    expect(report.verdict).toBe('fail')
  })

  test('its page names the places', () => {
    const page = readFileSync(path.join(root, 'docs', 'incidents', `${incident}.md`), 'utf8')
    expect(page).toMatch(new RegExp(`^# ${incident} — `))
    for (const { place } of expectationsOf(incident)) {
      const [file = '', line = ''] = place.replace(/^(?:base|head)\//, '').split(':')
      expect(page).toContain(file)
      expect(page).toMatch(new RegExp(`\\b${line}\\b`))
    }
  })
})
