import { afterAll, describe, expect, test } from '@jest/globals'
import { operationIds } from '../github/description'
import { faults, GitHubServer } from '../github/server'
import { ingress } from '../source/objects'
import { actMeanwhile, type Outcome, Remote } from './checkout'

const hosts = Array.from({ length: 60 }, (_, index) => `h${String(index).padStart(2, '0')}.example.com`)
const sound = ingress('web', ['a.example.com'], ['a.example.com'])
/** 60 findings: two requests carry their annotations. */
const stopped = new Remote({ 'web.yaml': sound }, { 'web.yaml': ingress('web', ['a.example.com'], hosts) })
const passed = new Remote({ 'web.yaml': sound }, { 'more.yaml': ingress('more', ['b.example.com'], ['b.example.com']) })
const mark = '<!-- ingress-guard: ingress-guard%20findings -->\n'

/** Which carrier an operation is for. */
const carrierOf = (operation: string) => (operation.startsWith('checks/') ? 'check run' : 'comment')

interface Trial {
  readonly outcome: Outcome
  readonly github: GitHubServer
  readonly seconds: number
}

/** One run in which an operation has a fault. */
async function trial(remote: Remote, operation: string, fault: string, times: number): Promise<Trial> {
  const github = await GitHubServer.start()
  // What is only asked after an answer was lost, and what is only written where a comment is.
  if (operation === 'checks/get') github.faults.push({ operation: 'checks/update', fault: 'cut', times: 1 })
  if (operation === 'issues/update-comment') github.comment(`${mark}old`, 'github-actions[bot]', 'Bot', 'NONE')
  github.faults.push({ operation, fault, times })
  const begun = Date.now()
  const outcome = await actMeanwhile(remote.checkout(), {
    event: remote.pullRequest(),
    inputs: { annotations: 'auto', comment: 'always' },
    env: { GITHUB_API_URL: github.url },
  })
  github.stop()
  expect(github.refused).toEqual([])
  return { outcome, github, seconds: (Date.now() - begun) / 1000 }
}

/** Many at a time: most of them wait. */
async function each<T>(cases: readonly T[], judge: (one: T) => Promise<void>): Promise<void> {
  const left = [...cases]
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) await judge(one)
    }),
  )
}

const warnings = ({ commands }: Outcome) => commands.filter((command) => /^::(?:notice|warning)::/.test(command))
const annotating = ({ commands }: Outcome) => commands.filter((command) => command.includes(' title='))
const counted = ({ outputs: { report: _, ...outputs } }: Outcome) => outputs
const log: string[] = []
afterAll(() => console.log(log.join('\n')))

describe.each(operationIds)('%s', (operation) => {
  test('fails for good: the verdict stands, its carrier is dropped with one remark, and few requests are made', async () => {
    await each(faults, async (fault) => {
      const { outcome, github, seconds } = await trial(stopped, operation, fault, Number.POSITIVE_INFINITY)
      const case_ = `${operation} ${fault}`
      log.push(`${case_} ${seconds.toFixed(1)}s ${github.operations.length} ${warnings(outcome).join(' | ')}`)
      expect([case_, outcome.status, counted(outcome)]).toEqual([
        case_,
        1,
        { verdict: 'fail', findings: '60', errors: '60', warnings: '0' },
      ])
      expect(outcome.summary).toContain('ingress-guard found 60 errors and stops this.')
    })
  }, 300_000)
})
