import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { configMap, ingress, role, stream } from '../source/objects'
import { tool } from '../tools'
import { Remote } from './checkout'
import {
  config,
  counts,
  exception,
  failed,
  firstLine,
  holed,
  judge,
  passed,
  refusal,
  run,
  short,
  sound,
  uncovered,
} from './step'

test('a sound change passes, and so does one that touches no manifest, which is said', () => {
  const remote = new Remote({}, { 'web.yaml': sound })
  const outcome = run(remote.checkout(), { event: remote.pullRequest() })
  expect(outcome).toMatchObject({ status: 0, commands: [] })
  expect(counts(outcome)).toEqual(passed)
  expect(firstLine(outcome)).toBe(
    `ingress-guard found nothing. Inspected ${short(remote.base)} → HEAD (${short(remote.merge)}): 1 added, 0 changed, 0 removed; read 1 object in 1 file. 1 changed file: 1 judged.`,
  )
  const words = new Remote({ 'web.yaml': holed }, { 'README.md': '# our shop\n' })
  const silent = run(words.checkout(), { event: words.pullRequest() })
  expect(silent).toMatchObject({ status: 0, commands: [] })
  expect(counts(silent)).toEqual(passed)
  expect(firstLine(silent)).toBe(
    `ingress-guard found nothing. Nothing was inspected: no object differs in ${short(words.base)} → HEAD (${short(words.merge)}) (2 YAML or JSON files listed). 1 changed file: 1 not Kubernetes.`,
  )
})

test('the time is shown in a group of the log, with names of the change as text, and is no part of the report', () => {
  const chart = { 'web/Chart.yaml': 'name: web\nversion: 1.0.0\n', 'web/templates/web.yaml': sound }
  const folder = 'a\u001b[2J ::error::owned'
  const moved = Object.fromEntries(Object.entries(chart).map(([file, text]) => [`${folder}/${file}`, text]))
  const remote = new Remote({}, moved)
  const outcome = run(remote.checkout(), { event: remote.pullRequest(), inputs: { helm: tool('helm') } })
  const [, group = ''] = outcome.log.match(/^::group::The run took \d+\.\d\d s\.\n([\s\S]*?)^::endgroup::$/m) ?? []
  const [stop = '', parts, slowest, resume] = group.split('\n')
  expect(parts).toMatch(/^reading [\d.]+ s, rendering [\d.]+ s in all, judging [\d.]+ s, locating [\d.]+ s$/)
  expect(slowest).toMatch(/^rendering a\S*\[2J ::error::owned\/web: [\d.]+ s$/)
  expect(resume).toBe(`::${stop.replace('::stop-commands::', '')}::`)
  expect(outcome).toMatchObject({ status: 0, commands: [] })
  expect(JSON.parse(readFileSync(outcome.outputs.report ?? '', 'utf8'))).not.toHaveProperty('timings')
})

test('of more than ten errors the last place says how many are left', () => {
  const hosts = Array.from({ length: 12 }, (_, index) => `h${String(index).padStart(2, '0')}.example.com`)
  const files = hosts.map((host) => [`${host}.yaml`, ingress(host, ['a.example.com'], [host])] as const)
  const outcome = judge({}, Object.fromEntries(files))
  expect(outcome.commands).toEqual([
    ...hosts.slice(0, 9).map((host) => uncovered(`${host}.yaml`, host, 11)),
    '::error title=ingress-guard::3 more errors of ingress-guard: see the job summary.',
  ])
  expect(outcome.log).toContain('ingress-guard found 12 errors and blocks this change.')
  expect(counts(outcome)).toEqual(failed(12))
  for (const host of hosts) expect(outcome.summary).toContain(`\`${host}.yaml:11:13\``)
})

test('an object cut out of a file is shown once, where it was cut, with its line at the base', () => {
  const gone = role('system:node')
  const before = stream(configMap('one'), gone, configMap('two'))
  const outcome = judge({ 'all.yaml': before }, { 'all.yaml': stream(configMap('one'), configMap('two')) })
  const text =
    'This change removes ClusterRole system:node: nodes need it where the Node authorizer is off, and joining nodes are denied first. Restore it; only a restart of a kube-apiserver recreates it.'
  expect(outcome.commands).toEqual([
    `::error title=protected-rbac/object-kept,file=all.yaml,line=7,endLine=7::removed: was line 8 at the base. ${text}`,
    `::error::${firstLine(outcome)}`,
  ])
})

test('a change cannot except itself: the config of the base holds, and the change of it is said', () => {
  const outcome = judge({ 'web.yaml': sound }, { 'web.yaml': holed, [config]: exception('2026-12-31') })
  expect(outcome.status).toBe(1)
  expect(outcome.commands).toEqual([
    uncovered('web.yaml', 'b.example.com'),
    `::notice title=config/changed,file=${config},line=1,endLine=1::This change adds the config of this gate. Its policies, levels, exceptions and ignored files take effect after the merge and were not applied to this run; the releases and clusters that it declares were.`,
    `::error::${firstLine(outcome)}`,
  ])
  expect(counts(outcome)).toEqual({ ...failed(1), findings: '2' })
})

test('an exception of the base lets it pass and is listed, until its day', () => {
  const excepted = judge({ 'web.yaml': sound, [config]: exception('2026-11-21') }, { 'web.yaml': holed })
  expect(excepted).toMatchObject({ status: 0, commands: [] })
  expect(counts(excepted)).toEqual(passed)
  expect(excepted.summary).toContain('Exceptions in force: 1')
  expect(excepted.summary).toMatch(/web\.yaml:12:13.*host-covered.*2026-11-21.*the CDN terminates it/)
  const expired = judge({ 'web.yaml': sound, [config]: exception('2026-11-20') }, { 'web.yaml': holed })
  expect(expired.status).toBe(1)
  expect(expired.commands[0]).toBe(uncovered('web.yaml', 'b.example.com'))
  expect(expired.commands[1]).toMatch(
    /^::warning title=config\/exception-expired,file=\.github\/ingress-guard\.yaml(?:,line=3.*?)?::The exception from /,
  )
})

test('an invalid config of the base stops every change but the one that fixes it', () => {
  const files = { 'web.yaml': sound, [config]: 'format: 1\nfail-on: sometimes\n' }
  expect(refusal(judge(files, { 'web.yaml': holed }))).toMatch(`${config}:2:10: `)
  expect(judge(files, { [config]: 'format: 1\n' }).status).toBe(0)
})
