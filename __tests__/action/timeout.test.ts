import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from '../harness'
import { configMap } from '../source/objects'
import { type Files, temporaryFolder } from '../source/repository'
import { act, Remote } from './checkout'

/** Three loops in one another: no machine is through with them in a day. */
const forever = '{{ range until 30000 }}{{ range until 30000 }}{{ range until 30000 }}{{ end }}{{ end }}{{ end }}'
const names = ['api', 'web']
const charts: Files = Object.fromEntries(
  names.flatMap((name) => [
    [`charts/${name}/Chart.yaml`, `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`],
    [`charts/${name}/templates/a.yaml`, configMap(name)],
  ]),
)
const looping = Object.fromEntries(names.map((name) => [`charts/${name}/templates/a.yaml`, configMap(name) + forever]))
const remote = new Remote(charts, looping)
const helm = path.join(root, '.tools', 'bin', 'helm')

/** The machine decides how far a run gets in its time; that it ends, and how, does not depend on it. */
const words =
  /The time limit of the run \(`?[\d.]+`? minutes\) was reached while .+, so everything after that step was not checked\. Find out why it takes so long, or raise `?timeout`?\./

// The first time limit ends before a thread can have started at all, by the clock of the waiting thread.
test.each(['0.00001', '0.05'])('after %s minutes the Action delivers what there is, and fails', (timeout) => {
  const tmp = temporaryFolder()
  const checkout = remote.checkout({ depth: 2 })
  const outcome = act(checkout, { event: remote.pullRequest(), inputs: { timeout, helm }, env: { TMPDIR: tmp } })
  expect(outcome.status).toBe(1)
  expect(outcome.outputs).toMatchObject({ verdict: 'fail', findings: '1', errors: '1', warnings: '0' })
  expect(outcome.summary.replaceAll('\\', '')).toMatch(words)
  expect(outcome.log).toMatch(words)
  expect(outcome.log).not.toMatch(/^\s+at .*[:(]/m)
  expect(outcome.commands[0]).toMatch(/^::error title=source\/unfinished,file=.*::The time limit of the run \(/)
  const report = JSON.parse(readFileSync(outcome.outputs.report ?? '', 'utf8'))
  expect(report).toMatchObject({ verdict: 'fail', unfinished: { minutes: Number(timeout) } })
  expect(readdirSync(tmp)).toEqual([])
})

test.each(['0.00001', '0.05'])('after %s minutes the command line ends with 3 and its report', (timeout) => {
  const tmp = temporaryFolder()
  const { dir } = remote.checkout({ depth: 2 })
  const argv = ['check', '--base', 'HEAD^', '--head', 'HEAD', '--helm', helm, '--timeout', timeout, '--format', 'json']
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'dist', 'cli.cjs'), ...argv], {
    cwd: dir,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TMPDIR: tmp },
  })
  expect([status, stderr]).toEqual([3, ''])
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ verdict: 'fail', unfinished: { minutes: Number(timeout) } })
  expect(report.findings).toEqual([
    expect.objectContaining({ rule: 'source/unfinished', level: 'error', text: expect.stringMatching(words) }),
  ])
  expect(existsSync(tmp) && readdirSync(tmp)).toEqual([])
})

test('a time that is none is refused by the name of the input', () => {
  const outcome = act(remote.checkout(), { event: remote.pullRequest(), inputs: { timeout: '10m' } })
  expect(outcome.commands).toEqual([
    '::error::ingress-guard could not run: The input timeout must be a number of minutes above 0, not "10m".',
  ])
  expect(outcome.status).toBe(1)
})
