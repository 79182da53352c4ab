import { beforeAll, describe, expect, test } from '@jest/globals'
import { operationIds } from '../github/description'
import { faults, GitHubServer } from '../github/server'
import { ingress } from '../source/objects'
import { actMeanwhile, type Outcome, Remote } from './checkout'

const hosts = Array.from({ length: 60 }, (_, index) => `h${String(index).padStart(2, '0')}.example.com`)
const sound = ingress('web', ['a.example.com'], ['a.example.com'])
/** 60 findings: two requests carry their annotations. */
const stopped = new Remote({ 'web.yaml': sound }, { 'web.yaml': ingress('web', ['a.example.com'], hosts) })
const passed = new Remote({ 'web.yaml': sound }, { 'more.yaml': ingress('more', ['b.example.com'], ['b.example.com']) })
/** With its base, so that no run fetches it. */
const checkouts = new Map([stopped, passed].map((remote) => [remote, remote.checkout({ depth: 2 })]))

/** These pass: what meets them once is asked again. */
const passing = ['429', '500-late', 'cut-late', 'cut-inside']

interface Case {
  readonly remote: Remote
  readonly operation: string
  readonly fault: string
  readonly times: number
}

interface Trial extends Case {
  readonly outcome: Outcome
  readonly github: GitHubServer
  readonly seconds: number
}

const cases = (remote: Remote, those: readonly string[], times: number): Case[] =>
  those.flatMap((fault) => operationIds.map((operation) => ({ remote, operation, fault, times })))

const trials: Trial[] = []

beforeAll(async () => {
  // Those that take longest first, and many at a time: most of them wait.
  const left = [
    ...cases(stopped, [...faults].reverse(), Number.POSITIVE_INFINITY),
    ...cases(stopped, passing, 1),
    ...cases(passed, ['403', '500'], Number.POSITIVE_INFINITY),
  ]
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) trials.push(await tried(next))
  }
  await Promise.all(Array.from({ length: 14 }, work))
}, 600_000)

/** One run in which an operation meets a fault. */
async function tried(one: Case): Promise<Trial> {
  const { remote, operation, fault, times } = one
  const github = await GitHubServer.start()
  // What is asked only after an answer was lost, and what is written only where a comment stands.
  if (operation === 'checks/get') github.faults.push({ operation: 'checks/update', fault: 'cut', times: 1 })
  if (operation === 'issues/update-comment')
    github.comment('<!-- ingress-guard: ingress-guard%20findings -->\nold', 'github-actions[bot]', 'Bot', 'NONE')
  github.faults.push({ operation, fault, times })
  const begun = Date.now()
  const outcome = await actMeanwhile(checkouts.get(remote) ?? remote.checkout(), {
    event: remote.pullRequest(),
    inputs: { annotations: 'auto', comment: 'always' },
    env: { GITHUB_API_URL: github.url },
  })
  github.stop()
  return { ...one, outcome, github, seconds: (Date.now() - begun) / 1000 }
}

/** What is left of a trial to compare: a failing one shows which it was. */
function toldBy({ operation, fault, outcome, github }: Trial) {
  const { report: _, ...outputs } = outcome.outputs
  const annotations = github.checkRuns.flatMap((run) => run.annotations.map(({ message }) => message))
  return {
    case: `${operation} ${fault}`,
    status: outcome.status,
    outputs,
    refused: github.refused,
    checkRuns: github.checkRuns.length,
    comments: github.comments.length,
    annotations: annotations.length,
    twice: annotations.length - new Set(annotations).size,
    commands: outcome.commands.filter((command) => command.includes(' title=')).length,
    remarks: outcome.commands.filter((command) => /^::(?:notice|warning)::/.test(command)),
  }
}

const verdict = {
  status: 1,
  outputs: { verdict: 'fail', findings: '60', errors: '60', warnings: '0' },
  refused: [],
  twice: 0,
}

describe.each(operationIds)('%s', (operation) => {
  const ofThis = (remote: Remote, times: number) =>
    trials.filter((one) => one.remote === remote && one.operation === operation && one.times === times)
  const isOfCheckRun = operation.startsWith('checks/')
  const carrier = isOfCheckRun ? 'check run' : 'comment'

  test('fails for good: the verdict stands, one remark says what is not carried, and the rest is', () => {
    const found = ofThis(stopped, Number.POSITIVE_INFINITY)
    expect(found.map(({ fault }) => fault).sort()).toEqual([...faults].sort())
    for (const one of found) {
      const { fault, outcome } = one
      const told = toldBy(one)
      // A write that was obeyed is found when its answer is missing.
      const isFound = /-late$/.test(fault) && /create|checks\/update/.test(operation)
      const level = isOfCheckRun && fault === '403' && told.annotations === 0 ? 'notice' : 'warning'
      expect(told).toEqual({
        case: told.case,
        ...verdict,
        checkRuns: told.annotations > 0 ? 1 : 0,
        comments: isOfCheckRun || operation === 'issues/update-comment' || isFound ? 1 : 0,
        annotations: !isOfCheckRun || isFound ? 60 : /update|get$/.test(operation) ? 50 : 0,
        // Never both.
        commands: told.annotations > 0 ? 0 : 10,
        remarks: isFound ? [] : [expect.stringMatching(new RegExp(`^::${level}::The .*${carrier}`))],
      })
      expect(outcome.summary).toContain('ingress-guard found 60 errors and stops this.')
      for (const remark of told.remarks) expect(outcome.summary).toContain(remark.match(/::(The \w+ \w+ )/)?.[1])
    }
  })

  test('fails for good: requests and time have bounds', () => {
    for (const { fault, github, seconds } of ofThis(stopped, Number.POSITIVE_INFINITY)) {
      const faulted = github.made.filter((made) => made.faulted).length
      const isHopeless = /^(?:40.|422|429-long|secondary-unnamed|spent)$/.test(fault)
      expect(`${fault} ${faulted <= (isHopeless ? (operation === 'checks/get' ? 2 : 1) : 4)}`).toBe(`${fault} true`)
      expect(`${fault} ${github.made.length <= 12} ${seconds < 90}`).toBe(`${fault} true true`)
    }
  })

  test('fails for a moment: everything is carried, once', () => {
    const found = ofThis(stopped, 1)
    expect(found.map(({ fault }) => fault).sort()).toEqual([...passing].sort())
    for (const one of found) {
      const told = toldBy(one)
      const all = { checkRuns: 1, comments: 1, annotations: 60, commands: 0, remarks: [] }
      expect(told).toEqual({ case: told.case, ...verdict, ...all })
    }
  })

  test('what passes, passes without it', () => {
    for (const one of ofThis(passed, Number.POSITIVE_INFINITY)) {
      expect(toldBy(one)).toMatchObject({
        status: 0,
        outputs: { verdict: 'pass', findings: '0', errors: '0', warnings: '0' },
        refused: [],
        commands: 0,
      })
    }
  })
})
