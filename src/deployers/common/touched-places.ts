import path from 'node:path/posix'
import { closureOf, type Kustomization } from '../../sources/kustomization'

/** The files and folders of one side that a change touches. */
export class TouchedPlaces {
  /** Whether a revision is judged whole, so that everything counts as touched. */
  readonly areAll: boolean
  private readonly places: ReadonlySet<string>
  private readonly known = new Map<string, boolean>()

  /** @param changed the paths that differ between the sides; undefined where a revision is judged whole */
  constructor(
    changed: ReadonlySet<string> | undefined,
    private readonly kustomizations: ReadonlyMap<string, Kustomization>,
  ) {
    this.areAll = changed === undefined
    this.places = new Set([...(changed ?? [])].flatMap(withFolders))
  }

  /** Whether a file differs, or a file in a folder, or one that the Kustomization of the folder takes in. */
  has(written: string): boolean {
    if (this.areAll) return true
    const known = this.known.get(written)
    if (known !== undefined) return known
    const place = path.join('.', written).replace(/^\.\/?|\/$/g, '')
    const found =
      this.places.has(place) ||
      closureOf(place, this.kustomizations).some(({ file, leadsTo }) =>
        [file, ...leadsTo].some((one) => !this.kustomizations.has(one) && this.places.has(one)),
      )
    this.known.set(written, found)
    return found
  }
}

/** A path and all folders above it. */
function withFolders(file: string): string[] {
  const folder = path.dirname(file)
  return folder === '.' ? [file, ''] : [file, ...withFolders(folder)]
}
