import type { FetchCause, FetchFault } from './fetching'

/** Ends a fetch; the `Fetcher` answers its fault. */
export class FetchFailure extends Error {
  readonly fault: FetchFault

  constructor(cause: FetchCause, reason: string) {
    super(reason)
    this.fault = { cause, reason }
  }
}

/** The code of an error of Node, such as `ECONNREFUSED`, or its message. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  if ('code' in error && typeof error.code === 'string') return error.code
  return 'message' in error ? String(error.message) : 'unknown'
}
