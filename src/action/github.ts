import { setTimeout } from 'node:timers/promises'
import { getOctokit } from '@actions/github'
import type { Audience } from './event'
import { asRequestError, isLost, pauseAfter } from './request-failure'

type Octokit = ReturnType<typeof getOctokit>
type RestApi = Octokit['rest']
type Data<T extends (...args: never[]) => Promise<{ data: unknown }>> = Awaited<ReturnType<T>>['data']

/** A check run, as GitHub's API returns it. */
export type CheckRun = Data<RestApi['checks']['get']>
/** The title, summary and annotations of a check run, as GitHub's API takes them. */
export type CheckRunOutput = NonNullable<NonNullable<Parameters<RestApi['checks']['create']>[0]>['output']>
/** A comment of a pull request, as GitHub's API returns it. */
export type Comment = Data<RestApi['issues']['getComment']>
/** A comment on a line of a pull request, as GitHub's API returns it. */
export type ReviewComment = Data<RestApi['pulls']['listReviewComments']>[number]
/** A review of a pull request, as GitHub's API returns it. */
export type Review = Data<RestApi['pulls']['listReviews']>[number]
/** A changed file of a pull request with its patch, as GitHub's API returns it. */
export type PullRequestFile = Data<RestApi['pulls']['listFiles']>[number]
/** The content of a review that is to be posted. */
export type WantedReview = Pick<
  NonNullable<Parameters<RestApi['pulls']['createReview']>[0]>,
  'body' | 'commit_id' | 'comments'
>

/** The content of a check run; its annotations are added to the existing ones. */
export interface CheckRunState {
  readonly name: string
  readonly external_id: string
  readonly conclusion: 'success' | 'failure'
  readonly output: CheckRunOutput
}

const maxTries = 3
const longestRequest = 10_000
/** The longest time that the job may spend on failed requests and the pauses after them. */
const patience = 30_000

/** Source: https://docs.github.com/en/graphql/reference/mutations#minimizecomment */
const minimizing = 'mutation ($input: MinimizeCommentInput!) { minimizeComment(input: $input) { clientMutationId } }'

/**
 * GitHub's API, as far as a report needs it. Repeats a request that failed for a temporary reason; one without an
 * answer, which may have been carried out, is repeated only after a check of the current state.
 */
export class GitHub {
  readonly #octokit: Octokit
  readonly #repository: { owner: string; repo: string }
  #patience = patience

  constructor(token: string, { api, owner, repo }: Audience) {
    this.#octokit = getOctokit(token, { baseUrl: api })
    this.#octokit.hook.wrap('request', async (request, options) => {
      // Octokit's own hooks are bound to these options objects, so new ones would not reach the request.
      options.request.signal = AbortSignal.timeout(longestRequest)
      const answer = await request(options)
      // A truncated answer, or one from a proxy, is returned as text.
      if (typeof answer.data === 'object') return answer
      throw Object.assign(new Error('the response is not JSON from GitHub'), { status: 502 })
    })
    this.#repository = { owner, repo }
  }

  /** The check runs of a name on a commit, the newest of each suite. */
  checkRuns(name: string, sha: string): Promise<CheckRun[]> {
    const { paginate, rest } = this.#octokit
    const wanted = { ...this.#repository, ref: sha, check_name: name, per_page: 100 }
    return this.#persist(() => paginate(rest.checks.listForRef, wanted))
  }

  createCheckRun(sha: string, state: CheckRunState): Promise<CheckRun> {
    const { checks } = this.#octokit.rest
    const wanted = { ...this.#repository, ...state, head_sha: sha, status: 'completed' as const }
    return this.#persist(
      async () => (await checks.create(wanted)).data,
      async () => (await this.checkRuns(state.name, sha)).find((run) => run.external_id === state.external_id),
    )
  }

  /** @param annotated how many annotations it has afterwards */
  updateCheckRun(id: number, state: CheckRunState, annotated: number): Promise<CheckRun> {
    const { checks } = this.#octokit.rest
    const wanted = { ...this.#repository, ...state, check_run_id: id, status: 'completed' as const }
    return this.#persist(
      async () => (await checks.update(wanted)).data,
      async () => {
        const { data } = await this.#persist(() => checks.get({ ...this.#repository, check_run_id: id }))
        const landed = data.external_id === state.external_id && data.output.annotations_count >= annotated
        return landed ? data : undefined
      },
    )
  }

  /** The first comment of a pull request that is as wanted. */
  findComment(pullRequest: number, isWanted: (comment: Comment) => boolean): Promise<Comment | undefined> {
    const { paginate, rest } = this.#octokit
    const listed = { ...this.#repository, issue_number: pullRequest, per_page: 100 }
    return this.#persist(async () => {
      for await (const { data } of paginate.iterator(rest.issues.listComments, listed)) {
        const found = data.find(isWanted)
        if (found) return found
      }
      return undefined
    })
  }

  async createComment(pullRequest: number, body: string, isWanted: (comment: Comment) => boolean): Promise<void> {
    const wanted = { ...this.#repository, issue_number: pullRequest, body }
    await this.#persist(
      async () => (await this.#octokit.rest.issues.createComment(wanted)).data,
      () => this.findComment(pullRequest, isWanted),
    )
  }

  async updateComment(id: number, body: string): Promise<void> {
    const wanted = { ...this.#repository, comment_id: id, body }
    await this.#persist(() => this.#octokit.rest.issues.updateComment(wanted))
  }

  /** The files of a pull request's diff, each with its patch. */
  changedFiles(pullRequest: number): Promise<PullRequestFile[]> {
    const { paginate, rest } = this.#octokit
    return this.#persist(() => paginate(rest.pulls.listFiles, this.#paged(pullRequest)))
  }

  /** The comments at lines of a pull request. */
  reviewComments(pullRequest: number): Promise<ReviewComment[]> {
    const { paginate, rest } = this.#octokit
    return this.#persist(() => paginate(rest.pulls.listReviewComments, this.#paged(pullRequest)))
  }

  reviews(pullRequest: number): Promise<Review[]> {
    const { paginate, rest } = this.#octokit
    return this.#persist(() => paginate(rest.pulls.listReviews, this.#paged(pullRequest)))
  }

  /** @param isThere whether the comments of the pull request show that the review was made */
  async createReview(
    pullRequest: number,
    review: WantedReview,
    isThere: (comments: readonly ReviewComment[]) => boolean,
  ): Promise<void> {
    const wanted = { ...this.#repository, pull_number: pullRequest, event: 'COMMENT' as const, ...review }
    await this.#persist(
      async () => (await this.#octokit.rest.pulls.createReview(wanted)).data.id,
      async () => (isThere(await this.reviewComments(pullRequest)) ? 0 : undefined),
    )
  }

  async updateReview(pullRequest: number, id: number, body: string): Promise<void> {
    const wanted = { ...this.#repository, pull_number: pullRequest, review_id: id, body }
    await this.#persist(() => this.#octokit.rest.pulls.updateReview(wanted))
  }

  async updateReviewComment(id: number, body: string): Promise<void> {
    const wanted = { ...this.#repository, comment_id: id, body }
    await this.#persist(() => this.#octokit.rest.pulls.updateReviewComment(wanted))
  }

  /** Folds a comment or a review, which only the GraphQL API does. */
  async minimize(nodeId: string): Promise<void> {
    await this.#persist(() =>
      this.#octokit.graphql(minimizing, { input: { subjectId: nodeId, classifier: 'RESOLVED' } }).catch(asRequestError),
    )
  }

  #paged(pullRequest: number) {
    return { ...this.#repository, pull_number: pullRequest, per_page: 100 }
  }

  /** @param landed finds the result of a write that may have been carried out although no answer came */
  async #persist<T>(request: () => Promise<T>, landed?: () => Promise<T | undefined>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const begun = Date.now()
      try {
        return await request()
      } catch (error) {
        this.#patience -= Date.now() - begun
        const pause = pauseAfter(error, tries)
        if (pause === undefined || tries === maxTries || pause > this.#patience) throw error
        this.#patience -= pause
        await setTimeout(pause)
        const made = isLost(error) ? await landed?.() : undefined
        if (made !== undefined) return made
      }
    }
  }
}
