import { entryOf } from '../entry'

/** The error of a failed request. Source: the class RequestError of @octokit/request-error */
interface RequestFailure {
  readonly status: number
  readonly message: string
  /** None where no answer came. */
  readonly response?: { readonly headers: Readonly<Record<string, string | number | undefined>> }
}

function failureOf(error: unknown): RequestFailure | undefined {
  return error instanceof Error && 'status' in error ? (error as Error & RequestFailure) : undefined
}

/**
 * The token lacks a permission: GitHub's words for its own tokens and fine-grained ones, and for classic ones at
 * checks.
 */
export function isForbidden(error: unknown): boolean {
  const failure = failureOf(error)
  return (
    failure?.status === 403 &&
    /^(?:Resource not accessible by |You must authenticate via a GitHub App)/i.test(failure.message)
  )
}

/** No answer came, or one that leaves open whether the request was carried out. */
export function isLost(error: unknown): boolean {
  return (failureOf(error)?.status ?? 0) >= 500
}

/** The error in a few words; GitHub appends a page of its documentation. */
export function reasonOf(error: unknown): string {
  const failure = failureOf(error)
  const [line = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n')
  const content = line.replace(/ - https:\S+$/, '')
  const words = content.length > 200 ? `${content.slice(0, 200)}…` : content
  return failure?.response ? `${failure.status}: ${words}` : words
}

/** GitHub asks for a minute where it names no time. */
const unnamedPause = 60_000

/**
 * The milliseconds to wait before the request is repeated; undefined if repeating is useless. Source: docs.github.com,
 * "Best practices for using the REST API", on rate limits
 */
export function pauseAfter(error: unknown, tries: number): number | undefined {
  const failure = failureOf(error)
  if (!failure) return undefined
  const { status, message, response } = failure
  const headers = response?.headers ?? {}
  const named = Number(headers['retry-after'] ?? Number.NaN) * 1000
  const isSpent = headers['x-ratelimit-remaining'] === '0'
  if (status === 429 || (status === 403 && (isSpent || named >= 0 || /secondary rate limit/i.test(message)))) {
    if (named >= 0) return named
    return isSpent ? Math.max(Number(headers['x-ratelimit-reset']) * 1000 - Date.now(), 0) : unnamedPause
  }
  if (status < 500) return undefined
  return named >= 0 ? named : 1000 * 2 ** (tries - 1)
}

/** The statuses of the REST API for the types of errors that the GraphQL API answers with status 200. */
const statuses: Readonly<Record<string, number>> = { FORBIDDEN: 403, NOT_FOUND: 404, RATE_LIMITED: 429 }

/**
 * Throws an error of the GraphQL API as the REST API would answer it. Source: the class GraphqlResponseError of
 * @octokit/graphql
 */
export function asRequestError(error: unknown): never {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors)) throw error
  const [{ type = '', message = '' } = {}] = error.errors
  const headers = 'headers' in error ? error.headers : {}
  throw Object.assign(new Error(message), { status: entryOf(statuses, type) ?? 422, response: { headers } })
}
