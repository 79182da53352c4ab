import path from 'node:path'
import { digestOf } from './cache/cache-folder'
import { FetchFailure } from './connection/failure'
import type { Fetched } from './connection/fetching'
import type { HttpClient } from './connection/http-client'
import type { FetchLimits } from './connection/limits'
import { type Place, shown } from './connection/place'

/** Files by their URL: remote resources of Kustomizations. Each is asked for once in a run. */
export class SingleFiles {
  private readonly done = new Map<string, Promise<Fetched>>()

  constructor(
    private readonly http: HttpClient,
    private readonly limits: FetchLimits,
  ) {}

  /** @throws FetchFailure */
  fetch({ url }: Place): Promise<Fetched> {
    const done = this.done.get(url.href) ?? this.get(url)
    this.done.set(url.href, done)
    return done
  }

  private async get(url: URL): Promise<Fetched> {
    const { status, body } = await this.http.get({ url, most: this.limits.archiveBytes, compressed: true })
    if (status === 401 || status === 403)
      throw new FetchFailure('place-denied', `${shown(url)} answers ${status}: it requires credentials`)
    if (status === 404 || status === 410) throw new FetchFailure('version-missing', `${shown(url)} answers ${status}`)
    if (status !== 200) throw new FetchFailure('place-unreachable', `${shown(url)} answers ${status}`)
    const digest = `sha256:${digestOf(body)}`
    return { version: digest, digest, files: new Map([[path.posix.basename(url.pathname), body]]) }
  }
}
