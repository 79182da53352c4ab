import { Budget } from '../budget'
import { type Archive, unpack } from './archive'
import { AnswerCache } from './cache/answer-cache'
import { ArchiveCache } from './cache/archive-cache'
import { CacheFolder } from './cache/cache-folder'
import { TreeCache } from './cache/tree-cache'
import { ChartRepositories } from './chart-repository'
import { type ResolveHost, resolveBySystem } from './connection/address'
import { FetchFailure } from './connection/failure'
import type { ChartRequest, FetchCause, Fetched, FetchFault, Fetching, TreeRequest } from './connection/fetching'
import { HttpClient } from './connection/http-client'
import { defaultFetchLimits, type FetchLimits } from './connection/limits'
import { type Place, placeOf } from './connection/place'
import type { TrustedPlaces } from './connection/trust'
import { Turns } from './connection/turns'
import { GitTrees } from './git/git-trees'
import { Registries } from './oci-registry'
import { RegistryClient } from './oci-registry-client'
import { type Credentials, credentialsOf, registryConfigs } from './registry-credentials'
import { SingleFiles } from './single-files'

/** The settings of a fetcher: its trusted places and its limits. */
export interface FetcherOptions {
  readonly trusted: TrustedPlaces
  /** Fetches nothing. */
  readonly offline?: boolean
  /** Keeps archives beyond the run. */
  readonly cache?: string | undefined
  readonly budget?: Budget
  readonly limits?: Partial<FetchLimits>
  /** Resolves the names of hosts. */
  readonly resolve?: ResolveHost
  /** By default, the credentials of `helm registry login` and `docker login`. */
  readonly credentials?: Credentials
}

/** The parts that all fetchers of a run share: connections, results, and hosts that could not be reached. */
interface SharedFetching {
  readonly limits: FetchLimits
  readonly repositories: ChartRepositories
  readonly registries: Registries
  readonly trees: GitTrees
  readonly files: SingleFiles
  /** The places that could not be reached; none is asked again. */
  readonly unreachable: Map<string, FetchFailure>
}

/** Fetches charts and trees from trusted places, and from no others. */
export class Fetcher implements Fetching {
  private readonly done = new Map<string, Promise<Fetched | FetchFault>>()

  constructor(
    private readonly options: FetcherOptions,
    private readonly shared = sharedOf(options),
  ) {}

  /** A fetcher that trusts more places: those that objects of the base name. It shares the results of this one. */
  trusting(base: Iterable<string>): Fetcher {
    return new Fetcher({ ...this.options, trusted: this.options.trusted.and(base) }, this.shared)
  }

  /** Deletes the files of this run. */
  close(): void {
    this.shared.trees.close()
  }

  chart(request: ChartRequest): Promise<Fetched | FetchFault> {
    return this.once(['chart', request], async () => {
      const { version, sha256, bytes, isChart, manifest } = await this.archiveOf(request)
      const what = `${request.chart || request.repository} ${version}`
      const files = await unpack(bytes, what, { hasTop: isChart, limits: this.shared.limits })
      if (isChart && !files.has('Chart.yaml'))
        throw new FetchFailure('content-invalid', `${what} is no chart: it has no Chart.yaml`)
      // From the same archive, an artifact keeps the top folder, and a chart does not.
      const digest = `${isChart ? '' : 'artifact '}sha256:${sha256}`
      return { version, digest, files, ...(manifest ? { manifest } : {}) }
    })
  }

  tree(request: TreeRequest): Promise<Fetched | FetchFault> {
    return this.once(['tree', request], async () => {
      const place = this.placeOf(request.repository, ['https', 'http', 'ssh'])
      if (!this.options.trusted.trusts(place)) throw untrusted(place)
      return await this.at(place, () => this.shared.trees.fetch(place, request))
    })
  }

  file(url: string, place = url): Promise<Fetched | FetchFault> {
    return this.once(['file', url, place], async () => {
      const [file, above] = [this.placeOf(url, ['https', 'http']), this.placeOf(place, ['https', 'http'])]
      if (!this.options.trusted.trustsFile(file, above)) throw untrusted(above)
      return await this.at(file, () => this.shared.files.fetch(file))
    })
  }

  /** A chart as it was packed, for a tool that unpacks it. */
  async archive(request: ChartRequest): Promise<Archive | FetchFault> {
    return await this.archiveOf(request).catch(faultOf)
  }

  private once(key: unknown, work: () => Promise<Fetched>): Promise<Fetched | FetchFault> {
    const id = JSON.stringify(key)
    const done = this.done.get(id) ?? work().catch(faultOf)
    this.done.set(id, done)
    return done
  }

  private async archiveOf({ repository, chart, version, tag }: ChartRequest): Promise<Archive> {
    const { trusted } = this.options
    const { repositories, registries } = this.shared
    const place = this.placeOf(repository, ['https', 'http', 'oci'])
    const inRegistry = place.scheme === 'oci'
    if (inRegistry ? !trusted.trustsChart(place, chart) : !trusted.trusts(place)) throw untrusted(place)
    return await this.at(place, () =>
      inRegistry ? registries.fetch(place, chart, version, tag) : repositories.fetch(place, chart, version),
    )
  }

  /** @throws FetchFailure */
  private placeOf(repository: string, schemes: readonly Place['scheme'][]): Place {
    if (this.options.offline) throw new FetchFailure('fetch-off', 'fetching is off')
    const place = placeOf(repository)
    if (place && schemes.includes(place.scheme)) return place
    throw new FetchFailure('place-refused', `${JSON.stringify(repository)} is not a URL that is fetched from`)
  }

  private async at<T>(place: Place, work: () => Promise<T>): Promise<T> {
    const known = this.shared.unreachable.get(place.key)
    if (known) throw known
    return await work().catch((error: unknown) => {
      if (error instanceof FetchFailure && isFinal.has(error.fault.cause)) this.shared.unreachable.set(place.key, error)
      throw error
    })
  }
}

function sharedOf(options: FetcherOptions): SharedFetching {
  const { trusted, budget = new Budget(), resolve = resolveBySystem, credentials } = options
  const limits = { ...defaultFetchLimits, ...options.limits }
  const folder = new CacheFolder(options.cache)
  const [cache, answers] = [new ArchiveCache(folder), new AnswerCache(folder)]
  const turns = new Turns(limits, budget)
  const http = new HttpClient(limits, turns, (url) => trusted.mayBePrivate(url), resolve)
  const client = new RegistryClient(http, credentials ?? credentialsOf(registryConfigs()))
  const registries = new Registries(client, limits, cache, answers)
  const repositories = new ChartRepositories(http, limits, cache, answers, (url) => registries.fetchUrl(url))
  const trees = new GitTrees({
    http,
    limits,
    turns,
    resolve,
    cache: new TreeCache(folder),
    answers,
    mayBePrivate: (place) => trusted.isNamed(place),
  })
  const files = new SingleFiles(http, limits, answers)
  return { limits, repositories, registries, trees, files, unreachable: new Map() }
}

const isFinal: ReadonlySet<FetchCause> = new Set(['place-unreachable'])

function untrusted(place: Place): FetchFailure {
  return new FetchFailure('place-new', `${place.key} is not named by the base`)
}

/** A fault of the network is an answer; any other error is one of this program. */
function faultOf(error: unknown): FetchFault {
  if (error instanceof FetchFailure) return error.fault
  throw error
}
