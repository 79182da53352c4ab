import type { LoadedFile } from '../manifest/load'

/** Files as read in full: their content, or why it is missing. */
export class Files {
  constructor(
    readonly loaded = new Map<string, LoadedFile>(),
    readonly missing = new Map<string, string>(),
    /** The paths whose content this clone lacks. */
    readonly absent = new Set<string>(),
  ) {}

  /** The same files, with others in place of the loaded ones. */
  withLoaded(loaded: ReadonlyMap<string, LoadedFile>): Files {
    return new Files(new Map(loaded), this.missing, this.absent)
  }

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
