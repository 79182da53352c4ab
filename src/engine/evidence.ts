import type { ClusterMap } from '../cluster/clusters'
import type { Snapshot } from '../cluster/snapshot'
import type { Finding, Report } from '../finding/report'
import type { Change, Move } from '../manifest/change'
import type { Manifest } from '../manifest/manifest'

/** Everything the gate judges: data only, gathered by a host. */
export interface Evidence {
  /** A change between two revisions, or one revision (the head) whole. */
  readonly mode: Report['mode']
  readonly changes: readonly Change[]
  readonly moves: readonly Move[]
  /** What becomes of the descriptions of clusters: inventories, and what the config says of a cluster. */
  readonly described: readonly Change[]
  /** By cluster. */
  readonly base: ReadonlyMap<string, Snapshot>
  readonly head: ReadonlyMap<string, Snapshot>
  /** Ingresses of unchanged files, read only when someone wants to show who takes them; no rule judges them. */
  readonly unchangedIngresses: () => readonly Manifest[]
  readonly clusters: ClusterMap
  /** The texts of every file this change adds, changes or removes. */
  readonly changedTexts: ReadonlyMap<string, { readonly before?: string; readonly after?: string }>
  /** What could not be read, and what the change does to the config: `source/*` and `config/*`. */
  readonly findings: readonly Finding[]
  readonly inspected: Omit<Report['inspected'], 'changes'>
}
