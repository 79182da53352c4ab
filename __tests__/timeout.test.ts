import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { Budget, type Step } from '../src/budget'
import type { Report } from '../src/finding/report'
import { run } from '../src/host/run'
import { RunThread } from '../src/host/run-thread'
import { jsonReport } from '../src/report/json'
import type { Progress } from '../src/report/unfinished'
import { guard } from './cli/guard'
import { root } from './harness'
import { configMap, role } from './source/objects'
import {
  type Files,
  gitSettings,
  TestRepository,
  temporaryFolder,
  withEnvironment,
  writeFiles,
} from './source/repository'

/** The marks that a program writes when it starts, before it runs forever. */
let marks: string
beforeEach(() => {
  marks = temporaryFolder()
})

/** A program that writes its process id down and waits, with a child that waits too. */
function stuck(name: string): string {
  const file = path.join(temporaryFolder(), name)
  writeFileSync(file, `#!/bin/sh\n[ "$1" = version ] && exit\nsleep 100000 &\necho $$ $! > ${marks}/$$\nwait\n`)
  chmodSync(file, 0o755)
  return file
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(10)
}

const begun = () => readdirSync(marks).filter((name) => readFileSync(path.join(marks, name), 'utf8').endsWith('\n'))
const processes = () => begun().flatMap((name) => readFileSync(path.join(marks, name), 'utf8').trim().split(' '))

function isRunning(process_: string): boolean {
  try {
    const stat = readFileSync(`/proc/${process_}/stat`, 'utf8')
    return !/\) [ZX] /.test(stat)
  } catch {
    return false
  }
}

const chart = (name: string): Files => ({
  [`charts/${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
  [`charts/${name}/templates/a.yaml`]: configMap(name),
  [`charts/${name}/values-prod.yaml`]: 'a: 1\n',
})

/** A change of some files, as two folders. */
function folders(base: Files, head: Files): { base: string; head: string } {
  const sides = { base: temporaryFolder(), head: temporaryFolder() }
  writeFiles(sides.base, base)
  writeFiles(sides.head, { ...base, ...head })
  return sides
}

interface Ending {
  /** Ends the run as this step is about to begin. */
  readonly at?: (step: Step) => boolean
  readonly atVerdict?: boolean
  /** Ends it once this holds. */
  readonly once?: () => boolean
}

/** A run that is ended at a moment, not at a time: slow machines see the same. */
async function ended(options: object, { at, atVerdict, once }: Ending): Promise<Report> {
  const budget: Budget = new Budget(10, (step) => {
    if (at?.(step)) budget.exhaust()
  })
  const progress = ({ judged }: Progress) => {
    if (judged && atVerdict) budget.exhaust()
  }
  const all = {
    repo: '.',
    policies: [],
    all: false,
    offline: true,
    kustomize: '/no/kustomize',
    today: '2026-11-21',
    ...options,
  }
  const running = run(all, { root }, { progress }, budget)
  if (once) {
    await until(once)
    budget.exhaust()
  }
  return running
}

const said = ({ findings }: Report) =>
  findings.map(({ rule, level, location, text }) => `${level} ${rule} ${location.path} ${text}`)

describe('when the time is used up', () => {
  test.each([1, 3])('while %d charts render for ever, the first is named, and all is ended', async (number) => {
    const names = ['a', 'b', 'c'].slice(0, number)
    const before = Object.assign({}, ...names.map(chart))
    const after = Object.assign(
      {},
      ...names.map((name) => ({ [`charts/${name}/templates/a.yaml`]: configMap('other') })),
    )
    const report = await ended({ ...folders(before, after), helm: stuck('helm') }, { once: () => begun().length > 0 })
    expect(report.verdict).toBe('fail')
    expect(report.unfinished).toEqual({
      minutes: 10,
      doing: 'rendering charts/a (charts/a/values-prod.yaml)',
      path: 'charts/a/Chart.yaml',
    })
    expect(said(report)).toEqual([
      'error source/unfinished charts/a/Chart.yaml The time limit of the run (10 minutes) was reached while rendering charts/a (charts/a/values-prod.yaml), so everything after that step was not checked. Find out why it takes so long, or raise `timeout`.',
    ])
    expect(processes().length).toBeGreaterThan(0)
    await until(() => !processes().some(isRunning))
  })

  test.each([
    ['reading b.yaml', 'b.yaml', 2],
    ['comparing the objects of both sides', null, 1],
  ])('while %s, that is named, with what the config makes known', async (doing, file, nth) => {
    const sides = folders(
      { 'a.yaml': configMap('a'), 'b.yaml': configMap('b') },
      {
        'a.yaml': configMap('a', 'z'),
        'b.yaml': configMap('b', 'y'),
        '.github/ingress-guard.yaml': 'format: 1\nfail-on: never\n',
      },
    )
    let left = nth
    const report = await ended(sides, { at: (step) => step.doing === doing && --left === 0 })
    expect(report.unfinished).toEqual({ minutes: 10, doing, path: file })
    expect(report.verdict).toBe('fail')
    expect(said(report).sort()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^error source/unfinished ${file ?? '.github'} .* was reached while ${doing}, so everything after that step was not checked\\. `,
        ),
      ),
      expect.stringMatching(/^notice config\/changed \.github\/ingress-guard\.yaml This change adds the config/),
    ])
    expect(report.policies.length).toBeGreaterThan(0)
  })

  test('while a rule judges, rule and file are named', async () => {
    const sides = folders({ 'rbac.yaml': role('system:node') }, { 'rbac.yaml': configMap('x') })
    let judging = 0
    const report = await ended(sides, { at: ({ doing }) => doing.startsWith('checking ') && ++judging === 2 })
    expect(report.unfinished?.doing).toMatch(/^checking rbac\.yaml with [a-z-]+\/[a-z-]+$/)
    expect(report.unfinished?.path).toBe('rbac.yaml')
    expect(report.verdict).toBe('fail')
  })

  test('while git waits for a remote, it is ended', async () => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': configMap('a') })
    repo.git('remote', 'add', 'origin', 'ssh://example.invalid/shop')
    const env = { ...gitSettings, GIT_ALLOW_PROTOCOL: 'ssh', GIT_SSH: stuck('ssh') }
    const report = await withEnvironment(env, () =>
      ended({ repo: repo.dir, base: '1'.repeat(40), head: 'HEAD' }, { once: () => begun().length > 0 }),
    )
    expect(report.unfinished).toEqual({
      minutes: 10,
      doing: 'looking up the revisions to compare and fetching missing commits',
      path: null,
    })
    expect(said(report)).toEqual([expect.stringContaining('error source/unfinished .github The time limit of the run')])
    await until(() => !processes().some(isRunning))
    expect([report.inspected.base?.revision, report.inspected.head.revision]).toEqual(['1'.repeat(40), 'HEAD'])
  })

  test('while lines are looked for, the verdict holds, and a notice says what is less exact', async () => {
    const template = (name: string) => `${role(name)}`
    const base = { ...chart('web'), 'charts/web/templates/a.yaml': template('system:node') }
    const sides = folders(base, { 'charts/web/templates/a.yaml': template('other') })
    const helm = path.join(root, '.tools', 'bin', 'helm')
    const whole = await run(
      { ...sides, repo: '.', policies: [], all: false, offline: true, helm, today: '2026-11-21' },
      { root },
    )
    const report = await ended({ ...sides, helm }, { atVerdict: true })
    const rules = ({ findings }: Report) =>
      findings.map(({ rule }) => rule).filter((rule) => !rule.startsWith('source/'))
    expect(whole.verdict).toBe('fail')
    expect(rules(report)).toEqual(rules(whole))
    expect([report.verdict, report.unfinished]).toEqual(['fail', undefined])
    expect(said(report).filter((line) => line.includes('source/'))).toEqual([
      expect.stringMatching(/^notice source\/unfinished .* in the search for the lines to change, so some findings/),
    ])
  })

  test('the command line ends with 3 and a report that is sound JSON', async () => {
    const sides = folders({ 'a.yaml': configMap('a') }, { 'a.yaml': configMap('a', 'z') })
    const argv = ['check', '--base', sides.base, '--head', sides.head, '--timeout', '0.0000001']
    const { status, stdout, stderr } = await guard([...argv, '--format', 'json'])
    expect([status, stderr]).toEqual([3, ''])
    expect(JSON.parse(stdout)).toMatchObject({ format: 1, verdict: 'fail', unfinished: { minutes: 0.0000001 } })
    for (const format of ['terminal', 'markdown', 'github', 'sarif']) {
      const other = await guard([...argv, '--format', format])
      expect(other.status).toBe(3)
      expect(other.stdout).toContain('was reached while')
    }
  })

  test.each(['0', '-1', 'ten', '1e3', 'Infinity', ''])('a time of %j is refused', async (given) => {
    expect(await guard(['check', `--timeout=${given}`])).toEqual({
      status: 2,
      stdout: '',
      stderr: `ingress-guard could not run: --timeout must be a number of minutes above 0, not ${JSON.stringify(given)}.\n`,
    })
  })
})

describe('a thread that never pauses', () => {
  /** A program that says how far it is and is then stuck for good, as a rule on a gigantic object would be. */
  function stuckThread(progress: Progress, folder: string): string {
    const file = path.join(temporaryFolder(), 'thread.cjs')
    const child = `const child = require('node:child_process').spawn('sleep', ['100000'], { detached: true, stdio: 'ignore' })`
    writeFileSync(
      file,
      `const { parentPort } = require('node:worker_threads')
      const { writeFileSync } = require('node:fs')
      const step = Buffer.from('judging big.yaml by a/rule\\0big.yaml')
      ${child}
      parentPort.once('message', (start) => {
      new Uint8Array(start.step, 4).set(step)
      Atomics.store(new Int32Array(start.step, 0, 1), 0, step.length)
      parentPort.postMessage({ progress: ${JSON.stringify(progress)} })
      parentPort.postMessage({ kept: { group: child.pid } })
      parentPort.postMessage({ kept: { folder: ${JSON.stringify(folder)} } })
      writeFileSync(${JSON.stringify(path.join(marks, 'thread'))}, child.pid + '\\n')
      for (;;);
      })`,
    )
    return file
  }

  test.each([false, true])('is ended by the one that keeps the time, verdict known: %s', async (judged) => {
    const sides = folders({ 'a.yaml': configMap('a') }, { 'a.yaml': configMap('a', 'z') })
    const options = { repo: '.', policies: [], all: false, offline: true, ...sides, today: '2026-11-21' }
    const soFar = await run(options, { root })
    const folder = path.join(temporaryFolder(), 'private')
    mkdirSync(folder)
    const before = process.listeners('exit').length
    const apart = new RunThread(stuckThread({ report: soFar, judged }, folder), undefined, () =>
      until(() => begun().length > 0),
    )
    const report = await apart.run({ ...options, timeout: 4 }, { root })
    expect(said(report)).toEqual([
      judged
        ? 'notice source/unfinished big.yaml The time limit of the run (4 minutes) was reached while judging big.yaml by a/rule, in the search for the lines to change, so some findings are shown where they were found and not at the line to change. Raise `timeout` to find those lines.'
        : 'error source/unfinished big.yaml The time limit of the run (4 minutes) was reached while judging big.yaml by a/rule, so everything after that step was not checked. Find out why it takes so long, or raise `timeout`.',
    ])
    expect([report.verdict, jsonReport(report).unfinished]).toEqual(
      judged ? ['pass', undefined] : ['fail', { minutes: 4, doing: 'judging big.yaml by a/rule', path: 'big.yaml' }],
    )
    await until(() => !existsSync(folder) && !processes().some(isRunning))
    expect(process.listeners('exit').length).toBe(before)
  })

  test('that breaks off is an error with what it was doing', async () => {
    const file = path.join(temporaryFolder(), 'thread.cjs')
    writeFileSync(file, 'process.exit(0)')
    const options = { repo: '.', policies: [], all: false, offline: true }
    await expect(new RunThread(file).run(options, { root })).rejects.toThrow(
      'The run stopped unexpectedly while starting.',
    )
  })
})
