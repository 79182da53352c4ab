import { homedir } from 'node:os'
import path from 'node:path'
import type { ChartRequest } from '../../fetch/connection/fetching'
import { placeOf } from '../../fetch/connection/place'
import { TrustedPlaces } from '../../fetch/connection/trust'
import { Fetcher } from '../../fetch/fetcher'

/** Charts that other charts depend on, from the repositories that the config of the base names, and from no others. */
export class ChartNetwork {
  private readonly allowed: ReadonlySet<string>

  /** @param allowed URLs of repositories */
  constructor(
    allowed: readonly string[],
    private readonly fetcher = new Fetcher({
      trusted: new TrustedPlaces([], { charts: allowed, git: [] }),
      cache: sharedFolder(),
    }),
  ) {
    this.allowed = new Set(allowed.flatMap((url) => placeOf(url)?.key ?? []))
  }

  allows(repository: string): boolean {
    const place = placeOf(repository)
    return place !== undefined && this.allowed.has(place.key)
  }

  /** @throws Error with a message that describes the fault */
  async fetch(request: ChartRequest): Promise<Uint8Array> {
    const archive = await this.fetcher.archive(request)
    if ('cause' in archive) throw new Error(archive.reason)
    return archive.bytes
  }
}

/** A folder of the machine that outlives the run. */
function sharedFolder(): string {
  const { RUNNER_TOOL_CACHE, XDG_CACHE_HOME } = process.env
  return path.join(RUNNER_TOOL_CACHE ?? XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'ingress-guard')
}
