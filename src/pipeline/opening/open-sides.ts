import type { Declarations } from '../../cluster/clusters'
import { foldersNamedAsClusters } from '../../cluster/named-folders'
import { inventoriesOf } from '../../configuration/descriptions'
import type { Finding, Skipped } from '../../finding/report'
import { changedPaths } from '../../revision/reading'
import type { Opening } from '../../sides/look-at'
import { SideOfChange } from '../../sides/side'
import type { HelmSource } from '../../sources/source'
import type { Scope } from './scope'
import type { SelectedShards } from './shard'

/** What all trials of a change share: its base, before anything is fetched for it, and the paths that differ. */
export interface OpenedBase {
  readonly base: SideOfChange | undefined
  readonly changed: ReadonlySet<string> | undefined
  /** The folders that are taken for clusters by their names; undefined until both sides are open. */
  readonly folders?: ReadonlySet<string>
}

/** Both sides of a change: their files, and the sources that deploy them. */
export interface Sides {
  /** None when the head is judged whole. */
  readonly base: SideOfChange | undefined
  readonly head: SideOfChange
  /** The paths that differ; undefined when the head is judged whole. */
  readonly changed: ReadonlySet<string> | undefined
  readonly declarations: Declarations
  /** The clusters to judge; all if undefined. */
  readonly shard?: SelectedShards | undefined
  /** The releases of charts with switches on, as `withProbes` adds them. */
  readonly switched?: readonly HelmSource[]
  /** What a trial of the same change takes over. */
  readonly opened: OpenedBase
  /** Releases that the cluster cannot get the charts of either. */
  readonly notFetched?: readonly Finding[]
  /** The charts of this repository that are rendered in place of published ones. */
  readonly publishedHere?: readonly Skipped[]
}

/** Lists the files of both sides and finds their deployers; discovery of the head depends on that of the base. */
export async function openSides(scope: Scope): Promise<Sides> {
  const changed = scope.base && (await changedPaths(scope.base, scope.head))
  const inventories = await inventoriesOf(scope.base, scope.clusters)
  const opened: OpenedBase = scope.opened ?? { base: await openBase(scope, changed, inventories.base), changed }
  const { base } = opened
  const wasThere = new Set([
    ...(base?.checkout.tree.entries.keys() ?? []),
    ...[...(base?.tree.aliases.values() ?? [])].flat(),
  ])
  const declarations = { ...scope.clusters, isNew: (path: string) => !wasThere.has(path) }
  const head = await SideOfChange.open(scope.head, 'head', {
    ...scope,
    // Both sides of a trial read as much of ApplicationSets.
    changed: opened.changed,
    releases: scope.releases.head,
    declarations,
    base: base?.discovery,
    inventories: inventories.head,
  })
  const folders = opened.folders ?? clusterFolders(base, head)
  return { base, head, changed, declarations: { ...declarations, folders }, opened: { ...opened, folders } }
}

/** The folders that are taken for clusters by their names. Those of the head count where the base has no such folder. */
function clusterFolders(base: SideOfChange | undefined, head: SideOfChange): Set<string> {
  const of = (side: SideOfChange) => foldersNamedAsClusters(side.checkout.tree.entries.keys(), clusterNames(side))
  if (!base) return of(head)
  const isThere = (folder: string) => base.checkout.below(folder).length > 0
  return new Set([...of(base), ...[...of(head)].filter((folder) => !isThere(folder))])
}

/** The names of the clusters that objects deploy to. */
function clusterNames({ discovery }: SideOfChange): Set<string> {
  return new Set(discovery.sources.flatMap(({ target }) => ('cluster' in target ? [target.cluster] : [])))
}

async function openBase(
  scope: Scope,
  changed: ReadonlySet<string> | undefined,
  inventories: Opening['inventories'],
): Promise<SideOfChange | undefined> {
  if (!scope.base) return undefined
  return SideOfChange.open(scope.base, 'base', {
    ...scope,
    changed,
    releases: scope.releases.base,
    declarations: { ...scope.clusters, isNew: () => false },
    base: undefined,
    inventories,
  })
}

/** Whether a plain file, or the set of links to it, differs between the sides. */
export function differs({ base, head }: Sides, path: string): boolean {
  if (!base) return true
  return (
    base.tree.files.get(path)?.id !== head.tree.files.get(path)?.id ||
    String(base.tree.aliases.get(path) ?? '') !== String(head.tree.aliases.get(path) ?? '')
  )
}
