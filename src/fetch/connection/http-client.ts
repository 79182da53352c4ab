import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as open } from 'node:http'
import { request as openSecurely } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { lookupOf, publicAddresses, type ResolveHost } from './address'
import { codeOf, FetchFailure } from './failure'
import type { FetchLimits } from './limits'
import { shown } from './place'
import { checkBehindProxy, proxyFor, proxyHeaders, shownProxy, toProxy, tunnelTo } from './proxy'
import type { Turns } from './turns'

/** A request for one file, with its limits. */
export interface HttpRequest {
  readonly url: URL
  readonly accept?: string
  /** The limit on the answer's size, in bytes. */
  readonly most: number
  /** Asks for a compressed answer and returns it unpacked. Archives are fetched unchanged. */
  readonly compressed?: boolean
  /** Is only sent to the URL's own origin, never to where that redirects to. */
  readonly authorization?: string | undefined
  /** Asks for the content only if it is another one than that of this validator. */
  readonly unless?: string | undefined
  /** The URL itself may have a private address, but not one of another origin that it redirects to. */
  readonly mayBePrivate?: boolean
  /** Redirects are followed within the URL's own origin only. */
  readonly sameOrigin?: boolean
}

/** An answer that was received whole. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The URL after all redirects. */
  readonly url: URL
}

/** Answers that another try may change. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504])
const redirects = new Set([301, 302, 303, 307, 308])

/** The longest answer that is read where it is only an explanation. */
const explanationBytes = 64 * 1024

/** A connection that could not be made, or broke. */
class LostConnection extends Error {
  constructor(
    readonly url: URL,
    readonly code: string,
  ) {
    super()
  }
}

/** Sends requests to public addresses, and to private ones that the config names. */
export class HttpClient {
  /** Hosts that could not be reached; none is asked again. */
  private readonly unreachable = new Map<string, FetchFailure>()

  constructor(
    private readonly limits: FetchLimits,
    private readonly turns: Turns,
    private readonly isNamed: (url: URL) => boolean,
    private readonly resolve: ResolveHost,
  ) {}

  /**
   * @returns an answer of any status but those of a fault that passes
   * @throws FetchFailure
   */
  get(request: HttpRequest): Promise<HttpAnswer> {
    return this.turns.take(shown(request.url), (signal) => this.tries(request, signal))
  }

  private async tries(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    for (let tried = 1; ; tried++) {
      const answer = await this.follow(request, signal).catch((error: unknown) => {
        if (!(error instanceof LostConnection)) throw error
        const failure = new FetchFailure('place-unreachable', `${shown(error.url)} did not answer (${error.code})`)
        if (tried < this.limits.tries && !signal.aborted) return failure
        this.unreachable.set(error.url.host, failure)
        throw signal.aborted ? error : failure
      })
      if (!(answer instanceof FetchFailure) && !passing.has(answer.status)) return answer
      if (tried === this.limits.tries)
        throw answer instanceof FetchFailure
          ? answer
          : new FetchFailure('place-unreachable', `${shown(request.url)} answers ${answer.status}`)
      const asked = answer instanceof FetchFailure ? 0 : Number(answer.headers['retry-after'] ?? 0)
      const seconds = asked > 0 ? asked : this.limits.pauseSeconds * 2 ** (tried - 1)
      await pause(Math.min(seconds, this.limits.longestPauseSeconds) * 1000, undefined, { signal })
    }
  }

  private async follow(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    let url = request.url
    for (let followed = 0; ; followed++) {
      const authorization = url.origin === request.url.origin ? request.authorization : undefined
      const answer = await this.ask(
        { ...request, url, authorization, mayBePrivate: this.isPrivateAllowed(url, request) },
        signal,
      )
      const to = redirects.has(answer.status) ? answer.headers.location : undefined
      if (to === undefined) return answer
      if (followed === this.limits.redirects)
        throw new FetchFailure('place-unreachable', `${shown(request.url)} redirects more than ${followed} times`)
      url = redirected(url, to)
      if (request.sameOrigin && url.origin !== request.url.origin)
        throw new FetchFailure('place-refused', `${shown(request.url)} redirects to another host, ${shown(url)}`)
    }
  }

  private isPrivateAllowed(url: URL, request: HttpRequest): boolean {
    return this.isNamed(url) || (request.mayBePrivate === true && (url === request.url || request.sameOrigin === true))
  }

  private async ask(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { url, mayBePrivate } = request
    const known = this.unreachable.get(url.host)
    if (known) throw known
    const proxy = proxyFor(url)
    if (proxy) return await this.askThrough(proxy, request, signal)
    const addresses = (host: string) => (mayBePrivate ? this.resolve(host) : publicAddresses(host, this.resolve))
    // For a URL with an address there is no lookup.
    if (isAddress(url.hostname) && !mayBePrivate) await addresses(url.hostname)
    const sent = (url.protocol === 'http:' ? open : openSecurely)(url, {
      // Each request has its own connection, to an address that was checked for it.
      agent: false,
      lookup: lookupOf(addresses),
      headers: headersOf(request),
      signal,
    })
    return await answerTo(sent, request)
  }

  /** The proxy resolves the name, so what is checked is the name, and what this machine knows of it. */
  private async askThrough(proxy: URL, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { url, mayBePrivate } = request
    if (!mayBePrivate) await checkBehindProxy(url.hostname, this.resolve)
    const headers = headersOf(request)
    if (url.protocol === 'http:') {
      const { request: send, options } = toProxy(proxy)
      const all = { ...headers, host: url.host, ...proxyHeaders(proxy) }
      const answer = await answerTo(send({ ...options, path: url.href, headers: all, agent: false, signal }), request)
      if (answer.status !== 407) return answer
      throw new FetchFailure('place-unreachable', `${shownProxy(proxy)} answers 407: it requires credentials`)
    }
    const socket = await tunnelTo(url, proxy, signal).catch((error: unknown) => {
      if (error instanceof FetchFailure) throw error
      throw new LostConnection(url, `${codeOf(error)}, through ${shownProxy(proxy)}`)
    })
    // Without an agent, Node.js takes 80 for the default port, and names it in the host that it asks for.
    const options = { createConnection: () => socket, defaultPort: 443, headers, signal }
    return await answerTo(openSecurely(url, options), request)
  }
}

async function answerTo(sent: ClientRequest, request: HttpRequest): Promise<HttpAnswer> {
  const { url } = request
  try {
    const response = await responseTo(sent)
    return { status: response.statusCode ?? 0, headers: response.headers, body: await bodyOf(response, request), url }
  } catch (error) {
    if (error instanceof FetchFailure) throw error
    throw new LostConnection(url, codeOf(error))
  } finally {
    sent.destroy()
  }
}

/** A text by which a server says whether its content is still the same: an ETag, or the day of the last change. */
export function validatorOf({ headers: { etag, 'last-modified': modified } }: HttpAnswer): string {
  return etag?.includes('"') ? etag : (modified ?? '')
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || isIP(hostname) !== 0
}

function headersOf({ accept, authorization, compressed, unless }: HttpRequest): Record<string, string> {
  return {
    'user-agent': 'ingress-guard',
    accept: accept ?? '*/*',
    'accept-encoding': compressed ? 'gzip' : 'identity',
    ...(authorization ? { authorization } : {}),
    ...(unless ? { [unless.includes('"') ? 'if-none-match' : 'if-modified-since']: unless } : {}),
  }
}

/** @throws FetchFailure if that is no URL that may follow */
export function redirected(from: URL, to: string): URL {
  const url = URL.canParse(to, from.href) ? new URL(to, from.href) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username || url.password)
    throw new FetchFailure('place-refused', `${shown(from)} redirects to a URL that is not https`)
  if (from.protocol === 'https:' && url.protocol !== 'https:')
    throw new FetchFailure('place-refused', `${shown(from)} redirects to a URL without TLS, ${shown(url)}`)
  return url
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end()
  })
}

async function bodyOf(response: IncomingMessage, { url, most, compressed }: HttpRequest): Promise<Buffer> {
  const isWanted = response.statusCode === 200
  const limit = isWanted ? most : explanationBytes
  const tooLarge = new FetchFailure('content-too-large', `${shown(url)} has more than ${inMebibytes(most)} MiB`)
  if (isWanted && Number(response.headers['content-length'] ?? 0) > limit) throw tooLarge
  const unpacks = compressed && response.headers['content-encoding'] === 'gzip'
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of unpacks ? compose(response) : response) {
    size += chunk.length
    if (size > limit && isWanted) throw tooLarge
    if (size > limit) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function compose(response: IncomingMessage): AsyncIterable<Buffer> {
  const unpacked = createGunzip()
  response.on('error', (error) => unpacked.destroy(error))
  return response.pipe(unpacked)
}

function inMebibytes(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10
}
