import type { ClusterMap } from '../cluster/clusters'
import type { Snapshot } from '../cluster/snapshot'
import type { Finding, Report, ReportShard } from '../finding/report'
import type { Change, Move } from '../manifest/change'
import type { Manifest, ObjectRef } from '../manifest/manifest'

/** Everything the gate judges: data only, gathered by a host. */
export interface Evidence {
  /** A change between two revisions, or one revision (the head) whole. */
  readonly mode: Report['mode']
  readonly changes: readonly Change[]
  readonly moves: readonly Move[]
  /** Changes to cluster descriptions: inventories, and the config's declarations of a cluster. */
  readonly described: readonly Change[]
  /** By cluster. */
  readonly base: ReadonlyMap<string, Snapshot>
  readonly head: ReadonlyMap<string, Snapshot>
  /** Ingresses of unchanged files, read only to show which controllers serve them; no rule judges them. */
  readonly unchangedIngresses: () => readonly Manifest[]
  /** The file of this change that writes an object which cannot be read from it: a template, or unreadable. */
  readonly writtenUnread: (ref: ObjectRef) => string | undefined
  readonly clusters: ClusterMap
  /** The clusters that hold what differs with another answer of the real ones. */
  readonly answered?: ReadonlySet<string>
  /** The real cluster of such a one, where its answers are no property of some clusters alone. */
  readonly among?: ReadonlyMap<string, string>
  /** The same with the objects that are assumed, and their changes alone; undefined where none is. */
  readonly assumed?: Pick<Evidence, 'changes' | 'base' | 'head'>
  /**
   * The reason why an object that the head still writes does not keep an object of the base: its deployer deletes the
   * one or does not apply the other.
   */
  readonly lapseOf?: (manifest: Manifest, before: Manifest) => string | undefined
  /** The folders of charts that this change removes and that nothing known installs, by the ids of their releases. */
  readonly removedCharts?: ReadonlyMap<string, string>
  /** Whether an object is deployed, if that is known: objects that are not deployed are not compared with others. */
  readonly isDeployed?: (manifest: Manifest) => boolean
  /** Whether an untouched file of a cluster uses a name that a rule looks for in texts. */
  readonly isUsed?: (cluster: string, name: string) => boolean
  /** The texts of every file this change adds, changes or removes. */
  readonly changedTexts: ReadonlyMap<string, { readonly before?: string; readonly after?: string }>
  /** Findings about files that could not be read, and about changes of the config: `source/*` and `config/*`. */
  readonly findings: readonly Finding[]
  readonly inspected: Omit<Report['inspected'], 'changes'>
  /** Whether the objects of a cluster are judged, if this run does not judge all. */
  readonly judges?: (cluster: string) => boolean
  /** What this run covers, if it does not judge all. */
  readonly covered?: Omit<ReportShard, 'terms' | 'parts'>
}
