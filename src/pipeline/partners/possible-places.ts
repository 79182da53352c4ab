import { type Whereabouts, whereaboutsOf } from '../../cluster/apart'
import { type Declarations, type FileObjects, foldersThatRepeat } from '../../cluster/clusters'
import type { Manifest } from '../../manifest/manifest'
import type { Source } from '../../sources/source'
import type { Sides } from '../opening/open-sides'
import type { StateOfChange } from './wanted-partners'

/** Objects in more places than this are looked for in all of these places together. */
const maxPlaces = 50

type Destination = Parameters<typeof whereaboutsOf>[0]

/** Objects in the same place: undefined for every cluster. */
export interface Group {
  readonly at: readonly Whereabouts[] | undefined
  readonly its: Manifest[]
}

/**
 * The possible clusters of touched objects, of their partners, and of sources. The more objects are known, the fewer
 * these are: folders that repeat each other are clusters.
 */
export class PossiblePlaces {
  /** The objects of untouched sources, by their ids; undefined where they are not known. */
  private readonly known = new Map<string, FileObjects | undefined>()
  private folders: ReadonlySet<string> | undefined
  private readonly groups = new Map<readonly Manifest[], readonly Group[]>()
  /** The folders that repeat each other, with the sides on which they do. */
  repeated: ReadonlyMap<string, number> = new Map()

  /** @param written the objects of files and of the sources that the change touches */
  constructor(
    private readonly declarations: Declarations,
    private readonly destinationsOf: (manifest: Manifest) => readonly Destination[],
    private readonly state: StateOfChange,
    private readonly written: readonly FileObjects[],
  ) {
    this.compare()
  }

  isKnown({ id }: Source): boolean {
    return this.known.has(id)
  }

  /**
   * Takes the objects of untouched sources into account, by the ids of these.
   *
   * @returns whether more folders repeat each other by them
   */
  learn(objects: readonly (readonly [string, FileObjects | undefined])[]): boolean {
    if (objects.length === 0) return false
    for (const [id, one] of objects) this.known.set(id, one)
    const before = this.repeated
    this.compare()
    return [...this.repeated.keys()].some((folder) => !before.has(folder))
  }

  private compare(): void {
    this.repeated = foldersThatRepeat([...this.written, ...[...this.known.values()].filter((one) => one !== undefined)])
    this.folders = new Set([...(this.declarations.folders ?? []), ...this.repeated.keys()])
    this.groups.clear()
  }

  of({ target }: Source): Whereabouts {
    return whereaboutsOf(target, { ...this.declarations, folders: this.folders })
  }

  /** Groups objects by their place, or, if there are many, by whether it is known. Most rules start with the same ones. */
  grouped(manifests: readonly Manifest[]): readonly Group[] {
    const known = this.groups.get(manifests) ?? groupsOf(manifests, (manifest) => this.ofObject(manifest))
    this.groups.set(manifests, known)
    return known
  }

  /** A removed object may have copies in folders that are taken for other clusters, which make its removal less certain. */
  private ofObject(manifest: Manifest): readonly Whereabouts[] | undefined {
    const all = this.destinationsOf(manifest)
    const folders = this.state.gone.has(manifest) ? undefined : this.folders
    return all.length > 0 ? all.map((one) => whereaboutsOf(one, { ...this.declarations, folders })) : undefined
  }
}

/** Finds the clusters, or the files that decide them, of objects. */
export function destinations({
  base,
  head,
}: Pick<Sides, 'base' | 'head'>): (manifest: Manifest) => readonly Destination[] {
  const targetsOf = (side: Sides['base']) => new Map(side?.discovery.sources.map(({ id, target }) => [id, target]))
  const targets = { base: targetsOf(base), head: targetsOf(head) }
  return ({ origin, clusters, side, object }) => {
    // The objects that describe clusters have theirs already.
    if (clusters.length > 0) return clusters.map((cluster) => ({ cluster }))
    const source = origin.kind === 'rendered' ? origin.id : object.context?.inflatedBy
    if (source !== undefined) return [targets[side].get(source) ?? []].flat()
    const its = side === 'base' ? base : head
    // Files of charts and Kustomizations are deployed to the clusters of the sources that include them.
    if (its?.discovery.ownership.has(origin.path)) return []
    return [origin.path, ...(its?.tree.aliases.get(origin.path) ?? [])].map((path) => ({ path }))
  }
}

function groupsOf(manifests: readonly Manifest[], placeOf: (manifest: Manifest) => Group['at']): Group[] {
  const groups = new Map<string, Group>()
  for (const manifest of manifests) {
    const at = placeOf(manifest)
    const key = JSON.stringify(at ?? null)
    const group = groups.get(key) ?? { at, its: [] }
    groups.set(key, group)
    group.its.push(manifest)
  }
  const all = [...groups.values()]
  if (all.length <= maxPlaces) return all
  const [placed, anywhere] = [all.filter(({ at }) => at), all.filter(({ at }) => !at)]
  return [
    { at: placed.flatMap(({ at }) => at ?? []), its: placed.flatMap(({ its }) => its) },
    { at: undefined, its: anywhere.flatMap(({ its }) => its) },
  ]
}
