/** The entry of a path in a revision. `id` is equal for equal content. */
export interface Entry {
  readonly path: string
  readonly type: 'file' | 'link' | 'submodule'
  readonly id: string
  /** The path's bytes on disk where they are not UTF-8. */
  readonly raw?: Buffer
}

/** Why a file's bytes cannot be used; `absent` when the clone lacks them. */
export interface Missing {
  readonly missing: string
  readonly absent?: true
}

/** A file's bytes, or why they cannot be used. */
export type Content = Uint8Array | Missing

/** One side of a change: a Git commit, a directory, or a repository's working tree. */
export interface Revision {
  /** The name in messages, for example `main (1f2e3d4)` or `the working tree`. */
  readonly name: string
  /** Every path of the revision. */
  list(): Promise<readonly Entry[]>
  /** The content of entries, in their order. */
  read(entries: readonly Entry[]): AsyncIterable<[Entry, Content]>
}

/** A blob larger than this is not read: no manifest is. */
export const sizeLimit = 100 * 1024 * 1024

/** The reason why a file over the limit is not read. */
export function tooLarge(size: number): string {
  return `it has ${Math.round(size / 1024 / 1024)} MiB, more than the limit of ${sizeLimit / 1024 / 1024} MiB for a file`
}
