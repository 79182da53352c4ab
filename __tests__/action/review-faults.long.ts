import { expect, test } from '@jest/globals'
import { deliver } from '../../src/action/deliver'
import { faults, GitHubServer } from '../github/server'
import { judgeWithFixes } from '../harness'
import { ingress } from '../source/objects'
import { patchOf, suggesting } from './patches'
import { holed, sound } from './step'

const fixed = ingress('web', ['a.example.com', 'b.example.com'], ['a.example.com', 'b.example.com'])
const writing = ['pulls/list-review-comments', 'pulls/list-files', 'pulls/create-review']
const solving = ['graphql', 'pulls/update-review-comment', 'pulls/list-reviews', 'pulls/update-review']

async function delivered(github: GitHubServer, head: string) {
  const { report } = await judgeWithFixes({ base: { 'web.yaml': sound }, head: { 'web.yaml': head } })
  const sha = 'f'.repeat(40)
  const audience = { api: github.url, owner: 'acme', repo: 'shop', sha, pullRequest: 1, readOnly: false }
  return (await deliver(report, suggesting, audience)).remarks.map(({ level, text }) => `${level}: ${text}`)
}

const cases = [...writing, ...solving].flatMap((operation) => faults.map((fault) => [operation, fault] as const))

test.each(cases)('%s meets %s for good: one remark, and the next run makes up for it', async (operation, fault) => {
  const github = await GitHubServer.start()
  try {
    github.pullRequest.files = { 'web.yaml': patchOf(sound, holed) }
    const isWriting = writing.includes(operation)
    if (!isWriting) await delivered(github, holed)
    const meeting = { operation, fault, times: Number.POSITIVE_INFINITY }
    github.faults.push(meeting)
    const remarks = await delivered(github, isWriting ? holed : fixed)
    // A review that was made is found when its answer is missing.
    const isFound = operation === 'pulls/create-review' && /-late$/.test(fault)
    const remark = expect.stringMatching(/^warning: The review could not be written \(/)
    expect([operation, fault, remarks]).toEqual([operation, fault, isFound ? [] : [remark]])
    meeting.times = 0
    expect(await delivered(github, isWriting ? holed : fixed)).toEqual([])
    expect(github.pullRequest.reviews).toHaveLength(1)
    if (!isWriting) expect(new Set(github.pullRequest.minimized).size).toBe(2)
    expect(github.refused).toEqual([])
  } finally {
    github.stop()
  }
})
