import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Files, temporaryFolder, writeFiles } from '../source/repository'
import type { Answer, Server } from './servers'

/** Serves repositories on loopback by `git http-backend`. */
export class GitServer implements Server {
  readonly root = temporaryFolder()
  readonly asked: string[] = []
  /** Answers in place of git, by path without the query. */
  readonly answers = new Map<string, Answer>()
  private readonly server = createServer((request, response) => this.answer(request, response))

  static async start(): Promise<GitServer> {
    const server = new GitServer()
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', 'http://git')
    this.asked.push(`${request.method} ${request.url}`)
    const given = this.answers.get(url.pathname)
    if (typeof given === 'function') given(request, response)
    else if (given !== undefined) response.writeHead(200).end(given)
    else this.backend(request, response, url)
  }

  private backend(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: this.root,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'],
        CONTENT_LENGTH: request.headers['content-length'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdin.on('error', () => {})
    request.pipe(child.stdin)
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.on('close', () => {
      const all = Buffer.concat(chunks)
      const end = all.indexOf('\r\n\r\n')
      const headers = all.toString('latin1', 0, end).split('\r\n')
      for (const header of headers) {
        const colon = header.indexOf(':')
        if (header.startsWith('Status:'))
          response.statusCode = Number(
            header
              .slice(colon + 1)
              .trim()
              .split(' ')[0],
          )
        else response.setHeader(header.slice(0, colon), header.slice(colon + 1).trim())
      }
      response.end(all.subarray(end + 4))
    })
  }
}

/** A repository that a server has; a new one if the folder does not exist. */
export class ServedRepository {
  constructor(readonly folder: string) {
    if (existsSync(folder)) return
    mkdirSync(folder, { recursive: true })
    this.git('init', '--quiet', '--initial-branch=main')
    this.git('config', 'uploadpack.allowFilter', 'true')
  }

  git(...args: string[]): string {
    const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'commit.gpgSign=false']
    return execFileSync('git', ['-C', this.folder, ...who, ...args], { encoding: 'utf8' }).trim()
  }

  /** @returns the commit */
  commit(files: Files): string {
    writeFiles(this.folder, files)
    this.git('add', '--all')
    this.git('commit', '--quiet', '--allow-empty', '--message=x')
    return this.git('rev-parse', 'HEAD')
  }
}
