import { request as open } from 'node:http'
import { request as openSecurely } from 'node:https'
import { BlockList, isIP, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { withoutEscapes } from '../../percent'
import { publicAddresses, type ResolveHost } from './address'
import { FetchFailure } from './failure'

/**
 * The proxy of this machine for a URL, from the variables that curl, git and Go read. As in Go, no proxy is used for the
 * machine itself.
 *
 * @throws FetchFailure if the variable names no proxy of HTTP
 */
export function proxyFor({ protocol, hostname, port }: URL, env: NodeJS.ProcessEnv = process.env): URL | undefined {
  const name = `${protocol.slice(0, -1)}_proxy`
  const written = variable(name, env)
  const host = bare(hostname)
  const number = port || (protocol === 'http:' ? '80' : '443')
  if (written === '' || isLoopback(host)) return undefined
  if (
    variable('no_proxy', env)
      .split(/[\s,]/)
      .some((entry) => isExcepted(host, number, entry))
  )
    return undefined
  const text = written.includes('://') ? written : `http://${written}`
  const proxy = URL.canParse(text) ? new URL(text) : undefined
  if (proxy?.protocol === 'http:' || proxy?.protocol === 'https:') return proxy
  throw new FetchFailure('place-unreachable', `${name.toUpperCase()} of this machine does not name a proxy of HTTP`)
}

function variable(name: string, env: NodeJS.ProcessEnv): string {
  return (env[name] ?? env[name.toUpperCase()] ?? '').trim()
}

function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** `example.com` also takes its subdomains, `.example.com` these alone; networks are written as `10.0.0.0/8`. */
function isExcepted(host: string, port: string, written: string): boolean {
  if (written === '' || written === '*') return written === '*'
  const hasPort = written.split(':').length === 2 || written.includes(']:')
  const end = hasPort ? written.lastIndexOf(':') : -1
  if (end !== -1 && written.slice(end + 1) !== port) return false
  const entry = bare(end === -1 ? written : written.slice(0, end)).toLowerCase()
  const name = entry.startsWith('*.') ? entry.slice(1) : entry
  const [network = '', prefix] = name.split('/')
  const family = isIP(network)
  if (prefix !== undefined) {
    const bits = Number(prefix || -1)
    if (family === 0 || !(bits >= 0 && bits <= (family === 4 ? 32 : 128))) return false
    const block = new BlockList()
    const type = family === 4 ? 'ipv4' : 'ipv6'
    block.addSubnet(network, bits, type)
    return isIP(host) === family && block.check(host, type)
  }
  return host === name || host.endsWith(name.startsWith('.') ? name : `.${name}`)
}

/** The longest time that the name of a host is looked up where the proxy does so itself. */
const lookupMilliseconds = 3000

/**
 * Checks a host that a proxy connects to, as far as its name shows where that is. Names that this machine does not know
 * are left to the proxy.
 *
 * @throws FetchFailure for private addresses, and names of private networks
 */
export async function checkBehindProxy(hostname: string, resolve: ResolveHost): Promise<void> {
  const host = bare(hostname).replace(/\.$/, '')
  if (isIP(host) !== 0) await publicAddresses(host, resolve)
  else if (!host.includes('.') || privateNames.has(host.slice(host.lastIndexOf('.') + 1).toLowerCase()))
    throw new FetchFailure(
      'place-refused',
      `${host} is a name of a private network, and such a host is only asked if \`network\` in the config of the base names the URL`,
    )
  else {
    const found = await Promise.race([resolve(host), pause(lookupMilliseconds, [], { ref: false })]).catch(() => [])
    for (const { address } of found) await publicAddresses(address, resolve)
  }
}

/** The last words of names that no public host has. */
const privateNames: ReadonlySet<string> = new Set(
  'localhost local internal intranet lan corp home private arpa test'.split(' '),
)

/** The headers by which a proxy knows its user. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  // One with a `%` of its own is taken as it is written, as curl does.
  const both = `${withoutEscapes(username)}:${withoutEscapes(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(both).toString('base64')}` }
}

/** The name of a proxy for people: without its user and password. */
export function shownProxy({ host }: URL): string {
  return `the proxy ${host}`
}

/** The options of a request to a proxy itself. */
export function toProxy(proxy: URL) {
  const port = proxy.port || (proxy.protocol === 'https:' ? '443' : '80')
  return { request: proxy.protocol === 'https:' ? openSecurely : open, options: { host: bare(proxy.hostname), port } }
}

/**
 * A connection with TLS to the host of a URL, through a proxy.
 *
 * @throws FetchFailure if the proxy refuses it
 */
export async function tunnelTo({ hostname, port }: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const { request, options } = toProxy(proxy)
  const target = `${hostname}:${port || 443}`
  const headers = { host: target, ...proxyHeaders(proxy) }
  const socket = await new Promise<Socket>((resolve, reject) => {
    request({ ...options, method: 'CONNECT', path: target, headers, agent: false, signal })
      .on('connect', ({ statusCode }, made: Socket) => {
        if (statusCode === 200) return resolve(made)
        made.destroy()
        reject(
          new FetchFailure(
            'place-unreachable',
            `${shownProxy(proxy)} answers ${statusCode} to a connection with ${target}`,
          ),
        )
      })
      .on('error', reject)
      .end()
  })
  const host = bare(hostname)
  return connect({ socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) })
}
