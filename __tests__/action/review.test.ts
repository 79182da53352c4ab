import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Delivery, deliver } from '../../src/action/deliver'
import type { Report } from '../../src/finding/report'
import { GitHubServer } from '../github/server'
import { type Case, judgeWithFixes, type Texts } from '../harness'
import { configMap, ingress, role, stream } from '../source/objects'
import { gitIn } from '../source/repository'
import { actHere, Remote } from './checkout'
import { patchOf, suggesting } from './patches'
import { holed, sound } from './step'

const fixed = ingress('web', ['a.example.com', 'b.example.com'], ['a.example.com', 'b.example.com'])
const sha = 'f'.repeat(40)

let github: GitHubServer
beforeEach(async () => {
  github = await GitHubServer.start()
})
afterEach(() => {
  github.stop()
  expect(github.refused).toEqual([])
})

/** Shows the pull request's diff at GitHub. */
function show(base: Texts, head: Texts): void {
  const files = new Set([...Object.keys(base), ...Object.keys(head)])
  github.pullRequest.files = Object.fromEntries(
    [...files].filter((file) => base[file] !== head[file]).map((file) => [file, patchOf(base[file], head[file])]),
  )
}

async function judged(base: Texts, head: Texts, rule?: string): Promise<Report> {
  const input: Case = { base, head }
  return (await judgeWithFixes(input, rule)).report
}

/** Delivers the report on a change, with the requests that this takes. */
async function delivered(report: Report, given: Partial<Delivery> = {}, at = github) {
  at.made.length = 0
  const audience = { api: at.url, owner: 'acme', repo: 'shop', sha, pullRequest: 1, readOnly: false }
  const { remarks } = await deliver(report, { ...suggesting, ...given }, audience)
  return { remarks: remarks.map(({ level, text }) => `${level}: ${text}`), operations: at.operations }
}

const bodies = () => github.pullRequest.comments.map(({ body }) => body)
const places = () =>
  github.pullRequest.comments.map(({ path, side, start_line, line }) => `${side} ${path}:${start_line ?? line}-${line}`)

describe('a review suggests the fixes', () => {
  test('in one request, once, and is minimised when all is solved', async () => {
    const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
    const patch = gitIn(remote.dir, 'diff', remote.fork, remote.head, '--', 'web.yaml')
    github.pullRequest.files = { 'web.yaml': patch.slice(patch.indexOf('@@')) }
    const act = () => {
      github.made.length = 0
      return actHere(remote.checkout(), {
        event: remote.pullRequest(),
        inputs: { annotations: 'none', suggestions: 'true', 'check-name': 'gate' },
        env: { GITHUB_API_URL: github.url },
      })
    }
    const outcome = await act()
    expect(outcome.status).toBe(1)
    expect(outcome.commands).toEqual([expect.stringMatching(/^::error::ingress-guard found 1 error and blocks/)])
    expect(github.operations).toEqual(['pulls/list-review-comments', 'pulls/list-files', 'pulls/create-review'])
    expect(github.pullRequest.reviews).toMatchObject([
      {
        commit_id: remote.head,
        body: expect.stringMatching(/^<!-- ingress-guard: gate review -->\ningress-guard has 1 comment /),
      },
    ])
    expect(places()).toEqual(['RIGHT web.yaml:9-9'])
    expect(bodies()).toEqual([
      expect.stringMatching(
        /^<!-- ingress-guard: gate [0-9a-f]{32} -->\n\*\*`ingress-tls\/host-covered`\*\* No entry of `spec\.tls` lists `b\.example\.com`, [^\n]+\n\n```suggestion\n {6}hosts: \[a\.example\.com, b\.example\.com\]\n```\n$/,
      ),
    ])

    await act()
    expect(github.operations).toEqual(['pulls/list-review-comments', 'pulls/list-files'])

    const solved = await judged({ 'web.yaml': sound }, { 'web.yaml': fixed })
    const [comment] = github.pullRequest.comments
    const [review] = github.pullRequest.reviews
    expect(await delivered(solved)).toEqual({
      remarks: [],
      operations: [
        'pulls/list-review-comments',
        'graphql',
        'pulls/update-review-comment',
        'pulls/list-reviews',
        'graphql',
        'pulls/update-review',
      ],
    })
    expect(github.pullRequest.minimized).toEqual([comment?.node_id, review?.node_id])
    expect(bodies()).toEqual(['<!-- ingress-guard: gate solved -->\nSolved.\n'])
    expect(await delivered(solved)).toEqual({
      remarks: [],
      operations: ['pulls/list-review-comments', 'pulls/list-reviews'],
    })
  })

  test('and comments at removed lines', async () => {
    const base = {
      'a.yaml': stream(configMap('a'), role('system:a')),
      'b.yaml': role('system:b'),
      'c.yaml': configMap('c'),
    }
    const head = { 'a.yaml': configMap('a'), 'c.yaml': configMap('c') }
    show(base, head)
    const report = await judged(base, head)
    expect((await delivered(report)).remarks).toEqual([])
    expect(places()).toEqual(['RIGHT a.yaml:6-6', 'LEFT b.yaml:1-1'])
    expect(bodies()[0]).toContain(
      '\n```suggestion\n  key: x\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: system:a\n```\n',
    )
    expect(bodies()[1]).toMatch(/^<!-- ingress-guard: gate [0-9a-f]{32} -->\n\*\*`protected-rbac\/object-kept`\*\* /)
    expect(bodies()[1]).not.toContain('```')
    expect((await delivered(report)).operations).toEqual(['pulls/list-review-comments', 'pulls/list-files'])
  })

  test('again where the lines of a comment changed, and leaves alone what others wrote', async () => {
    show({ 'web.yaml': sound }, { 'web.yaml': holed })
    const report = await judged({ 'web.yaml': sound }, { 'web.yaml': holed })
    await delivered(report)
    const [own] = github.pullRequest.comments
    if (!own) throw new Error('There is no comment.')
    // A push moved its lines, so GitHub calls it outdated and shows it at none.
    Object.assign(own, { line: undefined })
    const foreign = {
      ...own,
      id: 1,
      node_id: 'PRRC_1',
      user: { ...own.user, type: 'User' },
      author_association: 'NONE' as const,
    }
    const answer = { ...own, id: 2, node_id: 'PRRC_2', in_reply_to_id: own.id }
    github.pullRequest.comments.push(Object.assign({}, own, foreign), Object.assign({}, own, answer))
    await delivered(report)
    expect(github.pullRequest.minimized).toEqual([own.node_id, github.pullRequest.reviews[0]?.node_id])
    expect(bodies()[0]).toBe('<!-- ingress-guard: gate solved -->\nAnother comment replaces this one.\n')
    expect(places()).toEqual([
      'RIGHT web.yaml:undefined-undefined',
      'RIGHT web.yaml:undefined-undefined',
      'RIGHT web.yaml:undefined-undefined',
      'RIGHT web.yaml:9-9',
    ])
    expect((await delivered(report)).operations).toEqual([
      'pulls/list-review-comments',
      'pulls/list-files',
      'pulls/list-reviews',
    ])
  })

  test('with other words where only these changed', async () => {
    show({ 'web.yaml': sound }, { 'web.yaml': holed })
    const report = await judged({ 'web.yaml': sound }, { 'web.yaml': holed })
    await delivered(report)
    const findings = report.findings.map((finding) => ({ ...finding, text: 'Other words.' }))
    expect((await delivered({ ...report, findings })).operations.at(-1)).toBe('pulls/update-review-comment')
    expect(bodies()).toEqual([expect.stringContaining('Other words.')])
    expect(github.pullRequest.minimized).toEqual([])
  })

  test('not where the run did not finish, nor without a pull request, and says nothing of a fix that it cannot place', async () => {
    show({ 'web.yaml': sound }, { 'web.yaml': holed })
    const report = await judged({ 'web.yaml': sound }, { 'web.yaml': holed })
    await delivered(report)
    const unfinished = { ...report, findings: [], unfinished: { minutes: 1, doing: 'waiting', path: null } }
    expect((await delivered(unfinished)).operations).toEqual([])
    expect((await delivered(report, { suggestions: false })).operations).toEqual([])
    // GitHub gives no patch of a large diff.
    github.pullRequest.files = { 'web.yaml': undefined }
    expect((await delivered(report)).operations).toEqual(['pulls/list-review-comments', 'pulls/list-files'])
    expect(github.pullRequest.minimized).toEqual([])
  })

  test('at most fifty at a time, and the others when there is room', async () => {
    const names = Array.from({ length: 53 }, (_, index) => `i${String(index).padStart(2, '0')}`)
    const all = (hosts: readonly string[]) =>
      Object.fromEntries(names.map((name) => [`${name}.yaml`, ingress(name, ['a.example.com'], hosts)]))
    const [base, head] = [all(['a.example.com']), all(['a.example.com', 'b.example.com'])]
    show(base, head)
    const report = await judged(base, head, 'ingress-tls/host-covered')
    expect((await delivered(report)).remarks).toEqual([])
    expect(github.pullRequest.comments).toHaveLength(50)
    expect(github.pullRequest.reviews.map(({ body }) => body)).toEqual([
      expect.stringContaining('ingress-guard has 50 comments on this change.'),
    ])
    expect(github.pullRequest.reviews[0]?.body).toContain(
      ' 3 more do not fit into a review: run `ingress-guard check --fix`.',
    )
    expect((await delivered(report)).operations).toEqual(['pulls/list-review-comments', 'pulls/list-files'])

    // Two of them are fixed.
    const later = { ...head, 'i00.yaml': base['i00.yaml'] ?? '', 'i01.yaml': base['i01.yaml'] ?? '' }
    show(base, later)
    await delivered(await judged(base, later, 'ingress-tls/host-covered'))
    expect(github.pullRequest.minimized).toEqual(github.pullRequest.comments.slice(0, 2).map(({ node_id }) => node_id))
    expect(github.pullRequest.comments.slice(50).map(({ path }) => path)).toEqual(['i50.yaml', 'i51.yaml'])
  })

  test('and takes back what a part of the fix solves, the review with the last of it', async () => {
    const [base, head] = [
      { 'a.yaml': sound, 'b.yaml': sound.replaceAll('web', 'api') },
      { 'a.yaml': holed, 'b.yaml': holed.replaceAll('web', 'api') },
    ]
    show(base, head)
    await delivered(await judged(base, head, 'ingress-tls/host-covered'))
    expect(places()).toEqual(['RIGHT a.yaml:9-9', 'RIGHT b.yaml:9-9'])
    const [a, b] = github.pullRequest.comments
    const half = { ...head, 'a.yaml': fixed }
    show(base, half)
    expect((await delivered(await judged(base, half, 'ingress-tls/host-covered'))).operations).toEqual([
      'pulls/list-review-comments',
      'pulls/list-files',
      'graphql',
      'pulls/update-review-comment',
    ])
    expect(github.pullRequest.minimized).toEqual([a?.node_id])
    expect(bodies()).toEqual(['<!-- ingress-guard: gate solved -->\nSolved.\n', expect.stringContaining('suggestion')])
    // A force-push takes the rest out of the pull request, and GitHub calls its comment outdated.
    Object.assign(b ?? {}, { line: undefined })
    show(base, base)
    await delivered(await judged(base, base, 'ingress-tls/host-covered'))
    expect(github.pullRequest.minimized).toEqual([a?.node_id, b?.node_id, github.pullRequest.reviews[0]?.node_id])
    expect(github.pullRequest.reviews).toHaveLength(1)
  })

  test('below the prefix of GitHub Enterprise Server', async () => {
    const enterprise = await GitHubServer.start('/api/v3')
    try {
      enterprise.pullRequest.files = { 'web.yaml': patchOf(sound, holed) }
      await delivered(await judged({ 'web.yaml': sound }, { 'web.yaml': holed }), {}, enterprise)
      await delivered(await judged({ 'web.yaml': sound }, { 'web.yaml': fixed }), {}, enterprise)
      expect(enterprise.pullRequest.minimized).toHaveLength(2)
      expect(enterprise.refused).toEqual([])
    } finally {
      enterprise.stop()
    }
  })
})

test.each([
  [
    'pulls/list-review-comments',
    '403',
    /^warning: The review could not be written \(403: Resource not accessible by integration\), so the pull request has no up-to-date suggestions\. Give the job the permission `pull-requests: write`\./,
  ],
  ['pulls/list-files', '404', /^warning: The review could not be written \(404: Not Found\)/],
  ['pulls/create-review', '422', /^warning: The review could not be written \(422: Validation Failed\)/],
  ['pulls/create-review', 'spent', /^warning: The review could not be written \(403: API rate limit exceeded/],
])('%s meets %s: one remark says so', async (operation, fault, remark) => {
  show({ 'web.yaml': sound }, { 'web.yaml': holed })
  const report = await judged({ 'web.yaml': sound }, { 'web.yaml': holed })
  github.faults.push({ operation, fault, times: 1 })
  expect((await delivered(report)).remarks).toEqual([expect.stringMatching(remark)])
  expect(github.pullRequest.reviews).toEqual([])
})

test('a token that may not minimise is one remark, and the next run tries again', async () => {
  show({ 'web.yaml': sound }, { 'web.yaml': holed })
  await delivered(await judged({ 'web.yaml': sound }, { 'web.yaml': holed }))
  const solved = await judged({ 'web.yaml': sound }, { 'web.yaml': fixed })
  github.faults.push({ operation: 'graphql', fault: '403', times: 1 })
  expect((await delivered(solved)).remarks).toEqual([
    expect.stringMatching(/^warning: The review could not be written \(403: Resource not accessible by integration\)/),
  ])
  expect((await delivered(solved)).remarks).toEqual([])
  expect(github.pullRequest.minimized).toHaveLength(2)
})
