import type { AskedOnce, FetchRequest } from '../../fetch/asked-once'
import type { Fetched, FetchFault, Fetching } from '../../fetch/connection/fetching'
import type { SideOfChange } from '../../sides/side'
import { placesNamedBy } from './named-places'
import type { Scope } from './scope'

/** The fetching of a run, and its requests so far. */
export interface Fetches {
  /** Asks places that the base names, and those of its config. */
  from(places: readonly string[]): Promise<Fetching>
  readonly asked: AskedOnce
}

/** Asks for a chart, tree or file; a trial gets no answer to a request that the change did not make. */
export type Ask = (request: FetchRequest) => Promise<Fetched | FetchFault | undefined>

/** Asks each place once. A trial gets the answers that the change got. */
export function asking(
  base: SideOfChange | undefined,
  { fetches, isTrial, renderer: { budget } }: Pick<Scope, 'fetches' | 'isTrial' | 'renderer'>,
): Ask | undefined {
  if (!base || !fetches) return undefined
  let opened: Promise<Fetching> | undefined
  return (request) => {
    if (isTrial) return fetches.asked.known(request) ?? Promise.resolve(undefined)
    return fetches.asked.ask(request, async () => {
      opened ??= placesNamedBy(base).then((places) => fetches.from(places))
      const fetching = await opened
      budget.doing(`fetching from ${request.kind === 'file' ? request.url : request.repository}`)
      switch (request.kind) {
        case 'chart':
          return fetching.chart(request)
        case 'tree':
          return fetching.tree(request)
        case 'file':
          return fetching.file(request.url, request.place)
      }
    })
  }
}
