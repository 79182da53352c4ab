import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Helm unpacks no more either. */
const maxBytes = 100 * 1024 * 1024

/** A regular file of a packed chart, below the chart's folder. */
interface PackedFile {
  readonly path: string
  readonly content: Buffer
}

/**
 * The files of a packed chart; none of an unreadable one. Links, and paths outside its folder, are left out.
 * https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06
 */
export function filesInChart(archive: Uint8Array): PackedFile[] {
  let bytes: Buffer
  try {
    bytes = gunzipSync(archive, { maxOutputLength: maxBytes })
  } catch {
    return []
  }
  const files: PackedFile[] = []
  let longName: string | undefined
  for (let at = 0; at + 512 <= bytes.length; ) {
    const field = (from: number, length: number) =>
      bytes
        .subarray(at + from, at + from + length)
        .toString('utf8')
        .split('\0', 1)[0] ?? ''
    const size = Number.parseInt(field(124, 12).trim() || '0', 8)
    if (!Number.isSafeInteger(size) || size < 0) break
    const content = bytes.subarray(at + 512, at + 512 + size)
    const type = field(156, 1)
    const isUstar = field(257, 5) === 'ustar'
    const prefix = isUstar ? field(345, 155) : ''
    const name = longName ?? (prefix ? `${prefix}/${field(0, 100)}` : field(0, 100))
    at += 512 + Math.ceil(size / 512) * 512
    if (type === 'L') longName = content.toString('utf8').split('\0', 1)[0]
    else if (type === 'x') longName = pathIn(content.toString('utf8'))
    else {
      longName = undefined
      // Helm removes the first folder, with any name.
      const below = name.split('/').slice(1).join('/')
      if ((type === '' || type === '0') && isInside(below)) files.push({ path: below, content })
    }
  }
  return files
}

/** The path of an extended header: `25 path=chart/values.yaml`. */
function pathIn(header: string): string | undefined {
  const line = header.split('\n').find((one) => one.slice(one.indexOf(' ') + 1).startsWith('path='))
  return line?.slice(line.indexOf('=') + 1)
}

function isInside(file: string): boolean {
  return file !== '' && !file.split('/').some((part) => part === '' || part === '.' || part === '..')
}

/** Unpacks a chart into an empty folder. */
export async function unpackChart(archive: Uint8Array, folder: string): Promise<void> {
  for (const { path: file, content } of filesInChart(archive)) {
    const place = path.join(folder, file)
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(place, content)
  }
}
