import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A size that `actions/cache` saves and restores in a few seconds. */
const maxBytes = 1024 * 1024 * 1024

/** The folders of entries, by kind of content. Other content of the folder is not ours. */
const kinds = ['answers', 'archives', 'renderings', 'replays', 'trees'] as const

/** `renderings/` and a digest. */
export type EntryName = `${(typeof kinds)[number]}/${string}`

/**
 * A folder that may outlive the run and that other runs share: each file is written whole or not at all. It is trusted
 * as much as its writers are, so it is never a folder of the checkout.
 */
export class CacheFolder {
  private written = 0

  /** @param folder undefined to keep nothing */
  constructor(private readonly folder: string | undefined) {}

  /**
   * @param check returns undefined, or throws, for a file with other content than its name promises
   * @returns a file that passes the check; another one is deleted
   */
  async read<T>(name: EntryName, check: (content: Buffer) => T | undefined): Promise<T | undefined> {
    if (this.folder === undefined) return undefined
    const file = path.join(this.folder, name)
    const content = await readFile(file).catch(() => undefined)
    if (!content) return undefined
    try {
      const checked = check(content)
      if (checked !== undefined) {
        // Entries that are no longer used are deleted first.
        await utimes(file, new Date(), new Date()).catch(() => {})
        return checked
      }
    } catch {}
    await rm(file, { force: true }).catch(() => {})
    return undefined
  }

  /** A cache that cannot be written is none; another run may be writing the same. */
  async write(name: EntryName, content: Uint8Array): Promise<void> {
    if (this.folder === undefined) return
    const file = path.join(this.folder, name)
    const own = `${file}.${process.pid}-${this.written++}`
    try {
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(own, content)
      await rename(own, file)
    } catch {
      await rm(own, { force: true }).catch(() => {})
    }
  }

  /** Deletes the entries that were unused for the longest time, once this run has written more than the limit. */
  async trim(most = maxBytes): Promise<void> {
    if (this.folder === undefined || this.written === 0) return
    const { folder } = this
    const names = await Promise.all(
      kinds.map(async (kind) => {
        const its = await readdir(path.join(folder, kind)).catch(() => [])
        return its.filter((name) => /^[0-9a-f]{64}\b/.test(name)).map((name) => `${kind}/${name}`)
      }),
    )
    const found = await Promise.all(
      names.flat().map(async (name) => {
        const file = path.join(folder, name)
        const its = await stat(file).catch(() => undefined)
        return its?.isFile() ? [{ file, size: its.size, used: its.mtimeMs }] : []
      }),
    )
    let left = 0
    for (const { file, size } of found.flat().sort((a, b) => b.used - a.used)) {
      left += size
      if (left > most) await rm(file, { force: true }).catch(() => {})
    }
  }
}

/** Something of many bytes, after its description and the digest of both. */
export function sealed(description: unknown, content: Uint8Array): Buffer {
  const rest = Buffer.concat([Buffer.from(`${JSON.stringify(description)}\n`), content])
  return Buffer.concat([Buffer.from(`${digestOf(rest)}\n`), rest])
}

/** @returns undefined if the digest differs */
export function unsealed(entry: Buffer): { readonly description: unknown; readonly content: Buffer } | undefined {
  const start = entry.indexOf('\n') + 1
  const rest = entry.subarray(start)
  if (entry.toString('latin1', 0, start) !== `${digestOf(rest)}\n`) return undefined
  const end = rest.indexOf('\n') + 1
  return { description: JSON.parse(rest.toString('utf8', 0, end)), content: rest.subarray(end) }
}

export function digestOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Whether a cache would be in a folder of the repository, so that a change could write its content. Links are followed,
 * and folders that do not exist yet count by their names.
 */
export async function isInside(cache: string, checkout: string): Promise<boolean> {
  const [inner, outer] = [await real(cache), await real(checkout)]
  const relative = path.relative(outer, inner)
  return relative === '' || (!path.isAbsolute(relative) && relative !== '..' && !relative.startsWith(`..${path.sep}`))
}

async function real(folder: string): Promise<string> {
  const whole = path.resolve(folder)
  const known = await realpath(whole).catch(() => undefined)
  if (known !== undefined || path.dirname(whole) === whole) return known ?? whole
  return path.join(await real(path.dirname(whole)), path.basename(whole))
}
