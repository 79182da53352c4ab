import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { type Loopback, openLoopback } from './loopback'
import { answerOf, type StubCluster } from './stub-api'

/** The limits on the questions of one rendering: a template that asks in a loop is stopped. */
const most = { requests: 3000, urlBytes: 4096, questions: 200 }

/** A cluster while helm renders for it. */
export interface Session {
  readonly url: string
  /** The number of times that each question was asked. */
  readonly asked: ReadonlyMap<string, number>
  /** Whether the limits were exceeded. */
  readonly isOver: () => boolean
  close(): void
}

interface Open {
  readonly cluster: StubCluster
  readonly asked: Map<string, number>
  left: number
  isOver: boolean
}

/** Serves the API of a cluster to helm in this run: each rendering has its own secret address. */
export class StubServer {
  private readonly open = new Map<string, Open>()

  constructor(private readonly loopback: Loopback) {
    const http = createServer({ requestTimeout: 10_000, maxHeaderSize: 16_384 }, (request, response) => {
      const { status, body } = this.answer(request.method ?? '', request.url ?? '')
      const text = JSON.stringify(body)
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      response.end(text)
      request.resume()
    })
    loopback.server.on('connection', (socket) => {
      socket.unref()
      http.emit('connection', socket)
    })
  }

  get isolation(): readonly string[] {
    return this.loopback.isolation
  }

  /** Serves a cluster until it is closed. */
  serve(cluster: StubCluster): Session {
    const token = randomBytes(24).toString('hex')
    const session: Open = { cluster, asked: new Map(), left: most.requests, isOver: false }
    this.open.set(token, session)
    return {
      url: `http://127.0.0.1:${this.loopback.port}/${token}`,
      asked: session.asked,
      isOver: () => session.isOver,
      close: () => this.open.delete(token),
    }
  }

  close(): void {
    this.loopback.close()
  }

  private answer(method: string, url: string): { readonly status: number; readonly body: object } {
    const refused = {
      status: 403,
      body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 },
    }
    const end = url.indexOf('/', 1)
    const session = this.sessionOf(url.slice(1, end === -1 ? undefined : end))
    if (!session || method !== 'GET' || end === -1) return refused
    if (session.left-- <= 0 || url.length > most.urlBytes) {
      session.isOver = true
      return refused
    }
    const { question, ...answer } = answerOf(session.cluster, url.slice(end))
    if (question !== undefined) session.asked.set(question, (session.asked.get(question) ?? 0) + 1)
    if (session.asked.size > most.questions) session.isOver = true
    return session.isOver ? refused : answer
  }

  private sessionOf(token: string): Open | undefined {
    const given = Buffer.from(token)
    return [...this.open].find(([own]) => own.length === given.length && timingSafeEqual(Buffer.from(own), given))?.[1]
  }
}

/** Undefined if the machine has no address for it. */
export async function openStub(folder: string, isolation: readonly string[]): Promise<StubServer | undefined> {
  const loopback = await openLoopback(folder, isolation)
  return loopback && new StubServer(loopback)
}
