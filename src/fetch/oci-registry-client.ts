import { FetchFailure } from './connection/failure'
import type { HttpAnswer, HttpClient } from './connection/http-client'
import { type BasicCredentials, type Credentials, registryHost } from './registry-credentials'

/** A repository of a registry. */
export interface RegistryName {
  readonly origin: string
  readonly host: string
  /** `charts/ingress-nginx` */
  readonly name: string
  /** The name in messages. */
  readonly shown: string
}

/** The parts of a `WWW-Authenticate` header. */
interface Challenge {
  readonly scheme: string
  readonly parameters: ReadonlyMap<string, string>
}

const tokenBytes = 64 * 1024

/** Requests to registries, each with the token that the registry asks for. */
export class RegistryClient {
  /** By origin and name. */
  private readonly authorizations = new Map<string, Promise<string | undefined>>()

  constructor(
    private readonly http: HttpClient,
    private readonly credentials: Credentials,
  ) {}

  /** @throws FetchFailure */
  async get(from: RegistryName, path: string, most: number, accept?: string): Promise<HttpAnswer> {
    const id = `${from.origin} ${from.name}`
    const url = new URL(`/v2/${from.name}/${path}`, from.origin)
    const send = async (authorization: string | undefined) =>
      await this.http.get({ url, most, authorization, ...(accept ? { accept } : {}) })
    const known = this.authorizations.get(id)
    const answer = await send(await known)
    if (answer.status !== 401) return answer
    // No token yet, or one that has expired meanwhile; another request may have a new one by now.
    const again =
      this.authorizations.get(id) === known
        ? this.authorize(from, challengeOf(answer.headers['www-authenticate']))
        : this.authorizations.get(id)
    if (again) this.authorizations.set(id, again)
    const authorization = await again
    return authorization === undefined ? answer : await send(authorization)
  }

  private async authorize(from: RegistryName, challenge: Challenge): Promise<string | undefined> {
    const own = await this.credentials(registryHost(from.host))
    if (challenge.scheme === 'basic') return own && basic(own)
    const realm = challenge.parameters.get('realm') ?? ''
    if (challenge.scheme !== 'bearer' || !URL.canParse(realm)) return undefined
    const url = new URL(realm)
    const isOwn = url.origin === from.origin
    if ((url.protocol !== 'https:' && !isOwn) || url.username || url.password)
      throw new FetchFailure('place-refused', `${from.shown} wants a token from a URL that is not https`)
    const service = challenge.parameters.get('service')
    if (service !== undefined) url.searchParams.set('service', service)
    url.searchParams.set('scope', `repository:${from.name}:pull`)
    const authorization = own && givesTokensFor(url.hostname, from.host) ? basic(own) : undefined
    const answer = await this.http.get({ url, most: tokenBytes, authorization, mayBePrivate: isOwn })
    if (answer.status !== 200) return undefined
    const token = tokenIn(answer.body)
    return token === undefined ? undefined : `Bearer ${token}`
  }
}

/**
 * Whether a token service may get the credentials of a registry: it is the same host, or the registry is below it
 * (`registry.gitlab.com` below `gitlab.com`), or it is that of Docker Hub.
 */
function givesTokensFor(host: string, registry: string): boolean {
  const own = registry.replace(/:\d+$/, '')
  if (registryHost(own) === 'registry-1.docker.io') return host === 'auth.docker.io'
  return host === own || (host.includes('.') && own.endsWith(`.${host}`))
}

function basic({ username, password }: BasicCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** `Bearer realm="https://auth.example.com/token",service="registry"` */
function challengeOf(header = ''): Challenge {
  const parts = header.split('"')
  const parameters = new Map<string, string>()
  for (let at = 1; at < parts.length; at += 2) {
    const key = parts[at - 1]?.split(/[\s,]/).at(-1) ?? ''
    parameters.set(key.toLowerCase().replace(/=$/, ''), parts[at] ?? '')
  }
  return { scheme: header.split(' ', 1).join('').toLowerCase(), parameters }
}

function tokenIn(body: Buffer): string | undefined {
  try {
    const { token, access_token: other } = JSON.parse(body.toString('utf8'))
    const either = typeof token === 'string' ? token : other
    // A header has one line.
    return typeof either === 'string' && /^[\x21-\x7e]+$/.test(either) ? either : undefined
  } catch {
    return undefined
  }
}
