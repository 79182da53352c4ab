import { minimatch } from 'minimatch'
import type { LoadedObject } from '../manifest/load'
import { type ClusterEvidence, identityOf, type ObjectRef, type Side } from '../manifest/manifest'
import type { Region } from '../region'
import { foldersWithOwnFlux } from './flux-roots'
import { ancestors, sideBits } from './folders'

/** A user config's entry for one cluster. */
export interface DeclaredCluster {
  /** The files that are deployed to it, as globs from the repository's root. */
  readonly paths?: readonly string[]
  /** The inventory file, and the place that names it. */
  readonly inventory?: { readonly path: string; readonly region: Region }
  /** The config's whole entry, and its file. */
  readonly entry?: { readonly path: string; readonly object: LoadedObject }
}

/** The clusters of a user's config, by name. */
export type DeclaredClusters = Readonly<Record<string, DeclaredCluster>>

/** A file with the objects it holds, which may be the same on both sides. */
export interface FileObjects {
  readonly path: string
  readonly sides: readonly Side[]
  readonly refs: readonly ObjectRef[]
}

/** The cluster of each file of a repository. Computed once, over both sides of a change. */
export interface ClusterMap {
  of(path: string): { clusters: readonly string[]; evidence: ClusterEvidence }
  /** Some folders count as clusters because they repeat each other: likely, but not certain. */
  readonly assumed: boolean
}

/** The declarations of both sides; a path that was there at the base is placed by the base's declarations only. */
export interface Declarations {
  readonly base: DeclaredClusters
  readonly head: DeclaredClusters
  /** The folders that are taken for clusters by their names. */
  readonly folders?: ReadonlySet<string>
  isNew(path: string): boolean
}

/**
 * @param files every file with objects, on both sides; may be left empty when no finding can depend on it
 * @param known folders that repeat each other by objects of other files, with the sides on which they do
 */
export function mapClusters(
  { base, head, folders, isNew }: Declarations,
  files: readonly FileObjects[],
  known: ReadonlyMap<string, number> = new Map(),
): ClusterMap {
  const repeated = foldersThatRepeat(files)
  for (const [folder, sides] of known) repeated.set(folder, (repeated.get(folder) ?? 0) | sides)
  for (const [folder, sides] of foldersWithOwnFlux(files)) repeated.set(folder, (repeated.get(folder) ?? 0) | sides)
  const hasBase = files.some(({ sides }) => sides.includes('base'))
  const placeBy = (declarations: readonly DeclaredClusters[], path: string): ReturnType<ClusterMap['of']> => {
    for (const declared of declarations) {
      const names = declaredFor(path, declared)
      if (names.length > 0) return { clusters: names, evidence: 'declared' }
    }
    const layout = layoutFolderOf(path)
    const sibling = ancestors(path).findLast((folder) => repeated.has(folder) || folders?.has(folder))
    // Repeating folders inside one of the layout's (clusters/prod/{east,west}) are finer evidence than the layout.
    if (layout && (!sibling || sibling.length <= layout.length)) return { clusters: [layout], evidence: 'layout' }
    return sibling ? { clusters: [sibling], evidence: 'repeated' } : { clusters: [''], evidence: 'none' }
  }
  // The head may declare new clusters; paths it adds to a cluster that the base knows could replace what it removed.
  const declared = Object.entries(head).filter(([name]) => !Object.hasOwn(base, name))
  const there = new Set(
    declared.length === 0
      ? []
      : files.filter(({ sides }) => sides.includes('base')).flatMap(({ path }) => placeBy([base], path).clusters),
  )
  const fresh = Object.fromEntries(declared.filter(([name]) => !there.has(name)))
  return {
    // Uncertain clusters weaken findings, so folders that only start to repeat each other in a pull request do not
    // count.
    assumed: [...repeated.values()].some((sides) => !hasBase || (sides & sideBits.base) !== 0),
    of: (path) => placeBy(isNew(path) ? [base, fresh] : [base], path),
  }
}

/** The declared clusters that a file is deployed to. */
export function declaredFor(path: string, declared: DeclaredClusters): string[] {
  return Object.entries(declared).flatMap(([name, cluster]) => (holds(name, cluster, path) ? [name] : []))
}

/** The folder that the conventional layout gives to a cluster, of a file in it. */
export function layoutFolderOf(path: string): string | undefined {
  return path.match(/^(?:.*?\/)??(?:clusters|environments|envs|overlays)\/[^/]+(?=\/)/)?.[0]
}

/** Without globs a cluster is the folder of its name. */
function holds(name: string, declared: DeclaredCluster, path: string): boolean {
  if (!declared?.paths) return path.startsWith(`${name}/`)
  return declared.paths.some((glob) => minimatch(path, glob, { dot: true }))
}

/** An object in more sibling folders than this is weak evidence for any pair of them. */
const siblingLimit = 64

/**
 * Sibling folders that repeat each other: on one side, at least two objects of the one, and at least half of the
 * smaller folder's, are also in the other. Namespaces do not count.
 *
 * @returns the folders, with the sides on which they repeat another
 */
export function foldersThatRepeat(files: readonly FileObjects[]): Map<string, number> {
  const held = files.map(({ path, sides, refs }) => ({
    path,
    bits: sides.reduce((all, side) => all | sideBits[side], 0),
    identities: refs.filter((ref) => ref.kind !== 'Namespace' || ref.group !== '').map(identityOf),
  }))
  // Nearly all objects of a repository are in one file, and say nothing but how large its folders are.
  const homes = new Map<string, string>()
  const inMany = new Set<string>()
  for (const { path, identities } of held) {
    for (const identity of identities) {
      const home = homes.get(identity)
      if (home === undefined) homes.set(identity, path)
      else if (home !== path) inMany.add(identity)
    }
  }
  if (inMany.size === 0) return new Map()
  const sizes = new Map<string, number>()
  for (const [identity, path] of homes) {
    if (inMany.has(identity)) continue
    for (const folder of ancestors(path)) sizes.set(folder, (sizes.get(folder) ?? 0) + 1)
  }
  const objects = new Map<string, Map<string, number>>()
  for (const { path, bits, identities } of held) {
    for (const folder of ancestors(path)) {
      const known = objects.get(folder) ?? new Map<string, number>()
      objects.set(folder, known)
      for (const identity of identities)
        if (inMany.has(identity)) known.set(identity, (known.get(identity) ?? 0) | bits)
    }
  }
  const sizeOf = (folder: string) => (sizes.get(folder) ?? 0) + (objects.get(folder)?.size ?? 0)
  const siblings = new Map<string, string[]>()
  for (const folder of objects.keys()) {
    const parent = folder.slice(0, folder.lastIndexOf('/') + 1)
    const children = siblings.get(parent)
    if (children) children.push(folder)
    else siblings.set(parent, [folder])
  }
  const found = new Map<string, number>()
  for (const folders of siblings.values()) {
    const holders = new Map<string, string[]>()
    for (const folder of folders) {
      for (const identity of objects.get(folder)?.keys() ?? []) {
        const list = holders.get(identity)
        if (!list) holders.set(identity, [folder])
        else if (list.length < siblingLimit) list.push(folder)
      }
    }
    for (const folder of folders) {
      const own = objects.get(folder) ?? new Map<string, number>()
      const shared = new Map<string, number[]>()
      for (const [identity, sides] of own) {
        for (const other of holders.get(identity) ?? []) {
          const both = sides & (objects.get(other)?.get(identity) ?? 0)
          if (other === folder || both === 0) continue
          const counts = shared.get(other) ?? [0, 0, 0, 0]
          shared.set(other, counts)
          for (const bit of [sideBits.base, sideBits.head]) if (both & bit) counts[bit] = (counts[bit] ?? 0) + 1
          const enough = Math.max(2, Math.min(sizeOf(folder), sizeOf(other)) / 2)
          for (const bit of [sideBits.base, sideBits.head]) {
            if ((counts[bit] ?? 0) < enough) continue
            for (const one of [folder, other]) found.set(one, (found.get(one) ?? 0) | bit)
          }
        }
      }
    }
  }
  return found
}
