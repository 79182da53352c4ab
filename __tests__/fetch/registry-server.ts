import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, type Server, sha256 } from './servers'

const chartLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
const manifestType = 'application/vnd.oci.image.manifest.v1+json'

/** A registry on loopback that keeps pushed artifacts in memory, as far as `helm push` and `helm pull` need it. */
export class Registry implements Server {
  readonly asked: string[] = []
  readonly answers = new Map<string, Answer>()
  /** The authorizations of the requests, in turn. */
  readonly authorized: (string | undefined)[] = []
  /** Answers 401 with this header to a request without its authorization. */
  wants: { authorization: string; challenge: string } | undefined
  private readonly blobs = new Map<string, Buffer>()
  private readonly manifests = new Map<string, Buffer>()
  private readonly tags = new Map<string, string[]>()
  private readonly server = createServer((request, response) => this.answer(request, response))
  pageSize = 1000

  static async start(): Promise<Registry> {
    const registry = new Registry()
    await new Promise<void>((resolve) => registry.server.listen(0, '127.0.0.1', resolve))
    return registry
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  get url(): string {
    return `oci://127.0.0.1:${this.port}`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  /** @returns the digest of the manifest */
  add(name: string, tag: string, layer: Buffer, { type = chartLayer, config = '' } = {}): string {
    const digest = `sha256:${sha256(layer)}`
    this.blobs.set(digest, layer)
    const descriptor = { mediaType: type, digest, size: layer.length }
    const manifest = { schemaVersion: 2, config: { mediaType: config }, layers: [descriptor] }
    return this.addManifest(name, tag, Buffer.from(JSON.stringify(manifest)))
  }

  addManifest(name: string, tag: string, manifest: Buffer): string {
    const digest = `sha256:${sha256(manifest)}`
    this.manifests.set(`${name} ${digest}`, manifest)
    this.manifests.set(`${name} ${tag}`, manifest)
    if (!tag.startsWith('sha256:')) this.tags.set(name, [...(this.tags.get(name) ?? []), tag])
    return digest
  }

  private answer(request: IncomingMessage, response: ServerResponse): unknown {
    const url = new URL(request.url ?? '', 'http://registry')
    this.asked.push(`${request.method === 'GET' ? '' : `${request.method} `}${request.url}`)
    this.authorized.push(request.headers.authorization)
    const given = this.answers.get(url.pathname)
    if (typeof given === 'function') return given(request, response)
    if (given !== undefined) return response.writeHead(200).end(given)
    if (this.wants && request.headers.authorization !== this.wants.authorization)
      return response.writeHead(401, { 'www-authenticate': this.wants.challenge }).end()
    const [, name = '', kind = '', reference = ''] =
      /^\/v2\/(.+)\/(blobs|manifests|tags)\/(.*)$/.exec(url.pathname) ?? []
    if (url.pathname === '/v2/') return response.writeHead(200).end()
    if (kind === 'tags') return this.list(name, url, response)
    if (request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH')
      return this.push(request, response, { name, kind, reference, url })
    const content = kind === 'blobs' ? this.blobs.get(reference) : this.manifests.get(`${name} ${reference}`)
    if (!content) return response.writeHead(404).end('{"errors": [{"code": "MANIFEST_UNKNOWN"}]}')
    const headers = {
      'content-type': kind === 'blobs' ? 'application/octet-stream' : manifestType,
      'content-length': String(content.length),
      'docker-content-digest': `sha256:${sha256(content)}`,
    }
    return response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : content)
  }

  private list(name: string, url: URL, response: ServerResponse): unknown {
    const all = this.tags.get(name)
    if (!all) return response.writeHead(404).end()
    const start = all.indexOf(url.searchParams.get('last') ?? '') + 1
    const tags = all.slice(start, start + this.pageSize)
    const isLast = start + this.pageSize >= all.length
    const link = { link: `</v2/${name}/tags/list?last=${tags.at(-1)}&n=${this.pageSize}>; rel="next"` }
    return response.writeHead(200, isLast ? {} : link).end(JSON.stringify({ name, tags }))
  }

  private push(
    request: IncomingMessage,
    response: ServerResponse,
    { name, kind, reference, url }: { name: string; kind: string; reference: string; url: URL },
  ): unknown {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    return request.on('end', () => {
      const content = Buffer.concat(chunks)
      if (request.method === 'POST') return response.writeHead(202, { location: `/v2/${name}/blobs/uploads/1` }).end()
      const digest = url.searchParams.get('digest') ?? ''
      if (kind === 'manifests') this.addManifest(name, reference, content)
      else this.blobs.set(digest, content)
      return response
        .writeHead(201, { 'docker-content-digest': `sha256:${sha256(content)}`, location: `/v2/${name}` })
        .end()
    })
  }
}
