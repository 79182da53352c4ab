import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CheckRun, Comment } from '../../src/action/github'
import { known, statusOf } from './description'
import { PullRequest, Refusal, type WantedReview } from './pull-request'

export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly start_column?: number
  readonly end_column?: number
  readonly annotation_level: 'notice' | 'warning' | 'failure'
  readonly title?: string
  readonly message: string
}

const mayNot = 'Resource not accessible by integration'
const secondary = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'

const refusals: Readonly<Record<string, { status: number; message: string; headers?: Record<string, string> }>> = {
  '403': { status: 403, message: mayNot },
  '404': { status: 404, message: 'Not Found' },
  '422': { status: 422, message: 'Validation Failed' },
  '429': { status: 429, message: 'Too Many Requests', headers: { 'retry-after': '1' } },
  '429-long': { status: 429, message: 'Too Many Requests', headers: { 'retry-after': '3600' } },
  '500': { status: 500, message: 'Server Error' },
  '500-late': { status: 500, message: 'Server Error' },
  secondary: { status: 403, message: secondary, headers: { 'retry-after': '1' } },
  'secondary-unnamed': { status: 403, message: secondary },
  spent: {
    status: 403,
    message: 'API rate limit exceeded for installation.',
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4102444800' },
  },
}

/** The faults of a request. The `-late` ones are carried out first; `silent` gets no answer. */
export const faults = [...Object.keys(refusals), 'cut', 'cut-late', 'cut-inside', 'no-json', 'silent']

/** A request that was made. */
export interface Made {
  readonly operation: string
  readonly faulted: boolean
}

/**
 * A GitHub of one repository, acme/shop, with check runs and comments. It holds every request against GitHub's
 * description of its API, and against the limits that the description states in prose; `refused` is empty as long as
 * all are right.
 */
export class GitHubServer {
  /** The requests that GitHub would refuse. */
  readonly refused: string[] = []
  readonly made: Made[] = []
  readonly checkRuns: (CheckRun & { annotations: Annotation[] })[] = []
  readonly comments: Comment[] = []
  readonly pullRequest = new PullRequest('https://api.github.com', () => ++this.#lastId)
  /** The permissions of the token. */
  readonly permissions = new Set(['checks: write', 'pull-requests: write'])
  /** Commits there are; any when empty. */
  readonly commits = new Set<string>()
  /** The faults of the next requests of an operation: `times` of them. */
  readonly faults: { readonly operation: string; readonly fault: string; times: number }[] = []
  readonly #server: Server
  #lastId = 1000

  /** @param prefix what leads to the API: none at github.com, `/api/v3` at GitHub Enterprise Server */
  private constructor(readonly prefix: string) {
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  static async start(prefix = ''): Promise<GitHubServer> {
    const github = new GitHubServer(prefix)
    await new Promise<void>((resolve) => github.#server.listen(0, '127.0.0.1', resolve))
    return github
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** The GITHUB_API_URL of its runners. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.prefix}`
  }

  /** The operations that were asked for, in order. */
  get operations(): string[] {
    return this.made.map(({ operation }) => operation)
  }

  /** Somebody comments. */
  comment(body: string, login: string, type: 'Bot' | 'User', association: Comment['author_association']): Comment {
    const id = ++this.#lastId
    const at = '2026-11-21T00:00:00Z'
    const html_url = `https://github.com/acme/shop/pull/1#issuecomment-${id}`
    const comment: Comment = {
      id,
      node_id: `IC_${id}`,
      url: `${this.url}/repos/acme/shop/issues/comments/${id}`,
      html_url,
      issue_url: `${this.url}/repos/acme/shop/issues/1`,
      body,
      user: this.#user(login, type),
      author_association: association,
      created_at: at,
      updated_at: at,
    }
    this.comments.push(comment)
    return comment
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { pathname, searchParams: query } = new URL(request.url ?? '', this.url)
    const refuse = (why: string) => {
      this.refused.push(why)
      answerWith(response, 422, { message: `Invalid request: ${why}` })
    }
    if (!/^token \S+$/.test(request.headers.authorization ?? '')) return refuse('no token')
    if (pathname === `${this.prefix.replace('/v3', '')}/graphql`) return this.#serveGraphql(text, response, refuse)
    if (!pathname.startsWith(`${this.prefix}/`)) return refuse(`${pathname} is not below ${this.prefix}`)
    const asked = known({
      method: request.method ?? '',
      path: pathname.slice(this.prefix.length),
      query,
      body: text ? JSON.parse(text) : undefined,
    })
    if (typeof asked === 'string') return refuse(asked)
    const { operation, params } = asked
    if (params.owner !== 'acme' || params.repo !== 'shop') return refuse(`${params.owner}/${params.repo} is not there`)
    const fault = this.#faultOf(operation)
    if (fault && !/-late$/.test(fault)) return this.#fail(fault, response)
    const body = text ? JSON.parse(text) : {}
    try {
      const { data, headers } = this.#obey(operation, params, query, body)
      if (fault) this.#fail(fault, response)
      else answerWith(response, statusOf(operation, data), data, headers)
    } catch (error) {
      if (error instanceof Refusal) answerWith(response, error.status, { message: error.message })
      else refuse(String(error))
    }
  }

  /** The GraphQL API answers what it refuses with status 200. */
  #serveGraphql(text: string, response: ServerResponse, refuse: (why: string) => void): void {
    const fault = this.#faultOf('graphql')
    const forbidden = { data: { minimizeComment: null }, errors: [{ type: 'FORBIDDEN', message: mayNot }] }
    if (fault === '403' || !this.permissions.has('pull-requests: write')) answerWith(response, 200, forbidden)
    else if (fault && !/-late$/.test(fault)) this.#fail(fault, response)
    else {
      try {
        const data = this.pullRequest.mutate(JSON.parse(text))
        if (fault) this.#fail(fault, response)
        else answerWith(response, 200, data)
      } catch (error) {
        refuse(String(error))
      }
    }
  }

  /** Notes a request, with what happens to it. */
  #faultOf(operation: string): string | undefined {
    const fault = this.faults.find((one) => one.operation === operation && one.times > 0)
    this.made.push({ operation, faulted: fault !== undefined })
    if (fault) fault.times--
    return fault?.fault
  }

  #fail(fault: string, response: ServerResponse): void {
    const refusal = refusals[fault]
    if (refusal) return void answerWith(response, refusal.status, { message: refusal.message }, refusal.headers)
    if (fault === 'cut' || fault === 'cut-late') response.destroy()
    if (fault === 'cut-inside') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"id": 1,', () => response.destroy())
    }
    if (fault === 'no-json') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>')
  }

  #obey(
    operation: string,
    params: Readonly<Record<string, string>>,
    query: URLSearchParams,
    body: Wanted & WantedReview & { body: string },
  ) {
    const needed = operation.startsWith('checks/') ? 'checks' : 'pull-requests'
    const isRead = /\/(?:get|list)/.test(operation)
    if (!this.permissions.has(`${needed}: write`) && !(isRead && this.permissions.has(`${needed}: read`)))
      throw new Refusal(403, mayNot)
    switch (operation) {
      case 'checks/create':
        return { data: this.#createCheckRun(body) }
      case 'checks/get':
        return { data: bare(this.#checkRun(params.check_run_id)) }
      case 'checks/update':
        return { data: this.#updateCheckRun(this.#checkRun(params.check_run_id), body) }
      case 'checks/list-for-ref': {
        const name = query.get('check_name')
        const runs = this.checkRuns.filter((run) => run.head_sha === params.ref && (!name || run.name === name))
        const { items, headers } = this.#page(runs.reverse().map(bare), `commits/${params.ref}/check-runs`, query)
        return { data: { total_count: runs.length, check_runs: items }, headers }
      }
      case 'issues/list-comments': {
        this.#pullRequest(params.issue_number)
        const { items, headers } = this.#page(this.comments, 'issues/1/comments', query)
        return { data: items, headers }
      }
      case 'issues/create-comment':
        this.#pullRequest(params.issue_number)
        return { data: this.comment(bodyIn(body), 'github-actions[bot]', 'Bot', 'NONE') }
      case 'issues/update-comment': {
        const index = this.comments.findIndex(({ id }) => id === Number(params.comment_id))
        const comment = this.comments[index]
        if (!comment) throw new Refusal(404, 'Not Found')
        const changed = { ...comment, body: bodyIn(body) }
        this.comments[index] = changed
        return { data: changed }
      }
      case 'pulls/list-files':
      case 'pulls/list-reviews':
      case 'pulls/list-review-comments': {
        this.#pullRequest(params.pull_number)
        const route = `pulls/1/${operation === 'pulls/list-review-comments' ? 'comments' : operation.slice('pulls/list-'.length)}`
        const { items, headers } = this.#page(this.pullRequest.list(operation), route, query)
        return { data: items, headers }
      }
      case 'pulls/create-review':
        this.#pullRequest(params.pull_number)
        return { data: this.pullRequest.review(body, this.#bot) }
      case 'pulls/update-review':
        this.#pullRequest(params.pull_number)
        return { data: this.pullRequest.updateReview(params.review_id, bodyIn(body)) }
      case 'pulls/update-review-comment':
        return { data: this.pullRequest.updateComment(params.comment_id, bodyIn(body)) }
    }
    throw new Error(`${operation} is described, and the tests' GitHub does not know it`)
  }

  #createCheckRun(body: Wanted): object {
    if (this.commits.size > 0 && !this.commits.has(body.head_sha))
      throw new Refusal(422, `No commit found for SHA: ${body.head_sha}`)
    const id = ++this.#lastId
    const run = {
      id,
      node_id: `CR_${id}`,
      head_sha: body.head_sha,
      name: body.name,
      external_id: '',
      url: `${this.url}/repos/acme/shop/check-runs/${id}`,
      html_url: `https://github.com/acme/shop/runs/${id}`,
      details_url: `https://github.com/acme/shop/runs/${id}`,
      status: 'queued' as const,
      conclusion: null,
      started_at: '2026-11-21T00:00:00Z',
      completed_at: null,
      output: {
        title: null,
        summary: null,
        text: null,
        annotations_count: 0,
        annotations_url: `${this.url}/annotations`,
      },
      check_suite: { id: 1 },
      app: null,
      pull_requests: [],
      annotations: [],
    } satisfies CheckRun & { annotations: Annotation[] }
    this.checkRuns.push(run)
    return this.#updateCheckRun(run, body)
  }

  /** Replaces the given fields, but adds annotations. Source: the description of checks/update */
  #updateCheckRun(run: CheckRun & { annotations: Annotation[] }, body: Wanted): object {
    const { annotations = [], ...output } = body.output ?? {}
    heedProse(body)
    run.annotations.push(...annotations)
    Object.assign(run, {
      external_id: body.external_id ?? run.external_id,
      status: body.status ?? run.status,
      conclusion: body.conclusion ?? run.conclusion,
      output: { ...run.output, ...output, annotations_count: run.annotations.length },
    })
    return bare(run)
  }

  #checkRun(id: string | undefined) {
    const run = this.checkRuns.find((one) => one.id === Number(id))
    if (!run) throw new Refusal(404, 'Not Found')
    return run
  }

  #pullRequest(number: string | undefined): void {
    if (number !== '1') throw new Refusal(404, 'Not Found')
  }

  #page<T>(all: readonly T[], route: string, query: URLSearchParams) {
    const size = Math.min(Number(query.get('per_page') ?? 30), 100)
    const page = Number(query.get('page') ?? 1)
    const items = all.slice((page - 1) * size, page * size)
    const headers: Record<string, string> = {}
    if (page * size < all.length) {
      const next = new URLSearchParams(query)
      next.set('page', `${page + 1}`)
      headers.link = `<${this.url}/repos/acme/shop/${route}?${next}>; rel="next"`
    }
    return { items, headers }
  }

  get #bot(): Pick<Comment, 'user' | 'author_association'> {
    return { user: this.#user('github-actions[bot]', 'Bot'), author_association: 'NONE' }
  }

  #user(login: string, type: 'Bot' | 'User') {
    const url = `${this.url}/users/${login}`
    const of = (part: string) => `${url}/${part}`
    return {
      login,
      id: login.length,
      node_id: `U_${login}`,
      avatar_url: 'https://avatars.githubusercontent.com/u/1',
      gravatar_id: '',
      url,
      html_url: `https://github.com/${login}`,
      followers_url: of('followers'),
      following_url: of('following'),
      gists_url: of('gists'),
      starred_url: of('starred'),
      subscriptions_url: of('subscriptions'),
      organizations_url: of('orgs'),
      repos_url: of('repos'),
      events_url: of('events'),
      received_events_url: of('received_events'),
      type,
      site_admin: false,
    }
  }
}

/** The requested change of a check run, after the description has validated it. */
interface Wanted {
  readonly name: string
  readonly head_sha: string
  readonly external_id?: string
  readonly status?: CheckRun['status']
  readonly conclusion?: NonNullable<CheckRun['conclusion']>
  readonly output?: { readonly title?: string; readonly summary?: string; readonly annotations?: Annotation[] }
}

/** The limits that the description of the API states in words. */
function heedProse({ output, status, conclusion }: Wanted): void {
  const longer = (text: string | undefined, bytes: number) => Buffer.byteLength(text ?? '') > bytes
  if (status === 'completed' && !conclusion) throw new Error('completed without a conclusion')
  if (longer(output?.summary, 65_535)) throw new Error('the summary is too long')
  for (const { path, title, message, start_line, end_line, start_column, end_column } of output?.annotations ?? []) {
    if (path === '' || path.startsWith('/')) throw new Error(`no path of the repository: ${path}`)
    if (longer(title, 255)) throw new Error('a title is too long')
    if (longer(message, 64_000) || message === '') throw new Error('a message is empty or too long')
    if (start_line < 1 || end_line < start_line) throw new Error(`no lines: ${start_line} to ${end_line}`)
    if ((start_column === undefined) !== (end_column === undefined)) throw new Error('half a column')
    if (start_column !== undefined && (start_line !== end_line || start_column < 1))
      throw new Error('columns are for one line')
  }
}

function bodyIn({ body }: { body: string }): string {
  if (body.length > 65_536) throw new Error('the comment is too long')
  return body
}

function bare({ annotations: _, ...run }: CheckRun & { annotations: Annotation[] }): CheckRun {
  return run
}

function answerWith(
  response: ServerResponse,
  status: number,
  data: object,
  headers: Record<string, string> = {},
): void {
  const body = status < 400 ? data : { ...data, documentation_url: 'https://docs.github.com/rest', status: `${status}` }
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    .end(JSON.stringify(body))
}
