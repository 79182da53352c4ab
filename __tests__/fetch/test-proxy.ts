import { createServer, type IncomingMessage, request as open, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A proxy that leads each name to a server on loopback, and keeps a list of what it was asked. */
export class TestProxy {
  readonly asked: string[] = []
  readonly to = new Map<string, number>()
  login = ''
  private readonly sockets = new Set<Socket>()
  private readonly server = createServer((request, response) => this.forward(request, response))

  static async start(): Promise<TestProxy> {
    const proxy = new TestProxy()
    proxy.server.on('connect', (request, socket: Socket) => proxy.tunnel(request, socket))
    proxy.server.on('connection', (socket) => proxy.sockets.add(socket))
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private isAllowed({ headers }: IncomingMessage): boolean {
    const [, encoded = ''] = String(headers['proxy-authorization'] ?? '').split(' ')
    return Buffer.from(encoded, 'base64').toString() === this.login
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '')
    this.asked.push(`${request.method} ${url.href}`)
    const port = this.to.get(url.host)
    if (!this.isAllowed(request)) response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end()
    else if (port === undefined) response.writeHead(502).end()
    else {
      const options = { port, method: request.method, path: url.pathname + url.search, headers: request.headers }
      const sent = open({ host: '127.0.0.1', ...options }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      })
      request.pipe(sent)
    }
  }

  private tunnel(request: IncomingMessage, socket: Socket): void {
    this.asked.push(`${request.method} ${request.url}`)
    const port = this.to.get(request.url ?? '')
    socket.on('error', () => {})
    if (!this.isAllowed(request)) socket.end('HTTP/1.1 407 No\r\n\r\n')
    else if (port === undefined) socket.end('HTTP/1.1 403 No\r\n\r\n')
    else {
      const other = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        other.pipe(socket)
        socket.pipe(other)
      })
      this.sockets.add(other)
      other.on('error', () => socket.destroy())
    }
  }
}
