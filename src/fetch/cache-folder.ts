import { createHash } from 'node:crypto'
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * A folder that may outlive the run and that other runs share: each file is written whole or not at all. It is trusted as far
 * as who writes it, so it is never one of the checkout.
 */
export class CacheFolder {
  private written = 0

  /** @param folder nothing is kept without one */
  constructor(private readonly folder: string | undefined) {}

  /**
   * @param check returns nothing, or throws, for a file that is not what its name says
   * @returns a file that passes the check; another one is deleted
   */
  async read<T>(name: string, check: (content: Buffer) => T | undefined): Promise<T | undefined> {
    if (this.folder === undefined) return undefined
    const file = path.join(this.folder, name)
    const content = await readFile(file).catch(() => undefined)
    if (!content) return undefined
    try {
      const checked = check(content)
      if (checked !== undefined) return checked
    } catch {}
    await rm(file, { force: true }).catch(() => {})
    return undefined
  }

  /** A cache that cannot be written is none; another run may be writing the same. */
  async write(name: string, content: Uint8Array): Promise<void> {
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
}

export function digestOf(bytes: Uint8Array | string): string {
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
