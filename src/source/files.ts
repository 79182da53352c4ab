import type { LoadedFile } from '../manifest/load'

/** Files as read in full: what they hold, or why their content is missing. */
export class Files {
  readonly loaded = new Map<string, LoadedFile>()
  readonly missing = new Map<string, string>()
  /** The paths whose content this clone lacks. */
  readonly absent = new Set<string>()

  miss(path: string, { missing, absent }: { missing: string; absent?: true }): void {
    this.missing.set(path, missing)
    if (absent) this.absent.add(path)
  }

  /** The texts of the documents that gave no manifest. */
  opaque(): Set<string> {
    return new Set(
      [...this.loaded.values()].flatMap((file) => [
        ...file.templates,
        ...file.unreadable.map(({ content }) => content),
      ]),
    )
  }
}
