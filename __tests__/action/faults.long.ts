import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Delivery, deliver } from '../../src/action/deliver'
import type { Report } from '../../src/finding/report'
import { operationIds as described } from '../github/description'
import { faults, GitHubServer } from '../github/server'
import { judge } from '../harness'
import { ingress } from '../source/objects'
import { actMeanwhile, Remote } from './checkout'

const hosts = Array.from({ length: 60 }, (_, index) => `h${String(index).padStart(2, '0')}.example.com`)
const sound = { 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) }
/** 60 findings: two requests carry their annotations. */
const holed = { 'web.yaml': ingress('web', ['a.example.com'], hosts) }
/** Those of the check run and the comment. */
const operationIds = described.filter((operation) => !operation.startsWith('pulls/'))
const delivery: Delivery = {
  annotations: 'auto',
  comment: 'always',
  suggestions: false,
  checkName: 'ingress-guard findings',
  token: 'ghs_token',
}

/** These pass: what meets them once is asked again. */
const passing = ['429', '500', '500-late', 'cut', 'cut-late', 'cut-inside', 'no-json', 'secondary']
const forGood = Number.POSITIVE_INFINITY

const servers: GitHubServer[] = []
afterAll(() => {
  for (const server of servers) server.stop()
})

/** A GitHub on which an operation meets a fault so many times. */
async function gitHubWith(operation: string, fault: string, times: number): Promise<GitHubServer> {
  const github = await GitHubServer.start()
  servers.push(github)
  // A request that is made only after an answer was lost, and one that is made only where a comment exists.
  if (operation === 'checks/get') github.faults.push({ operation: 'checks/update', fault: 'cut', times: 1 })
  if (operation === 'issues/update-comment')
    github.comment('<!-- ingress-guard: ingress-guard%20findings -->\nold', 'github-actions[bot]', 'Bot', 'NONE')
  github.faults.push({ operation, fault, times })
  return github
}

interface Trial {
  readonly operation: string
  readonly fault: string
  readonly times: number
  readonly github: GitHubServer
  readonly delivered: Awaited<ReturnType<typeof deliver>>
}

let report: Report
const trials: Trial[] = []

async function tried(operation: string, fault: string, times: number): Promise<Trial> {
  const github = await gitHubWith(operation, fault, times)
  const audience = {
    api: github.url,
    owner: 'acme',
    repo: 'shop',
    sha: 'f'.repeat(40),
    pullRequest: 1,
    readOnly: false,
  }
  const delivered = await deliver(report, delivery, audience)
  return { operation, fault, times, github, delivered }
}

beforeAll(async () => {
  report = await judge({ base: sound, head: holed }, 'ingress-tls/host-covered')
  const kinds = [...faults.map((fault) => [fault, forGood] as const), ...passing.map((fault) => [fault, 1] as const)]
  const left = kinds.flatMap((kind) => operationIds.map((operation) => [operation, ...kind] as const))
  // The silent ones wait for half a minute, so they come first; few at a time, for this process is the GitHub too.
  left.sort(([, one], [, other]) => Number(other === 'silent') - Number(one === 'silent'))
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) trials.push(await tried(...next))
  }
  await Promise.all(Array.from({ length: operationIds.length + 5 }, work))
})

/** The comparable part of a trial, with the trial's name for a failure. */
function deliveredBy({ operation, fault, delivered, github }: Trial) {
  const annotations = github.checkRuns.flatMap((run) => run.annotations.map(({ message }) => message))
  return {
    case: `${operation} ${fault}`,
    refused: github.refused,
    checkRuns: github.checkRuns.length,
    comments: github.comments.length,
    annotations: annotations.length,
    twice: annotations.length - new Set(annotations).size,
    byCommands: delivered.byCommands,
    remarks: delivered.remarks.map(({ level, text }) => `${level}: ${text}`),
  }
}

describe.each(operationIds)('%s', (operation) => {
  const ofThis = (times: number) => trials.filter((one) => one.operation === operation && one.times === times)
  const isOfCheckRun = operation.startsWith('checks/')
  const carrier = isOfCheckRun ? 'check run' : 'comment'

  test('fails for good: one remark says what is not carried, and the rest is', () => {
    const found = ofThis(forGood)
    expect(found.map(({ fault }) => fault).sort()).toEqual([...faults].sort())
    for (const one of found) {
      const delivered = deliveredBy(one)
      // A write that was obeyed is found when its answer is missing.
      const isFound = /-late$/.test(one.fault) && /create|checks\/update/.test(operation)
      const level = isOfCheckRun && one.fault === '403' && delivered.annotations === 0 ? 'notice' : 'warning'
      expect(delivered).toEqual({
        case: delivered.case,
        refused: [],
        checkRuns: delivered.annotations > 0 ? 1 : 0,
        comments: isOfCheckRun || operation === 'issues/update-comment' || isFound ? 1 : 0,
        annotations: !isOfCheckRun || isFound ? 60 : /update|get$/.test(operation) ? 50 : 0,
        twice: 0,
        // Never both.
        byCommands: delivered.annotations === 0,
        remarks: isFound ? [] : [expect.stringMatching(new RegExp(`^${level}: The .*${carrier}`))],
      })
    }
  })

  test('fails for good: requests have bounds', () => {
    for (const { fault, github } of ofThis(forGood)) {
      const faulted = github.made.filter((made) => made.faulted).length
      const isHopeless = /^(?:40.|422|429-long|secondary-unnamed|spent)$/.test(fault)
      expect([fault, faulted]).toEqual([fault, Math.min(faulted, isHopeless ? 2 : 4)])
      expect([fault, github.made.length <= 12]).toEqual([fault, true])
    }
  })

  test('fails for a moment: everything is carried, once', () => {
    const found = ofThis(1)
    expect(found.map(({ fault }) => fault).sort()).toEqual([...passing].sort())
    for (const one of found) {
      const delivered = deliveredBy(one)
      const all = { checkRuns: 1, comments: 1, annotations: 60, twice: 0, byCommands: false, remarks: [] }
      expect(delivered).toEqual({ case: delivered.case, refused: [], ...all })
    }
  })
})

test.each([
  ['checks/create', '403'],
  ['checks/create', '500'],
  ['checks/update', 'cut'],
  ['issues/list-comments', 'no-json'],
  ['issues/create-comment', '422'],
])('the verdict of the job stays the same when %s meets %s', async (operation, fault) => {
  for (const [remote, status, verdict] of [
    [new Remote(sound, holed), 1, 'fail'],
    [new Remote(sound, { 'more.yaml': ingress('more', ['b.example.com'], ['b.example.com']) }), 0, 'pass'],
  ] as const) {
    const github = await gitHubWith(operation, fault, forGood)
    const { annotations, comment } = delivery
    const outcome = await actMeanwhile(remote.checkout({ depth: 2 }), {
      event: remote.pullRequest(),
      inputs: { annotations, comment },
      env: { GITHUB_API_URL: github.url },
    })
    expect(github.refused).toEqual([])
    expect([outcome.status, outcome.outputs.verdict]).toEqual([status, verdict])
    const remarks = outcome.commands.filter((command) => /^::(?:notice|warning)::/.test(command))
    // A check run without annotations is one request, and its want no loss.
    const isUntouched = verdict === 'pass' && (operation === 'checks/update' || fault === '403')
    expect(remarks).toHaveLength(isUntouched ? 0 : 1)
    for (const remark of remarks) expect(outcome.summary).toContain(remark.match(/::(The \w+ \w+ )/)?.[1])
  }
})
