import type { DeclaredClusters } from '../../cluster/clusters'
import type { Evidence } from '../../engine/evidence'
import type { DeclaredRelease } from '../../policy/config'
import type { ActiveRule } from '../../policy/policy'
import type { Renderer } from '../../render/renderer'
import type { Revision } from '../../revision/revision'
import type { SideOfChange } from '../../sides/side'
import type { HelmSource } from '../../sources/source'
import type { FoundPartners } from '../partners/found-partners'
import type { PartnerSearch } from '../partners/partner-search'
import type { Fetches } from './asking'
import type { OpenedBase, Sides } from './open-sides'
import type { SelectedShards } from './shard'

/** The sides to compare, and the inputs that decide how much of them has to be read. */
export interface Scope {
  /** None when the head is judged whole. */
  readonly base: Revision | undefined
  readonly head: Revision
  readonly rules: readonly ActiveRule[]
  readonly ignore: readonly string[]
  /** The clusters that the configs of both sides declare. */
  readonly clusters: { readonly base: DeclaredClusters; readonly head: DeclaredClusters }
  readonly releases: { readonly base: readonly DeclaredRelease[]; readonly head: readonly DeclaredRelease[] }
  /** The names of the repository, as `repositoryName` gives them. */
  readonly repository: readonly string[]
  /** The branch that the change is merged to, where its name is known. */
  readonly branch?: string | undefined
  readonly renderer: Renderer
  /** What is known of texts and sources, for a run with trials. */
  readonly search?: PartnerSearch
  /** Fetches charts from elsewhere; undefined to fetch nothing. */
  readonly fetches?: Fetches | undefined
  /** The file of the config in force. */
  readonly config?: string | undefined
  /** Selects the clusters to judge; all where it is not given. */
  readonly select?: (sides: Sides) => SelectedShards | undefined
  /** Set for a trial, whose changed files need no account. */
  readonly isTrial?: true
  /** Set for a trial with the config of the change. */
  readonly opened?: OpenedBase
  /** Set for a trial that looks for no partners of its own. */
  readonly partners?: FoundPartners
  /** Set for a trial: the releases of charts with switches on. */
  readonly switched?: readonly HelmSource[]
  /** Set for a trial of findings that are true without other answers of the cluster. */
  readonly withoutAnswers?: boolean
}

/** The evidence, and the two sides it was taken from. */
export interface Gathered extends Evidence {
  /** Whether findings outside the clusters of other answers may depend on such an answer. */
  readonly hasAnswersBeside: boolean
  readonly sides: { readonly base: SideOfChange | undefined; readonly head: SideOfChange }
  readonly opened: OpenedBase
  readonly partners: FoundPartners
  readonly switched: readonly HelmSource[]
  readonly shard?: SelectedShards
}
