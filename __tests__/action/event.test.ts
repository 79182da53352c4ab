import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { gitIn, temporaryFolder } from '../source/repository'
import { type Checkout, type Event, Remote } from './checkout'
import { counts, failed, firstLine, holed, none, push, refusal, runHere, short, sound, uncovered } from './step'

test('each event is compared with its own base', async () => {
  const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
  const { base, head, merge, fork } = remote
  const branch = 'gh-readonly-queue/main/pr-1-1'
  const queued = { head_sha: merge, head_ref: `refs/heads/${branch}`, base_sha: base, base_ref: 'refs/heads/main' }
  const repository = { full_name: 'acme/shop', default_branch: 'main' }
  const onBranch = (sha: string, name: string, depth = 1) =>
    remote.checkout({ sha, ref: `refs/remotes/origin/${name}`, depth })
  const queue = { action: 'checks_requested', merge_group: queued, repository }
  const cases: [from: string, to: string, Checkout, Event][] = [
    [short(base), merge, onBranch(merge, branch), { name: 'merge_group', sha: merge, payload: queue }],
    [short(base), merge, onBranch(merge, 'main'), push(base, merge)],
    // A new branch: its additions to the default branch.
    [`origin/main (${short(fork)})`, head, onBranch(head, 'feature', 0), push(none, head)],
    // `ref: ${{ github.event.pull_request.head.sha }}`
    [`(${short(fork)})`, head, onBranch(head, 'feature', 0), remote.pullRequest()],
  ]
  for (const [from, to, checkout, event] of cases) {
    const outcome = await runHere(checkout, { event })
    expect(outcome.commands).toEqual([uncovered('web.yaml', 'b.example.com'), `::error::${firstLine(outcome)}`])
    expect(firstLine(outcome)).toContain(`${from} → HEAD (${short(to)}): 0 added, 1 changed, 0 removed; read 1 object`)
    expect(counts(outcome)).toEqual(failed(1))
  }
})

test('an event without a change is judged whole, and an unsafe one is refused', async () => {
  const remote = new Remote({ 'web.yaml': holed }, {})
  const { base: sha } = remote
  const checkout = remote.checkout({ sha, ref: 'refs/remotes/origin/main' })
  const whole = await runHere(checkout, { event: { name: 'workflow_dispatch', sha, payload: {} } })
  expect(whole.commands).toEqual([
    uncovered('web.yaml', 'b.example.com'),
    `::error::ingress-guard found 1 error and fails. Inspected all of HEAD (${short(sha)}): 2 objects in 2 files.`,
  ])
  expect(counts(whole)).toEqual(failed(1))
  for (const [name, words] of [
    ['pull_request_target', /^pull_request_target is not supported: .* Use pull_request\.$/],
    ['issue_comment', /^The event "issue_comment" names no change to check\. Use pull_request, /],
  ] as const)
    expect(refusal(await runHere(checkout, { event: { ...remote.pullRequest(), name } }))).toMatch(words)
})

test('a commit that a shallow clone lacks and cannot fetch is an error that names fetch-depth', async () => {
  const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
  const cut = remote.checkout()
  gitIn(cut.dir, 'remote', 'set-url', 'origin', 'file:///nowhere')
  expect(refusal(await runHere(cut, { event: remote.pullRequest() }))).toMatch(
    new RegExp(`^Commit ${remote.base} is not in this clone and could not be fetched .*\`fetch-depth: 2\``),
  )
  const branch = remote.checkout({ sha: remote.head, ref: 'refs/remotes/origin/feature' })
  for (const event of [push(none, remote.head), remote.pullRequest()])
    expect(refusal(await runHere(branch, { event }))).toMatch(/`fetch-depth: 0`/)
})

test('a checkout of another user is read, as in a container job, however its folder is named', async () => {
  const remote = new Remote({ 'apps/web.yaml': sound }, { 'apps/web.yaml': holed })
  const checkout = remote.checkout({ depth: 2 })
  const link = path.join(temporaryFolder(), 'link')
  symlinkSync(checkout.workspace, link)
  const step = { event: remote.pullRequest(), env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' } }
  for (const outcome of [
    await runHere(checkout, step),
    await runHere(checkout, { ...step, inputs: { 'working-directory': 'apps' } }),
    await runHere({ ...checkout, workspace: link }, step),
  ])
    expect(outcome.commands[0]).toBe(uncovered('apps/web.yaml', 'b.example.com'))
})
