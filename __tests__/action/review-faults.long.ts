import { beforeAll, describe, expect, test } from '@jest/globals'
import { deliver } from '../../src/action/deliver'
import type { Report } from '../../src/finding/report'
import { faults, GitHubServer } from '../github/server'
import { judgeWithFixes } from '../harness'
import { ingress } from '../source/objects'
import { patchOf, suggesting } from './patches'
import { holed, sound } from './step'

const fixed = ingress('web', ['a.example.com', 'b.example.com'], ['a.example.com', 'b.example.com'])
/** The requests that write a review, and those that take it back. */
const writing = ['pulls/list-review-comments', 'pulls/list-files', 'pulls/create-review']
const solving = ['graphql', 'pulls/update-review-comment', 'pulls/list-reviews', 'pulls/update-review']
/** Faults after which a request is repeated. */
const passing = ['429', '500', '500-late', 'cut', 'cut-late', 'cut-inside', 'no-json', 'secondary']
const forGood = Number.POSITIVE_INFINITY

/** The state of a pull request after a run. */
interface State {
  readonly remarks: readonly string[]
  readonly reviews: number
  readonly comments: number
  readonly minimized: number
  readonly refused: readonly string[]
}

interface Trial {
  readonly operation: string
  readonly fault: string
  readonly times: number
  readonly faulted: number
  readonly met: State
  /** After another run without a fault. */
  readonly next: State
}

const reports: { holed?: Report; fixed?: Report } = {}
const trials: Trial[] = []

async function stateAfter(github: GitHubServer, report: Report | undefined): Promise<State> {
  if (!report) throw new Error('There is no report.')
  const sha = 'f'.repeat(40)
  const audience = { api: github.url, owner: 'acme', repo: 'shop', sha, pullRequest: 1, readOnly: false }
  const { remarks } = await deliver(report, suggesting, audience)
  return {
    remarks: remarks.map(({ level, text }) => `${level}: ${text}`),
    reviews: github.pullRequest.reviews.length,
    comments: github.pullRequest.comments.length,
    minimized: new Set(github.pullRequest.minimized).size,
    refused: [...github.refused],
  }
}

async function tried(operation: string, fault: string, times: number): Promise<Trial> {
  const github = await GitHubServer.start()
  try {
    github.pullRequest.files = { 'web.yaml': patchOf(sound, holed) }
    const isWriting = writing.includes(operation)
    if (!isWriting) await stateAfter(github, reports.holed)
    const report = isWriting ? reports.holed : reports.fixed
    const meeting = { operation, fault, times }
    github.faults.push(meeting)
    const met = await stateAfter(github, report)
    const faulted = github.made.filter((made) => made.faulted).length
    meeting.times = 0
    return { operation, fault, times, faulted, met, next: await stateAfter(github, report) }
  } finally {
    github.stop()
  }
}

beforeAll(async () => {
  for (const [name, head] of [
    ['holed', holed],
    ['fixed', fixed],
  ] as const)
    reports[name] = (await judgeWithFixes({ base: { 'web.yaml': sound }, head: { 'web.yaml': head } })).report
  const kinds = [...faults.map((fault) => [fault, forGood] as const), ...passing.map((fault) => [fault, 1] as const)]
  const left = kinds.flatMap((kind) => [...writing, ...solving].map((operation) => [operation, ...kind] as const))
  // The silent ones wait for half a minute, so they come first; few at a time, for this process is the GitHub too.
  left.sort(([, one], [, other]) => Number(other === 'silent') - Number(one === 'silent'))
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) trials.push(await tried(...next))
  }
  await Promise.all(Array.from({ length: 12 }, work))
})

/** The pull request once all is carried. */
function carried(operation: string): State {
  return { remarks: [], reviews: 1, comments: 1, minimized: writing.includes(operation) ? 0 : 2, refused: [] }
}

describe.each([...writing, ...solving])('%s', (operation) => {
  const ofThis = (times: number) => trials.filter((one) => one.operation === operation && one.times === times)

  test('fails for good: one remark says what is not carried, and the next run makes up for it', () => {
    expect(
      ofThis(forGood)
        .map(({ fault }) => fault)
        .sort(),
    ).toEqual([...faults].sort())
    for (const { fault, met, next } of ofThis(forGood)) {
      // A review that was made is found when its answer is missing.
      const isFound = operation === 'pulls/create-review' && /-late$/.test(fault)
      const remark = expect.stringMatching(/^warning: The review could not be written \(/)
      expect([fault, met.remarks]).toEqual([fault, isFound ? [] : [remark]])
      expect([fault, next]).toEqual([fault, carried(operation)])
    }
  })

  test('fails for good: requests have bounds', () => {
    for (const { fault, faulted } of ofThis(forGood)) {
      const isHopeless = /^(?:40.|422|429-long|secondary-unnamed|spent)$/.test(fault)
      expect([fault, faulted >= 1, faulted <= (isHopeless ? 1 : 3)]).toEqual([fault, true, true])
    }
  })

  test('fails for a moment: everything is carried, once', () => {
    expect(
      ofThis(1)
        .map(({ fault }) => fault)
        .sort(),
    ).toEqual([...passing].sort())
    for (const { fault, met, next } of ofThis(1)) {
      expect([fault, met]).toEqual([fault, carried(operation)])
      expect([fault, next]).toEqual([fault, carried(operation)])
    }
  })
})
