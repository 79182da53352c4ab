import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { parse } from 'yaml'

/** A chart of a repository of charts, at one version. */
export interface RemoteChart {
  /** The URL of the repository of charts. */
  readonly repository: string
  readonly name: string
  readonly version: string
}

const seconds = 30
const maxIndexBytes = 64 * 1024 * 1024
const maxArchiveBytes = 32 * 1024 * 1024

/**
 * Fetches packaged charts from the repositories that the config of the base names, and from no others. An archive is
 * cached by its digest, which the repository's index contains.
 */
export class ChartNetwork {
  private readonly allowed: ReadonlySet<string>
  private readonly indexes = new Map<string, Promise<string>>()

  /**
   * @param allowed URLs of repositories
   * @param cache a folder that may outlive the run
   */
  constructor(
    allowed: readonly string[],
    private readonly cache = path.join(
      process.env.RUNNER_TOOL_CACHE ?? process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
      'ingress-guard',
      'charts',
    ),
  ) {
    this.allowed = new Set(allowed.map(withoutSlash))
  }

  allows(repository: string): boolean {
    return this.allowed.has(withoutSlash(repository))
  }

  /** @throws Error with a message that describes the fault */
  async fetch({ repository, name, version }: RemoteChart): Promise<Uint8Array> {
    const root = `${withoutSlash(repository)}/`
    const index = this.indexes.get(root) ?? download(new URL('index.yaml', root), maxIndexBytes).then(asText)
    this.indexes.set(root, index)
    const found = entriesOf(await index, name).find((entry) => sameVersion(entry.version, version))
    const [url] = found?.urls ?? []
    if (!found || url === undefined) throw new Error(`${repository} has no ${name} ${version}`)
    const digest = found.digest?.replace(/^sha256:/, '')
    if (!digest || !/^[0-9a-f]{64}$/.test(digest))
      throw new Error(`${repository} lists no digest for ${name} ${version}`)
    const file = path.join(this.cache, `${digest}.tgz`)
    const kept = await readFile(file).catch(() => undefined)
    if (kept && digestOf(kept) === digest) return kept
    const archive = await download(new URL(url, root), maxArchiveBytes)
    if (digestOf(archive) !== digest) throw new Error(`${url} does not match the digest that ${repository} lists`)
    await this.keep(file, archive)
    return archive
  }

  /** A cache that cannot be written is none; another run may be writing the same. */
  private async keep(file: string, archive: Uint8Array): Promise<void> {
    const own = `${file}.${process.pid}`
    try {
      await mkdir(this.cache, { recursive: true })
      await writeFile(own, archive)
      await rename(own, file)
    } catch {}
  }
}

function withoutSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '')
}

function sameVersion(one: string | undefined, other: string): boolean {
  return one?.replace(/^v/, '') === other.replace(/^v/, '')
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}

interface IndexEntry {
  readonly version?: string
  readonly urls?: readonly string[]
  readonly digest?: string
}

/** The entries of one chart. An index may have a hundred thousand others, so no more of it is parsed. */
function entriesOf(index: string, name: string): readonly IndexEntry[] {
  const lines = index.split('\n')
  const start = lines.findIndex((line) => line.trimEnd() === `  ${name}:` || line.trimEnd() === `  "${name}":`)
  if (start === -1) return []
  const length = lines.slice(start + 1).findIndex((line) => /^(?: {0,2}[^\s-]|-)/.test(line))
  const block = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length)
  const entries: unknown = parse(block.join('\n'))
  return Array.isArray(entries) ? entries.map((entry) => ({ ...entry, version: String(entry?.version ?? '') })) : []
}

async function download(url: URL, most: number): Promise<Uint8Array> {
  const named = url.href
  const response = await fetch(url, { signal: AbortSignal.timeout(seconds * 1000) }).catch((cause: Error) => {
    const why = cause.name === 'TimeoutError' ? `did not answer within ${seconds} seconds` : 'cannot be reached'
    throw new Error(`${named} ${why}`)
  })
  if (!response.ok || !response.body) throw new Error(`${named} answers ${response.status}`)
  const isOpen = new URL(response.url).protocol !== 'https:' && url.protocol === 'https:'
  if (isOpen) throw new Error(`${named} redirects to a URL without TLS`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > most) throw new Error(`${named} has more than ${most / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
