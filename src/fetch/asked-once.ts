import type { ChartRequest, Fetched, FetchFault, TreeRequest } from './connection/fetching'

/** A chart, or a tree that may have one. */
export type PackageRequest = ({ readonly kind: 'chart' } & ChartRequest) | ({ readonly kind: 'tree' } & TreeRequest)

/** A request for a chart, a tree or a file. */
export type FetchRequest = PackageRequest | { readonly kind: 'file'; readonly url: string; readonly place: string }

/**
 * The requests of a run with their answers: the trials of a change repeat only requests that the change itself made.
 */
export class AskedOnce {
  private readonly answers = new Map<string, Promise<Fetched | FetchFault>>()

  /** The answer to a request, asked for where it is not known yet. */
  ask(request: FetchRequest, answer: () => Promise<Fetched | FetchFault>): Promise<Fetched | FetchFault> {
    const known = this.known(request) ?? answer()
    this.answers.set(keyOf(request), known)
    return known
  }

  known(request: FetchRequest): Promise<Fetched | FetchFault> | undefined {
    return this.answers.get(keyOf(request))
  }
}

function keyOf(request: FetchRequest): string {
  return JSON.stringify(Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1)))
}
