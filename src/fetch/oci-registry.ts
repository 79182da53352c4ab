import type { Archive } from './archive'
import type { AnswerCache } from './cache/answer-cache'
import type { ArchiveCache } from './cache/archive-cache'
import { digestOf } from './cache/cache-folder'
import { chosenOf } from './chart-index'
import { constraintOf, isOneVersion, versionOf } from './connection/constraint'
import { FetchFailure } from './connection/failure'
import type { HttpAnswer } from './connection/http-client'
import type { FetchLimits } from './connection/limits'
import { type Place, placeOf } from './connection/place'
import type { RegistryClient, RegistryName } from './oci-registry-client'
import { registryHost } from './registry-credentials'

const chartLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
const chartConfig = 'application/vnd.cncf.helm.config.v1+json'
const manifests = ['application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.v2+json']
const manifestBytes = 4 * 1024 * 1024
const mostPages = 100

/**
 * Charts and artifacts of OCI registries. The tags of each name are listed once in a run, and each archive is fetched
 * once.
 */
export class Registries {
  private readonly tags = new Map<string, Promise<readonly string[]>>()
  private readonly archives = new Map<string, Promise<Archive>>()

  constructor(
    private readonly client: RegistryClient,
    private readonly limits: FetchLimits,
    private readonly cache: ArchiveCache,
    private readonly answers: AnswerCache,
  ) {}

  /**
   * @param version a version, a range, a digest, or empty
   * @param tag an exact tag, in place of the version
   * @throws FetchFailure
   */
  async fetch(place: Place, chart: string, version: string, tag?: string): Promise<Archive> {
    const from = nameOf(place, chart)
    const reference = tag ?? (await this.referenceOf(from, version))
    const id = `${from.origin} ${from.name} ${reference}`
    const archive = this.archives.get(id) ?? this.archive(from, reference)
    this.archives.set(id, archive)
    return await archive
  }

  /** Fetches a chart that an index names as `oci://host/name:tag`. */
  async fetchUrl(url: string): Promise<Archive> {
    const colon = url.lastIndexOf(':')
    const place = placeOf(url.slice(0, colon))
    if (place?.scheme === 'oci') return await this.fetch(place, '', '', url.slice(colon + 1))
    throw new FetchFailure('place-refused', `${JSON.stringify(url)} does not name a tag in a registry`)
  }

  /** The tag or digest of a version. A whole version is the tag; charts have `_` in it where the version has `+`. */
  private async referenceOf(from: RegistryName, version: string): Promise<string> {
    if (isDigest(version)) return version
    const constraint = versionOf(version) ? undefined : constraintOf(version === '' ? '*' : version)
    if (!constraint) return version.replaceAll('+', '_')
    const tags = this.tags.get(from.shown) ?? this.listTags(from)
    this.tags.set(from.shown, tags)
    const versions = (await tags).map((tag) => ({
      version: tag.replaceAll('_', '+'),
      url: tag,
      sha256: '',
      created: '',
    }))
    const chosen = chosenOf(versions, version)
    if (chosen) return chosen.url
    const wanted = version === '' ? 'a release' : version
    throw new FetchFailure('version-missing', `${from.shown} has no tag that is ${wanted}`)
  }

  private async listTags(from: RegistryName): Promise<readonly string[]> {
    const all: string[] = []
    let path = 'tags/list?n=1000'
    for (let page = 0; page < mostPages; page++) {
      const answer = await this.client.get(from, path, manifestBytes)
      if (answer.status !== 200) throw refusal(from, answer, 'its tags')
      const { tags } = jsonIn(answer.body, `the list of tags of ${from.shown}`)
      if (Array.isArray(tags)) all.push(...tags.filter((tag) => typeof tag === 'string'))
      const next = nextPage(answer.headers.link, from)
      if (next === undefined) return all
      path = next
    }
    throw new FetchFailure('content-too-large', `${from.shown} has more than ${mostPages} pages of tags`)
  }

  private async archive(from: RegistryName, reference: string): Promise<Archive> {
    if (!isDigest(reference) && !/^\w[\w.-]{0,127}$/.test(reference))
      throw new FetchFailure(
        'version-missing',
        `${from.shown} has no tag ${JSON.stringify(reference)}, as that is not valid`,
      )
    const named = `${from.shown}${isDigest(reference) ? '@' : ':'}${reference}`
    const version = isDigest(reference) ? reference : reference.replaceAll('_', '+')
    // Any other tag may be moved.
    const isLasting = isDigest(reference) || isOneVersion(version)
    const question = ['artifact', from.origin, from.name, reference]
    const kept = isLasting ? await this.kept(question) : undefined
    if (kept) return { version, ...kept }
    const answer = await this.client.get(from, `manifests/${reference}`, manifestBytes, manifests.join(', '))
    if (answer.status !== 200) throw refusal(from, answer, reference)
    const digest = `sha256:${digestOf(answer.body)}`
    const promised = isDigest(reference) ? reference : answer.headers['docker-content-digest']
    if (promised !== undefined && promised !== digest)
      throw new FetchFailure('content-invalid', `${named} does not have the digest ${promised}`)
    const layer = layerOf(jsonIn(answer.body, `the manifest of ${named}`), named)
    const archive = await this.layer(from, layer, named)
    const { isChart, sha256 } = layer
    if (isLasting)
      await this.answers.write(question, { sha256, manifest: digest, type: isChart ? 'chart' : 'artifact' })
    return { version, ...archive, isChart, manifest: digest }
  }

  private async kept(question: readonly string[]): Promise<Omit<Archive, 'version'> | undefined> {
    const { sha256 = '', manifest = '', type } = (await this.answers.read(question))?.parts ?? {}
    const bytes = await this.cache.read(sha256)
    return bytes && { sha256, bytes, manifest, isChart: type === 'chart' }
  }

  private async layer(from: RegistryName, { sha256, size }: Layer, named: string) {
    const kept = await this.cache.read(sha256)
    if (kept) return { sha256, bytes: kept }
    const tooLarge = `${named} has more than ${Math.round(this.limits.archiveBytes / 1024 / 1024)} MiB`
    if (size > this.limits.archiveBytes) throw new FetchFailure('content-too-large', tooLarge)
    const answer = await this.client.get(from, `blobs/sha256:${sha256}`, this.limits.archiveBytes)
    if (answer.status !== 200) throw refusal(from, answer, `the content sha256:${sha256} of ${named}`)
    if (digestOf(answer.body) !== sha256)
      throw new FetchFailure('content-invalid', `the content of ${named} does not have the digest sha256:${sha256}`)
    await this.cache.write(sha256, answer.body)
    return { sha256, bytes: answer.body }
  }
}

/** @throws FetchFailure */
function nameOf({ url, key }: Place, chart: string): RegistryName {
  const shown = chart === '' ? key : `${key}/${chart}`
  const name = `${url.pathname}/${chart}`.split('/').filter(Boolean).join('/')
  if (name === '' || !name.split('/').every((part) => /^[a-z0-9][a-z0-9._-]*$/.test(part)))
    throw new FetchFailure('place-refused', `${shown} is not the name of a chart or an artifact in a registry`)
  // Like containerd: a registry of this machine has no certificate.
  const scheme =
    url.hostname === 'localhost' || url.hostname === '[::1]' || url.hostname.startsWith('127.') ? 'http' : 'https'
  return { origin: `${scheme}://${registryHost(url.host)}`, host: url.host, name, shown }
}

function isDigest(reference: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(reference)
}

interface Layer {
  readonly sha256: string
  readonly size: number
  readonly isChart: boolean
}

/** The chart, or the first layer: Flux takes that of an artifact. */
function layerOf(manifest: Record<string, unknown>, named: string): Layer {
  const { layers, config } = manifest
  const all: unknown[] = Array.isArray(layers) ? layers : []
  const chosen = all.find((layer) => mediaTypeOf(layer) === chartLayer) ?? all[0]
  const { digest, size } = (chosen ?? {}) as Record<string, unknown>
  if (typeof digest !== 'string' || !isDigest(digest))
    throw new FetchFailure(
      'content-invalid',
      `${named} is no chart and no artifact: its manifest has no layer with a digest of sha256`,
    )
  const isChart = mediaTypeOf(chosen) === chartLayer || mediaTypeOf(config) === chartConfig
  return { sha256: digest.slice('sha256:'.length), size: Number(size), isChart }
}

function mediaTypeOf(descriptor: unknown): unknown {
  return typeof descriptor === 'object' && descriptor !== null && 'mediaType' in descriptor ? descriptor.mediaType : ''
}

function jsonIn(body: Buffer, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {}
  throw new FetchFailure('content-invalid', `${what} is not valid JSON`)
}

/** The path of the next page: `</v2/charts/web/tags/list?last=1.2.0&n=1000>; rel="next"`. */
function nextPage(link: string | string[] | undefined, from: RegistryName): string | undefined {
  const text = String(link ?? '')
  const to = text.slice(text.indexOf('<') + 1, text.indexOf('>'))
  if (!text.slice(text.indexOf('>')).includes('next')) return undefined
  const start = `/v2/${from.name}/`
  if (!URL.canParse(to, from.origin)) return undefined
  const url = new URL(to, from.origin)
  const isOwn = url.origin === from.origin && url.pathname === `${start}tags/list`
  if (isOwn) return `tags/list${url.search}`
  throw new FetchFailure('place-refused', `${from.shown} continues its list of tags at another URL`)
}

function refusal({ shown }: RegistryName, { status }: HttpAnswer, what: string): FetchFailure {
  if (status === 401 || status === 403)
    return new FetchFailure(
      'place-denied',
      `${shown} answers ${status} to the request for ${what}: it requires credentials`,
    )
  if (status === 404) return new FetchFailure('version-missing', `${shown} does not have ${what}: it answers 404`)
  return new FetchFailure('place-unreachable', `${shown} answers ${status} to the request for ${what}`)
}
