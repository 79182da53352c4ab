import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll } from '@jest/globals'
import { packTar, type TarHeader } from 'modern-tar'
import type { Address } from '../../src/fetch/connection/address'
import type { Fetched, FetchFault } from '../../src/fetch/connection/fetching'
import { TrustedPlaces } from '../../src/fetch/connection/trust'
import { Fetcher, type FetcherOptions } from '../../src/fetch/fetcher'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** The answer of a server to a path: content, or a fault. */
export type Answer = string | Buffer | Handler

/** A server on loopback, with a list of the requests it got. */
export interface Server {
  readonly url: string
  readonly port: number
  readonly asked: string[]
  readonly answers: Map<string, Answer>
  close(): Promise<void>
}

export async function serve(answers: Record<string, Answer> = {}, address = '127.0.0.1'): Promise<Server> {
  const all = new Map(Object.entries(answers))
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const answer = all.get(path)
    if (typeof answer === 'function') answer(request, response)
    else response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`, port, asked, answers: all, close }
}

export const status =
  (code: number, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(code, headers).end()

export const redirect = (to: string, code = 302) => status(code, { location: to })

/** Announces more than it sends, then ends the connection. */
export const cut: Handler = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('half', () => response.destroy())
}

/** Accepts the connection and never answers. */
export const silent: Handler = () => {}

/** The first answer to the first request, and so on; the last one for all that follow. */
export function inTurn(...answers: readonly Answer[]): Handler {
  let next = 0
  return (request, response) => {
    const answer = answers[Math.min(next++, answers.length - 1)]
    if (typeof answer === 'function') answer(request, response)
    else response.writeHead(200).end(answer)
  }
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** A `.tgz` of files, or of entries of any kind. */
export async function tgz(files: Record<string, string>, more: readonly TarHeader[] = []): Promise<Buffer> {
  const entries = Object.entries(files).map(([name, body]) => ({
    header: { name, size: Buffer.byteLength(body), type: 'file' as const },
    body,
  }))
  return gzipSync(await packTar([...entries, ...more.map((header) => ({ header }))]))
}

/** A packed chart. */
export function chart(name: string, version: string, files: Record<string, string> = {}): Promise<Buffer> {
  const own = { 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`, ...files }
  return tgz(Object.fromEntries(Object.entries(own).map(([path, text]) => [`${name}/${path}`, text])))
}

export interface Listed {
  readonly version: string
  readonly url: string
  readonly digest?: string
  readonly created?: string
}

/** An index as `helm repo index` writes it. */
export function indexOf(charts: Record<string, readonly Listed[]>): string {
  const lines = ['apiVersion: v1', 'entries:']
  for (const [name, versions] of Object.entries(charts)) {
    lines.push(`  ${name}:`)
    for (const { version, url, digest, created } of versions) {
      lines.push('  - apiVersion: v2', `    created: "${created ?? '2024-01-01T00:00:00Z'}"`, '    dependencies:')
      lines.push(
        '    - name: common',
        '      version: 9.x.x',
        '    description: |',
        '      version: 0.0.1',
        '      urls: []',
      )
      if (digest !== undefined) lines.push(`    digest: ${digest}`)
      lines.push(`    name: ${name}`, '    urls:', `    - ${url}`, `    version: ${version}`)
    }
  }
  return `${[...lines, 'generated: "2024-01-01T00:00:00Z"'].join('\n')}\n`
}

/** No pauses; each fetch is tried as often as by default. */
const fast = { pauseSeconds: 0, longestPauseSeconds: 0 }

const fetchers: Fetcher[] = []

afterAll(() => {
  for (const fetcher of fetchers.splice(0)) fetcher.close()
})

/** A fetcher that trusts the given URLs, which the config names. It is closed after the file's tests. */
export function fetcherOf(urls: readonly string[], options: Partial<FetcherOptions> = {}): Fetcher {
  const trusted = new TrustedPlaces([], { charts: urls, git: urls })
  const fetcher = new Fetcher({ trusted, ...options, limits: { ...fast, ...options.limits } })
  fetchers.push(fetcher)
  return fetcher
}

/** Resolves names to given addresses, and no others. */
export function names(known: Record<string, string>): (host: string) => Promise<Address[]> {
  return async (host) => {
    const address = known[host]
    if (address === undefined) throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' })
    return [{ address, family: address.includes(':') ? 6 : 4 }]
  }
}

/** A fetch in short: the version and the paths, or the fault. */
export function inShort(result: Fetched | FetchFault): string {
  if ('cause' in result) return `${result.cause}: ${result.reason}`
  return `${result.version}: ${[...result.files.keys()].join(' ')}`
}
