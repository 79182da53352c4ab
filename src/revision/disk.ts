import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { type Content, type Entry, sizeLimit, tooLarge } from './revision'

/** Only plain files are opened: no symbolic link is followed, and no pipe is waited for. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * The content of a file, or the target of a symbolic link, on disk. Read synchronously: a pool of promises takes four
 * times as long for the small files of a repository.
 *
 * @throws if there is no such file or link
 */
export function contentOnDisk(file: string | Buffer, type: Entry['type']): Content {
  if (type === 'link') return readlinkSync(file, { encoding: 'buffer' })
  const open = opened(file)
  if (typeof open !== 'number') return open
  try {
    const stats = fstatSync(open)
    if (!stats.isFile()) throw new Error(`${file} is no file`)
    return stats.size > sizeLimit ? { missing: tooLarge(stats.size) } : readFileSync(open)
  } finally {
    closeSync(open)
  }
}

function opened(file: string | Buffer): number | { readonly missing: string } {
  try {
    return openSync(file, flags)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EACCES') throw cause
    return { missing: 'the user of this run may not read it' }
  }
}
