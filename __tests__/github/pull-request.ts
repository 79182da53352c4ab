import { Ajv } from 'ajv'
import type { Comment, Review, ReviewComment } from '../../src/action/github'
import { mutations } from './description'

/** An answer that GitHub gives to what is well formed and cannot be. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

interface WantedComment {
  readonly path: string
  readonly body: string
  readonly line?: number
  readonly side?: string
  readonly start_line?: number
  readonly start_side?: string
}

export interface WantedReview {
  readonly body?: string
  readonly event?: string
  readonly commit_id?: string
  readonly comments?: readonly WantedComment[]
}

type Author = Pick<Comment, 'user' | 'author_association'>

const validate = new Ajv({ strict: false }).compile<{ subjectId: string }>(mutations.input)
const input = `${mutations.name.replace(/^./, (letter) => letter.toUpperCase())}Input`
const mutation = new RegExp(
  `^mutation \\(\\$input: ${input}!\\) \\{ ${mutations.name}\\(input: \\$input\\) \\{ clientMutationId \\} \\}$`,
)

/** The diff of a pull request of acme/shop, with its reviews and their comments. */
export class PullRequest {
  /** The patches of its files, as GitHub gives them; none for a file whose diff is too large. */
  files: Readonly<Record<string, string | undefined>> = {}
  readonly reviews: Review[] = []
  readonly comments: ReviewComment[] = []
  /** The node ids of what is folded. */
  readonly minimized: string[] = []

  constructor(
    private readonly url: string,
    private readonly nextId: () => number,
  ) {}

  list(operation: string): readonly object[] {
    if (operation === 'pulls/list-review-comments') return this.comments
    if (operation === 'pulls/list-reviews') return this.reviews
    return Object.entries(this.files).map(([filename, patch]) => ({
      sha: 'f'.repeat(40),
      filename,
      status: 'modified',
      additions: 1,
      deletions: 1,
      changes: 2,
      blob_url: `https://github.com/acme/shop/blob/x/${filename}`,
      raw_url: `https://github.com/acme/shop/raw/x/${filename}`,
      contents_url: `${this.url}/repos/acme/shop/contents/${filename}`,
      ...(patch === undefined ? {} : { patch }),
    }))
  }

  review({ body = '', event, commit_id = '', comments = [] }: WantedReview, author: Author): Review {
    if (event !== 'COMMENT') throw new Error(`no review that comments: ${event}`)
    if (body === '' || body.length > 65_536) throw new Error('the body of a review is empty or too long')
    for (const comment of comments) this.#heed(comment)
    const id = this.nextId()
    const links = {
      html: { href: `https://github.com/acme/shop/pull/1#pullrequestreview-${id}` },
      pull_request: { href: this.#pull },
    }
    const review: Review = {
      id,
      node_id: `PRR_${id}`,
      ...author,
      body,
      state: 'COMMENTED',
      html_url: links.html.href,
      pull_request_url: this.#pull,
      _links: links,
      commit_id,
    }
    this.reviews.push(review)
    for (const comment of comments) this.comments.push(this.#commentOf(comment, review))
    return review
  }

  updateReview(id: string | undefined, body: string): Review {
    const review = this.reviews.find((one) => one.id === Number(id))
    if (!review) throw new Refusal(404, 'Not Found')
    return Object.assign(review, { body })
  }

  updateComment(id: string | undefined, body: string): ReviewComment {
    const comment = this.comments.find((one) => one.id === Number(id))
    if (!comment) throw new Refusal(404, 'Not Found')
    return Object.assign(comment, { body })
  }

  /** Answers a request of the GraphQL API. */
  mutate({ query, variables }: { query?: string; variables?: { input?: unknown } }): object {
    if (!mutation.test(query ?? '')) throw new Error(`no mutation that is described: ${query}`)
    const given = variables?.input
    if (!validate(given)) throw new Error(`the input: ${JSON.stringify(validate.errors)}`)
    const { subjectId } = given
    const all = [...this.comments, ...this.reviews]
    if (!all.some(({ node_id }) => node_id === subjectId))
      return {
        data: { minimizeComment: null },
        errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to a node' }],
      }
    this.minimized.push(subjectId)
    return { data: { minimizeComment: { clientMutationId: null } } }
  }

  get #pull(): string {
    return `${this.url}/repos/acme/shop/pulls/1`
  }

  /** The lines of comments have to be in one part of the diff, and a suggestion replaces lines of the head. */
  #heed({ path, body, line, side = 'RIGHT', start_line: start = line, start_side = side }: WantedComment): void {
    const parts = (this.files[path] ?? '').split(/^(?=@@ )/m)
    const numbers = parts.map((part) => linesIn(part, side))
    if (line === undefined || start === undefined || start > line || start_side !== side || body === '')
      throw new Error(`no comment at lines: ${JSON.stringify({ path, line, start, side })}`)
    if (start === line && start_side === undefined) throw new Error('a range of one line')
    if (!numbers.some((shown) => shown.includes(start) && shown.includes(line)))
      throw new Refusal(422, `Unprocessable Entity: "Line could not be resolved" ${path}:${start}-${line}`)
    if (side === 'LEFT' && /^`{3,}suggestion/m.test(body)) throw new Error('a suggestion for a removed line')
  }

  #commentOf(
    { path, body, line = 0, side = 'RIGHT', start_line = undefined }: WantedComment,
    review: Review,
  ): ReviewComment {
    const id = this.nextId()
    const html_url = `https://github.com/acme/shop/pull/1#discussion_r${id}`
    const url = `${this.url}/repos/acme/shop/pulls/comments/${id}`
    const at = '2026-11-21T00:00:00Z'
    return {
      id,
      node_id: `PRRC_${id}`,
      pull_request_review_id: review.id,
      url,
      html_url,
      pull_request_url: this.#pull,
      diff_hunk: '@@',
      path,
      commit_id: review.commit_id ?? '',
      original_commit_id: review.commit_id ?? '',
      user: review.user as ReviewComment['user'],
      author_association: review.author_association,
      body,
      line,
      original_line: line,
      side: side === 'LEFT' ? 'LEFT' : 'RIGHT',
      ...(start_line === undefined ? {} : { start_line, start_side: side === 'LEFT' ? 'LEFT' : 'RIGHT' }),
      created_at: at,
      updated_at: at,
      _links: { self: { href: url }, html: { href: html_url }, pull_request: { href: this.#pull } },
    }
  }
}

/** The numbers of the lines of a side in one part of a patch. */
function linesIn(part: string, side: string): number[] {
  const [, before, after] = part.match(/^@@ -(\d+)\S* \+(\d+)/) ?? []
  let number = Number(side === 'LEFT' ? before : after)
  const marks = side === 'LEFT' ? ' -' : ' +'
  return part
    .split('\n')
    .slice(1)
    .flatMap((line) => (line !== '' && marks.includes(line[0] ?? '') ? [number++] : []))
}
