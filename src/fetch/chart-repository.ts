import type { Archive } from './archive'
import type { AnswerCache } from './cache/answer-cache'
import type { ArchiveCache } from './cache/archive-cache'
import { digestOf } from './cache/cache-folder'
import { chosenOf, type IndexEntry, versionsIn } from './chart-index'
import { isOneVersion } from './connection/constraint'
import { codeOf, FetchFailure } from './connection/failure'
import type { HttpClient } from './connection/http-client'
import type { FetchLimits } from './connection/limits'
import { type Place, shown } from './connection/place'
import { revalidated } from './revalidated'

/**
 * Charts of repositories with an `index.yaml`. Each index is asked for once in a run, and each archive; neither is asked
 * for where the cache has the version.
 */
export class ChartRepositories {
  private readonly indexes = new Map<string, Promise<Buffer>>()
  private readonly archives = new Map<string, Promise<Archive>>()

  constructor(
    private readonly http: HttpClient,
    private readonly limits: FetchLimits,
    private readonly cache: ArchiveCache,
    private readonly answers: AnswerCache,
    /** Fetches an archive that the index says is in a registry. */
    private readonly fromRegistry: (url: string) => Promise<Archive>,
  ) {}

  /** @throws FetchFailure */
  async fetch(place: Place, chart: string, version: string): Promise<Archive> {
    const question = ['chart', place.key, chart, version]
    const known = isOneVersion(version) ? await this.kept(question) : undefined
    if (known) return known
    const index = this.indexes.get(place.key) ?? this.index(place)
    this.indexes.set(place.key, index)
    const entry = entryIn(await index, place, chart, version)
    const id = `${place.key} ${entry.url} ${entry.sha256}`
    const archive = this.archives.get(id) ?? this.archive(place, chart, entry)
    this.archives.set(id, archive)
    const fetched = { ...(await archive), version: entry.version }
    // A range may come to another version tomorrow.
    if (fetched.isChart && isOneVersion(version, entry.version))
      await this.answers.write(question, { version: entry.version, sha256: fetched.sha256 })
    return fetched
  }

  /** A version that was fetched from the same place before. */
  private async kept(question: readonly string[]): Promise<Archive | undefined> {
    const { version = '', sha256 = '' } = (await this.answers.read(question))?.parts ?? {}
    const bytes = await this.cache.read(sha256)
    return bytes && { version, sha256, bytes, isChart: true }
  }

  private async index(place: Place): Promise<Buffer> {
    const url = new URL('index.yaml', rootOf(place))
    const answer = await revalidated(this.http, this.answers, { url, most: this.limits.indexBytes, compressed: true })
    if (answer.status === 401 || answer.status === 403)
      throw new FetchFailure('place-denied', `${shown(url)} answers ${answer.status}: it requires credentials`)
    // A place that requires a login may answer as if there were nothing, so that is no proof that nothing exists.
    if (answer.status !== 200) throw new FetchFailure('place-unreachable', `${shown(url)} answers ${answer.status}`)
    return answer.body
  }

  private async archive(place: Place, chart: string, entry: IndexEntry): Promise<Archive> {
    const kept = entry.sha256 ? await this.cache.read(entry.sha256) : undefined
    if (kept) return { version: entry.version, sha256: entry.sha256, bytes: kept, isChart: true }
    if (entry.url.startsWith('oci://')) {
      const archive = await this.fromRegistry(entry.url)
      if (entry.sha256 && archive.sha256 !== entry.sha256) throw differs(place, entry)
      return archive
    }
    const url = archiveUrl(place, chart, entry)
    const answer = await this.http.get({ url, most: this.limits.archiveBytes })
    const named = `${chart} ${entry.version} of ${shown(place.url)}`
    if (answer.status === 401 || answer.status === 403)
      throw new FetchFailure(
        'place-denied',
        `${shown(url)}, the archive of ${named}, answers ${answer.status}: it requires credentials`,
      )
    if (answer.status !== 200)
      throw new FetchFailure(
        answer.status === 404 || answer.status === 410 ? 'version-missing' : 'place-unreachable',
        `${shown(url)}, the archive of ${named}, answers ${answer.status}`,
      )
    const sha256 = digestOf(answer.body)
    if (entry.sha256 && sha256 !== entry.sha256) throw differs(place, entry)
    await this.cache.write(sha256, answer.body)
    return { version: entry.version, sha256, bytes: answer.body, isChart: true }
  }
}

function differs(place: Place, { url }: IndexEntry): FetchFailure {
  return new FetchFailure('content-invalid', `${url} does not match the digest that ${shown(place.url)} lists`)
}

function rootOf({ url }: Place): string {
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

function entryIn(index: Buffer, place: Place, chart: string, version: string): IndexEntry {
  let versions: readonly IndexEntry[] | undefined
  try {
    versions = versionsIn(index, chart)
  } catch (error) {
    const [why] = codeOf(error).split('\n', 1)
    throw new FetchFailure('content-invalid', `${shown(place.url)} has no valid index: ${why}`)
  }
  const missing = (what: string) => new FetchFailure('version-missing', `${shown(place.url)} has no ${what}`)
  if (!versions) throw missing(`chart ${chart}`)
  const entry = chosenOf(versions, version)
  if (!entry) throw missing(version === '' ? `release of ${chart}` : `${chart} ${version}`)
  if (entry.url === '') throw missing(`archive of ${chart} ${entry.version}`)
  return entry
}

/** @throws FetchFailure for a URL that no archive is fetched from */
function archiveUrl(place: Place, chart: string, entry: IndexEntry): URL {
  const url = URL.canParse(entry.url, rootOf(place)) ? new URL(entry.url, rootOf(place)) : undefined
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && place.scheme === 'http')
  if (url && isWeb && !url.username && !url.password) return url
  throw new FetchFailure(
    'place-refused',
    `the index of ${shown(place.url)} names ${JSON.stringify(entry.url)} as the archive of ${chart} ${entry.version}, which is not an https URL`,
  )
}
