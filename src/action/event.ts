import { GuardError } from '../errors'
import { resolveCommit, writtenParents } from '../source/git'

/** What a GitHub event says of the change to judge. */
export interface Event {
  readonly name: string
  /** GITHUB_SHA: the commit the event is about. */
  readonly sha: string
  readonly payload: {
    readonly pull_request?: { readonly base: { readonly sha: string } }
    readonly merge_group?: { readonly base_sha: string }
    readonly before?: string
    readonly repository?: { readonly default_branch?: string }
  }
}

/** The base to compare with; none when the head is to be judged whole. */
export type EventBase = { readonly base: string; readonly exact: boolean } | 'whole'

const noCommit = /^0+$/

/**
 * Finds the base of the change an event is about.
 *
 * @param dir the checkout
 * @throws GuardError `usage` for an event that cannot be judged safely, or that names no change
 */
export async function baseOf(
  event: Event,
  dir: { readonly dir: string; readonly token?: string | undefined; readonly trusted?: boolean },
): Promise<EventBase> {
  const { name, payload } = event
  switch (name) {
    case 'pull_request': {
      const head = await resolveCommit(dir, 'HEAD')
      const parents = await writtenParents(dir, head)
      // actions/checkout takes the test merge, whose first parent is the very commit the change would be merged into.
      if (head === event.sha && parents.length === 2 && parents[0]) return { base: parents[0], exact: true }
      const base = payload.pull_request?.base.sha
      if (base) return { base, exact: false }
      break
    }
    case 'merge_group':
      if (payload.merge_group) return { base: payload.merge_group.base_sha, exact: true }
      break
    case 'push': {
      const { before } = payload
      if (before && !noCommit.test(before)) return { base: before, exact: true }
      // A new branch: what it adds to the default branch.
      const branch = payload.repository?.default_branch
      if (branch) return { base: `origin/${branch}`, exact: false }
      break
    }
    case 'workflow_dispatch':
    case 'schedule':
      return 'whole'
    case 'pull_request_target':
      throw new GuardError(
        'usage',
        'pull_request_target is refused: its checkout is the base, so it would judge nothing, and a checkout of the head would hand the pull request a token that may write. Use pull_request.',
      )
  }
  throw new GuardError(
    'usage',
    `The event ${JSON.stringify(name)} names no change to judge. Use pull_request, merge_group or push, or give the input base.`,
  )
}
