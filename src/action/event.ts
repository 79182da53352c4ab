import { existsSync, readFileSync } from 'node:fs'
import { GuardError } from '../errors'
import { resolveCommit, writtenParents } from '../revision/git'

interface Branch {
  readonly sha: string
  /** Gone when a fork was deleted. */
  readonly repo?: { readonly full_name: string } | null
}

/** The change to judge, from a GitHub event. */
export interface Event {
  readonly name: string
  /** GITHUB_SHA: the commit the event is about. */
  readonly sha: string
  readonly payload: {
    readonly pull_request?: { readonly number?: number; readonly base: Branch; readonly head?: Branch }
    readonly merge_group?: { readonly base_sha: string }
    readonly before?: string
    readonly repository?: { readonly default_branch?: string }
  }
}

/** The event of the run, from the runner's variables. */
export function readEvent(env: NodeJS.ProcessEnv): Event {
  const { GITHUB_EVENT_NAME: name = '', GITHUB_SHA: sha = '', GITHUB_EVENT_PATH: file } = env
  return { name, sha, payload: file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {} }
}

/** The place on GitHub where a report is read. */
export interface Audience {
  /** The URL of the API; GitHub Enterprise Server has its own. */
  readonly api: string
  readonly owner: string
  readonly repo: string
  /** The commit that GitHub shows checks of. */
  readonly sha: string
  readonly pullRequest: number | undefined
  /** GitHub gives such a run a read-only token, with any permissions in the workflow. */
  readonly readOnly: boolean
}

/** The events whose commit is judged. */
const eventsOfCommits = ['merge_group', 'push', 'workflow_dispatch', 'schedule']

/** The target of a report on the event; none if its commit was not the judged one. */
export function audienceOf({ name, sha, payload }: Event, env: NodeJS.ProcessEnv): Audience | undefined {
  const { GITHUB_REPOSITORY = '', GITHUB_API_URL: api = 'https://api.github.com' } = env
  const [owner, repo] = GITHUB_REPOSITORY.split('/')
  if (!owner || !repo) return undefined
  const pull = payload.pull_request
  if (name === 'pull_request' && pull?.head) {
    // The test merge is no commit of the pull request: only the head's checks are shown in it.
    const { number: pullRequest, base, head } = pull
    const readOnly = head.repo?.full_name !== base.repo?.full_name || env.GITHUB_ACTOR === 'dependabot[bot]'
    return { api, owner, repo, sha: head.sha, pullRequest, readOnly }
  }
  return eventsOfCommits.includes(name) && sha
    ? { api, owner, repo, sha, pullRequest: undefined, readOnly: false }
    : undefined
}

/** The base to compare with; none when the whole head is judged. */
export type EventBase = { readonly base: string; readonly exact: boolean } | 'whole'

const noCommit = /^0+$/

/**
 * Refuses the one event that must not run the gate, with any inputs.
 *
 * @throws GuardError `usage`
 */
export function refuseUnsafe({ name }: Event): void {
  if (name !== 'pull_request_target') return
  throw new GuardError(
    'usage',
    'pull_request_target is not supported: it checks out the base, so no change would be checked, and checking out the head would give the pull request a write token. Use pull_request.',
  )
}

/**
 * Finds the base of the change an event is about.
 *
 * @param dir the checkout
 * @throws GuardError `usage` for an event that names no change
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
      // actions/checkout takes the test merge, whose first parent is the commit that the change would be merged into.
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
      // A new branch: its commits beyond the default branch.
      const branch = payload.repository?.default_branch
      if (branch) return { base: `origin/${branch}`, exact: false }
      break
    }
    case 'workflow_dispatch':
    case 'schedule':
      return 'whole'
  }
  throw new GuardError(
    'usage',
    `The event ${JSON.stringify(name)} names no change to check. Use pull_request, merge_group or push, or set the input base.`,
  )
}
