import { describe, expect, test } from '@jest/globals'
import { configMap, role } from '../source/objects'
import { gitIn, writeFiles } from '../source/repository'
import { actHere, type Checkout, type Event, type Outcome, Remote } from './checkout'

/** A base that lacks the objects that the change removes, and that lets everything pass. */
const decoy = { '.github/ingress-guard.yaml': 'format: 1\nfail-on: never\n', 'note.yaml': configMap('note') }

const protectedRole = role('system:kube-controller-manager')

/** A pull request that takes a protected role away. */
const remote = new Remote({ 'rbac/role.yaml': protectedRole }, { 'rbac/role.yaml': null })

/** The checkout with folders of the change; a runner starts the Action in it. */
function checkoutWith(folder: string, { reachable = true } = {}): Checkout {
  const checkout = remote.checkout({ depth: 1 })
  writeFiles(checkout.dir, Object.fromEntries(Object.entries(decoy).map(([file, text]) => [`${folder}/${file}`, text])))
  gitIn(checkout.dir, 'add', '--all', '--force')
  if (!reachable) gitIn(checkout.dir, 'remote', 'set-url', 'origin', 'file:///nowhere')
  return checkout
}

function refusal({ status, outputs, commands }: Outcome): string {
  expect(status).toBe(1)
  expect(outputs).toEqual({ verdict: 'error' })
  return commands.join('\n')
}

function with64(id: string): string {
  return `${id}${id.slice(0, 24)}`
}

describe('a folder of the change is never the base that an event names', () => {
  const pullRequest = remote.pullRequest()
  const base = (sha: string): Event => ({
    ...pullRequest,
    // Not the test merge, so the payload names the base.
    sha: '0'.repeat(40),
    payload: {
      ...pullRequest.payload,
      pull_request: { number: 1, base: { sha, ref: 'main' }, head: { sha: remote.head } },
    },
  })
  const events: [string, string, Event][] = [
    ['the parent of the test merge', remote.base, pullRequest],
    ['the base of the payload', remote.fork, base(remote.fork)],
    [
      'the base of a merge group',
      remote.fork,
      { name: 'merge_group', sha: remote.merge, payload: { merge_group: { base_sha: remote.fork } } },
    ],
    [
      'the commit that a push replaces',
      remote.fork,
      { name: 'push', sha: remote.merge, payload: { before: remote.fork } },
    ],
  ]

  test.each(events)('%s: it is fetched', async (_, id, event) => {
    const outcome = await actHere(checkoutWith(id), { event })
    const said = outcome.commands.join('\n')
    // If the base is the fork, the shallow clone has no history with a merge base.
    expect(said).toMatch(/protected-rbac\/object-kept|have no common ancestor in this shallow clone/)
    expect(outcome.status).toBe(1)
  })

  test.each(events)('%s: the job fails when it cannot be had', async (_, id, event) => {
    expect(refusal(await actHere(checkoutWith(id, { reachable: false }), { event }))).toContain(
      `Commit ${id} is not in this clone and could not be fetched`,
    )
  })

  test('the default branch of a push that makes a branch', async () => {
    const payload = { before: '0'.repeat(40), repository: { default_branch: 'main' } }
    expect(
      refusal(await actHere(checkoutWith('origin/main'), { event: { name: 'push', sha: remote.merge, payload } })),
    ).toContain('The revision "origin/main" is not in this shallow clone. Set `fetch-depth: 0` on actions/checkout.')
  })

  test('a path in the place of a commit', async () => {
    expect(refusal(await actHere(checkoutWith('x'), { event: base('./x') }))).toContain(
      'The revision "./x" is not in this shallow clone.',
    )
  })
})

describe('the base that a workflow names', () => {
  const event = remote.pullRequest()

  test.each([remote.fork, remote.fork.toUpperCase(), with64(remote.fork)])('%s is the id of a commit', async (id) => {
    const outcome = await actHere(checkoutWith(id, { reachable: false }), { event, inputs: { base: id } })
    expect(refusal(outcome)).toContain(`Commit ${id} is not in this clone and could not be fetched`)
  })

  test.each(['main', 'origin/main', 'HEAD^', 'refs/heads/main', remote.fork.slice(0, 12)])(
    '%s is a revision that the clone lacks, not the folder of the checkout',
    async (name) => {
      expect(refusal(await actHere(checkoutWith(name), { event, inputs: { base: name } }))).toContain(
        `The revision ${JSON.stringify(name)} is not in this clone. The folder of that name is part of the checkout, so it is not used as the base`,
      )
      expect(
        refusal(await actHere(checkoutWith(name), { event, inputs: { base: remote.base, head: name } })),
      ).toContain('so it is not used as the head')
    },
  )

  test('HEAD is the commit, also where a folder is called so', async () => {
    const outcome = await actHere(checkoutWith('HEAD'), { event, inputs: { base: remote.base } })
    expect(outcome.log).toMatch(/have no common ancestor|protected-rbac\/object-kept/)
    expect(outcome.status).toBe(1)
  })

  test('a folder that is written as a path, or that is not part of the checkout, is the base', async () => {
    const written = await actHere(checkoutWith('x'), { event, inputs: { base: './x' } })
    expect(written.log).toContain('Inspected ./x → HEAD')
    const checkout = remote.checkout()
    writeFiles(checkout.dir, { 'before/note.yaml': configMap('note') })
    const beside = await actHere(checkout, { event, inputs: { base: 'before' } })
    expect(beside.log).toContain('Inspected before → HEAD')
  })
})
