import { createHash } from 'node:crypto'
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Archives by the digest of their content, in a folder that may outlive the run and that other runs share. */
export class ArchiveCache {
  private written = 0

  /** @param folder nothing is kept without one */
  constructor(private readonly folder: string | undefined) {}

  async read(sha256: string): Promise<Buffer | undefined> {
    const file = this.fileOf(sha256)
    const kept = file === undefined ? undefined : await readFile(file).catch(() => undefined)
    if (!kept || !file) return undefined
    if (digestOf(kept) === sha256) return kept
    await rm(file, { force: true }).catch(() => {})
    return undefined
  }

  /** A cache that cannot be written is none; another run may be writing the same. */
  async write(sha256: string, archive: Uint8Array): Promise<void> {
    const file = this.fileOf(sha256)
    if (file === undefined) return
    const own = `${file}.${process.pid}-${this.written++}`
    try {
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(own, archive)
      await rename(own, file)
    } catch {
      await rm(own, { force: true }).catch(() => {})
    }
  }

  private fileOf(sha256: string): string | undefined {
    return this.folder === undefined ? undefined : path.join(this.folder, 'archives', `${sha256}.tgz`)
  }
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Whether a cache would be in a folder of the repository, so that a change could bring what is in it. Links are followed, and
 * folders that do not exist yet are taken as they are named.
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
