import path from 'node:path'
import type { AnswerCache } from './cache/answer-cache'
import { digestOf } from './cache/cache-folder'
import { isOneVersion } from './connection/constraint'
import { FetchFailure } from './connection/failure'
import type { Fetched } from './connection/fetching'
import type { HttpClient } from './connection/http-client'
import type { FetchLimits } from './connection/limits'
import { type Place, shown } from './connection/place'
import { revalidated } from './revalidated'

/**
 * Files by their URL: remote resources of Kustomizations. Each is asked for once in a run, and one below the name of a
 * version (`/download/v1.2.0/`) once by all runs that share a cache.
 */
export class SingleFiles {
  private readonly done = new Map<string, Promise<Fetched>>()

  constructor(
    private readonly http: HttpClient,
    private readonly limits: FetchLimits,
    private readonly answers: AnswerCache,
  ) {}

  /** @throws FetchFailure */
  fetch({ url }: Place): Promise<Fetched> {
    const done = this.done.get(url.href) ?? this.get(url)
    this.done.set(url.href, done)
    return done
  }

  private async get(url: URL): Promise<Fetched> {
    const question = ['file', url.href]
    const isLasting = url.pathname.split('/').some((name) => isOneVersion(name))
    const kept = isLasting ? await this.answers.read(question) : undefined
    if (kept) return fileOf(url, kept.content)
    const request = { url, most: this.limits.archiveBytes, compressed: true }
    const { status, body } = isLasting
      ? await this.http.get(request)
      : await revalidated(this.http, this.answers, request)
    if (status === 401 || status === 403)
      throw new FetchFailure('place-denied', `${shown(url)} answers ${status}: it requires credentials`)
    if (status === 404 || status === 410) throw new FetchFailure('version-missing', `${shown(url)} answers ${status}`)
    if (status !== 200) throw new FetchFailure('place-unreachable', `${shown(url)} answers ${status}`)
    if (isLasting) await this.answers.write(question, {}, body)
    return fileOf(url, body)
  }
}

function fileOf({ pathname }: URL, content: Buffer): Fetched {
  const digest = `sha256:${digestOf(content)}`
  return { version: digest, digest, files: new Map([[path.posix.basename(pathname), content]]) }
}
