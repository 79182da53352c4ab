import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type TarHeader, unpackTar } from 'modern-tar'
import { codeOf, FetchFailure } from './connection/failure'
import type { FetchedFiles } from './connection/fetching'
import type { FetchLimits } from './connection/limits'
import { safePath } from './connection/safe-path'

/** A chart or an artifact as it was packed. */
export interface Archive {
  readonly version: string
  readonly sha256: string
  readonly bytes: Uint8Array
  /** Whether it is an archive by Helm: all files are in a folder with the chart's name. */
  readonly isChart: boolean
  /** The digest of the manifest that a registry has of it. */
  readonly manifest?: string
}

const unzip = promisify(gunzip)
const mebibyte = 1024 * 1024

/**
 * Unpacks a chart or an artifact in memory.
 *
 * @param what names the archive in messages
 * @param hasTop whether everything is in one folder, which is left out: a chart's name
 * @throws FetchFailure
 */
export async function unpack(
  archive: Uint8Array,
  what: string,
  { hasTop, limits }: { hasTop: boolean; limits: FetchLimits },
): Promise<FetchedFiles> {
  const invalid = (reason: string) => new FetchFailure('content-invalid', `${what} ${reason}`)
  const tar = await unzipped(archive, what, limits)
  const files = new Map<string, Uint8Array>()
  let count = 0
  const entries = await unpackTar(tar, {
    strict: true,
    filter(header) {
      if (++count > limits.files)
        throw new FetchFailure('content-too-large', `${what} has more than ${limits.files} files`)
      if (header.type !== 'file' && header.type !== 'directory') throw invalid(`has ${kindOf(header)}`)
      return header.type === 'file'
    },
  }).catch((error: unknown) => {
    throw error instanceof FetchFailure ? error : invalid(`is no valid archive: ${codeOf(error)}`)
  })
  for (const { header, data } of entries) {
    const name = safePath(header.name)
    const parts = name?.split('/').slice(hasTop ? 1 : 0)
    if (!parts || parts.length === 0)
      throw invalid(`has the file ${JSON.stringify(header.name)}, whose path leads out of it or is not valid`)
    const path = parts.join('/')
    if (files.has(path)) throw invalid(`has two files ${path}`)
    files.set(path, data ?? new Uint8Array())
  }
  for (const path of files.keys()) {
    const folder = foldersOf(path).find((one) => files.has(one))
    if (folder !== undefined) throw invalid(`has ${folder} as a file and as a folder`)
  }
  return files
}

async function unzipped(archive: Uint8Array, what: string, limits: FetchLimits): Promise<Buffer> {
  const most = Math.min(limits.unpackedBytes, mebibyte + archive.length * limits.ratio)
  try {
    return await unzip(archive, { maxOutputLength: most })
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE')
      throw new FetchFailure(
        'content-too-large',
        `${what} has more than ${Math.round(most / mebibyte)} MiB when it is unpacked`,
      )
    throw new FetchFailure('content-invalid', `${what} is no valid gzip file`)
  }
}

function kindOf({ type, name, linkname }: TarHeader): string {
  const to = linkname ? ` to ${JSON.stringify(linkname)}` : ''
  return `${JSON.stringify(name)} as a ${type === 'link' || type === 'symlink' ? 'link' : 'device'}${to}; only files and folders are allowed`
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
