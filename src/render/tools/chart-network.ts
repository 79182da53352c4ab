import { homedir } from 'node:os'
import path from 'node:path'
import type { ChartRequest } from '../../fetch/connection/fetching'
import { placeOf } from '../../fetch/connection/place'
import { TrustedPlaces } from '../../fetch/connection/trust'
import type { Fetcher } from '../../fetch/fetcher'

/** Charts that other charts depend on, from the repositories that the config of the base names, and from no others. */
export class ChartNetwork {
  private readonly allowed: ReadonlySet<string>
  private fetcher: Promise<Fetcher> | undefined

  /** @param urls of repositories */
  constructor(private readonly urls: readonly string[]) {
    this.allowed = new Set(urls.flatMap((url) => placeOf(url)?.key ?? []))
  }

  allows(repository: string): boolean {
    const place = placeOf(repository)
    return place !== undefined && this.allowed.has(place.key)
  }

  /** @throws Error with a message that describes the fault */
  async fetch(request: ChartRequest): Promise<Uint8Array> {
    this.fetcher ??= this.opened()
    const archive = await (await this.fetcher).archive(request)
    if ('cause' in archive) throw new Error(archive.reason)
    return archive.bytes
  }

  /** Few runs fetch, and what connects takes long to load. */
  private async opened(): Promise<Fetcher> {
    const { Fetcher } = await import('../../fetch/fetcher')
    const trusted = new TrustedPlaces([], { charts: this.urls, git: [] })
    return new Fetcher({ trusted, cache: sharedFolder() })
  }
}

/** A folder of the machine that outlives the run. */
function sharedFolder(): string {
  const { RUNNER_TOOL_CACHE, XDG_CACHE_HOME } = process.env
  return path.join(RUNNER_TOOL_CACHE ?? XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'ingress-guard')
}
