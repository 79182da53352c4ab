import { minimatch } from 'minimatch'
import { didYouMean } from '../closest'
import { GuardError } from '../errors'
import type { Side } from '../manifest/manifest'
import { type Declarations, declaredFor, layoutFolderOf } from './clusters'

/** The name of what belongs to no cluster that is known before rendering. */
export const restName = '(rest)'

/** A cluster, or a file that decides which one it is. */
export type Destination = { readonly cluster: string } | { readonly path: string }

/** A plain file or a source, as one side has it. */
export interface Deployed {
  readonly side: Side
  readonly to: Destination
}

/** Clusters that are judged together, under the name of the first. */
export type Shard = readonly [string, ...string[]]

/**
 * The parts of a repository that are judged apart: its clusters, as far as they are known before anything is rendered,
 * and the rest. Every name of a cluster belongs to exactly one shard, and what may go to several clusters to several.
 */
export class Shards {
  readonly all: readonly Shard[]
  /** The names that the config and deployers give. */
  private readonly given: ReadonlySet<string>
  /** The shard of each known name. */
  private readonly nameOf: ReadonlyMap<string, string>

  constructor(
    private readonly declarations: Pick<Declarations, 'base' | 'head'>,
    deployed: readonly Deployed[],
  ) {
    const { base, head } = declarations
    const targets = deployed.flatMap(({ to }) => ('cluster' in to ? [to.cluster] : []))
    this.given = new Set([...Object.keys(base), ...Object.keys(head), ...targets])
    const sides = new Map<string, Set<Side>>()
    for (const { side, to } of deployed)
      for (const name of this.namesOf(to)) sides.set(name, (sides.get(name) ?? new Set()).add(side))
    sides.delete(restName)
    // What is on one side alone may have been renamed: then both names are compared as one cluster.
    const names = [...sides.keys()].sort()
    const on = (side: Side) => names.filter((name) => sides.get(name)?.has(side))
    const [was, is] = [on('base'), on('head')]
    const gone = was.filter((name) => !is.includes(name))
    const come = is.filter((name) => !was.includes(name))
    const [first] = come
    const together: Shard[] = first !== undefined && gone.length > 0 ? [[first, ...come.slice(1), ...gone]] : []
    const apart = names.filter((name) => !together.some((shard) => shard.includes(name)))
    this.all = [...apart.map((name): Shard => [name]), ...together, [restName] as const].sort(byName)
    this.nameOf = new Map(this.all.flatMap((shard) => shard.map((name) => [name, shard[0]] as const)))
  }

  /** The shard that judges a cluster. */
  of(cluster: string): string {
    return this.nameOf.get(this.nameBefore(cluster)) ?? restName
  }

  /** The shards that may hold what goes there. */
  mayHold(to: Destination): string[] {
    return [...new Set(this.namesOf(to).map((name) => this.nameOf.get(name) ?? restName))]
  }

  /** The shard of the folder that what goes there is in, although the config gives it to another cluster. */
  around(to: Destination): string[] {
    const layout = 'path' in to ? layoutFolderOf(to.path) : undefined
    const shard = layout === undefined ? undefined : this.nameOf.get(layout)
    return shard === undefined ? [] : [shard]
  }

  /**
   * The shards that names or globs select; a name that is a shard's is no glob.
   *
   * @throws GuardError `usage`, where one selects nothing
   */
  selected(globs: readonly string[]): Set<string> {
    return new Set(globs.flatMap((glob) => this.selectedBy(glob)))
  }

  private selectedBy(glob: string): string[] {
    const exact = this.nameOf.get(glob)
    if (exact !== undefined) return [exact]
    const found = [...this.nameOf].filter(([name]) => minimatch(name, glob, { dot: true }))
    if (found.length > 0) return found.map(([, shard]) => shard)
    const names = [...this.nameOf.keys()]
    throw new GuardError(
      'usage',
      `No cluster of the base or the head matches ${JSON.stringify(glob)}, so nothing would be judged.${didYouMean(glob, names)} The clusters are ${names.map((name) => JSON.stringify(name)).join(', ')}.`,
    )
  }

  /** The name by which a cluster is known before anything is rendered. */
  private nameBefore(cluster: string): string {
    if (cluster === '') return restName
    return layoutFolderOf(`${cluster}/`) ?? (this.given.has(cluster) ? cluster : restName)
  }

  private namesOf(to: Destination): string[] {
    if ('cluster' in to) return [this.nameBefore(to.cluster)]
    const { base, head } = this.declarations
    const declared = declaredFor(to.path, base)
    if (declared.length > 0) return declared.map((name) => this.nameBefore(name))
    // Folders that repeat each other are known after rendering; one may have the name of another cluster.
    const folders = to.path.split('/').map((_, index, all) => all.slice(0, index).join('/'))
    const named = folders.filter((folder) => folder !== '' && this.given.has(folder))
    return [layoutFolderOf(to.path) ?? '', ...declaredFor(to.path, head), ...named].map((name) => this.nameBefore(name))
  }
}

function byName([a]: Shard, [b]: Shard): number {
  return a < b ? -1 : a > b ? 1 : 0
}
