import path from 'node:path/posix'
import type { PackedFiles } from '../../sources/source'

/** Why the files of an artifact, or of a part of it, are not followed. */
export interface NotFollowed {
  readonly reason: string
}

/** The content of an artifact: parts of others, files of this repository at their own paths, or unknown files. */
export type ArtifactContent = ComposedArtifact | PlainContent | NotFollowed

/** Files of this repository at their own paths. */
export interface PlainContent {
  readonly files: PackedFiles
  readonly isFile: (path: string) => boolean
}

/** A part of an artifact: files of another one, in another folder. */
export interface ArtifactPart {
  /** The file or folder in the artifact. */
  readonly to: string
  /** The file or folder in the other artifact. */
  readonly from: string
  readonly content: ArtifactContent
  /** Whether a file of the other artifact, or some below a folder of it, is in this part. */
  readonly takes: (place: string) => boolean
}

/** A folder of an artifact, found in this repository. */
export interface FoundFolder {
  readonly place: string
  readonly files: PackedFiles
  readonly definedIn: readonly string[]
  /** Parts of the folder that are not found there. */
  readonly missing: readonly NotFollowed[]
}

/** An artifact that is put together from parts; a later part replaces files of earlier ones. */
export class ComposedArtifact {
  /** @param packs whether a path is packed, by the rules of the artifact itself */
  constructor(
    readonly name: string,
    /** The files that say what it is put together from. */
    readonly definedIn: readonly string[],
    private readonly parts: readonly ArtifactPart[],
    private readonly packs: (path: string) => boolean,
  ) {}

  /** The first segments of the paths in it. */
  get tops(): ReadonlySet<string> {
    return new Set(this.parts.map(({ to }) => to.split('/')[0] ?? ''))
  }

  /** The folder of this repository with the files of a folder of the artifact; or why there is none. */
  folderAt(folder: string): FoundFolder | NotFollowed {
    const several = { reason: `${this.name} has files of several folders in ${folder || 'its root'}` }
    const found = this.parts.flatMap((part) => this.placeOf(part, folder, several) ?? [])
    const whole = found.filter(({ isWhole }) => isWhole)
    const decisive = whole.length > 0 ? whole : found
    const places = new Set(decisive.flatMap((one) => ('place' in one ? one.place : [])))
    const unknown = found.filter((one) => 'reason' in one)
    const [place, other] = places
    if (other !== undefined) return several
    if (place === undefined || whole.some((one) => 'reason' in one))
      return unknown[0] ?? { reason: `${this.name} has no folder ${folder || '.'}` }
    const apart = found.filter((one) => 'place' in one && one.place !== place).map(() => several)
    return {
      place,
      files: {
        has: (file) => this.fileAt(path.join(folder, path.relative(`/${place}`, `/${file}`))) === file,
        whyNot: (file) => `${this.name} does not have ${file}`,
      },
      definedIn: this.definedIn,
      missing: [...unknown, ...apart],
    }
  }

  /** The file of this repository at a path of the artifact. */
  fileAt(file: string): string | undefined {
    if (file.startsWith('../') || !this.packs(file)) return undefined
    for (const { to, from, content, takes } of [...this.parts].reverse()) {
      const rest = restOf(file, to)
      const its = rest === undefined ? undefined : path.join(from, rest)
      if (its === undefined || !takes(its)) continue
      if ('reason' in content) return undefined
      if ('files' in content) return content.files.has(its) ? its : undefined
      return content.fileAt(its)
    }
    return undefined
  }

  /** The folder of this repository for a folder of the artifact, as far as one part decides it. */
  private placeOf({ to, from, content, takes }: ArtifactPart, folder: string, several: NotFollowed) {
    const above = restOf(folder, to)
    const own = above === undefined ? undefined : path.join(from, above)
    const isWhole = own !== undefined && takes(own)
    const below = restOf(to, folder)
    if (!isWhole && (below === undefined || below === '')) return undefined
    if ('reason' in content) return { isWhole, ...content }
    // A part below the folder has to come from below the same place.
    const its = isWhole ? own : withoutEnd(from, below ?? '')
    if (its === undefined) return { isWhole, ...several }
    const place = its === '.' ? '' : its
    if ('files' in content) return { isWhole, place }
    const found = content.folderAt(place)
    return 'reason' in found ? { isWhole, reason: found.reason } : { isWhole, place: found.place }
  }
}

/** The rest of a path below a folder; empty for the folder itself. */
export function restOf(place: string, folder: string): string | undefined {
  if (place === folder) return ''
  if (folder === '') return place
  return place.startsWith(`${folder}/`) ? place.slice(folder.length + 1) : undefined
}

/** A path without its last segments, if it has these. */
function withoutEnd(place: string, end: string): string | undefined {
  if (place === end) return ''
  return place.endsWith(`/${end}`) ? place.slice(0, -end.length - 1) : undefined
}
