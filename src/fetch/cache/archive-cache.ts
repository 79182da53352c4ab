import { type CacheFolder, digestOf, type EntryName } from './cache-folder'

/** Archives by the digest of their content. */
export class ArchiveCache {
  constructor(private readonly folder: CacheFolder) {}

  async read(sha256: string): Promise<Buffer | undefined> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined
    return await this.folder.read(nameOf(sha256), (content) => (digestOf(content) === sha256 ? content : undefined))
  }

  write(sha256: string, archive: Uint8Array): Promise<void> {
    return this.folder.write(nameOf(sha256), archive)
  }
}

function nameOf(sha256: string): EntryName {
  return `archives/${sha256}.tgz`
}
