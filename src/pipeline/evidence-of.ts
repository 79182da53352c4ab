import type { ClusterMap } from '../cluster/clusters'
import { snapshotsOf } from '../cluster/snapshot'
import type { Evidence } from '../engine/evidence'
import type { Inspected } from '../finding/report'
import { withoutEmpty } from '../gaps/accounts/empty-values'
import type { Coverage } from '../ledger/coverage'
import type { LedgerEntry } from '../ledger/entry'
import type { Manifest } from '../manifest/manifest'
import type { SideOfChange } from '../sides/side'
import type { Unseen } from './account-for-unseen'
import { assume } from './assume'
import { bumpsIn } from './bumps'
import { changedTexts, describedTexts } from './changed-texts'
import type { Comparison } from './compare'
import { coveredBy } from './covered-by'
import { namesInUse } from './names-in-use'
import type { Sides } from './opening/open-sides'
import type { Gathered, Scope } from './opening/scope'
import type { SelectedShards } from './opening/shard'
import { FoundPartners } from './partners/found-partners'
import type { LoadedPartners } from './partners/load-partners'
import type { Reach } from './reach'
import type { ChangedFiles } from './read-changed'
import { descriptionsOf, type Rest } from './read-rest'
import type { ChangedRenderings } from './render-changed'
import { ingressesIn } from './unchanged-ingresses'

interface StageResults {
  readonly sides: Sides
  readonly read: ChangedFiles
  readonly rendered: ChangedRenderings
  readonly rest: Rest
  readonly clusters: ClusterMap
  readonly compared: Comparison
  readonly partners: LoadedPartners
  readonly unseen: Unseen
  readonly reach: Reach
  readonly files: readonly LedgerEntry[] | undefined
  readonly coverage: Coverage | undefined
}

/** Combines what the rules judge and what the report lists as inspected. */
export async function evidenceOf(stages: StageResults, { renderer, isTrial, rules }: Scope): Promise<Gathered> {
  const { sides, read, rendered, rest, clusters, compared, partners, unseen, reach, files, coverage } = stages
  const { base, head } = sides
  const { placement, describing, described } = compared
  const others = {
    base: [...placement.ofFiles('base', partners.loaded), ...compared.rest.base],
    head: [...placement.ofFiles('head', partners.loaded), ...compared.rest.head],
  }
  const baseManifests = [...compared.before, ...others.base]
  const headManifests = [...compared.after, ...others.head]
  const snapshots = {
    base: snapshotsOf(baseManifests, describing, unseen.hides),
    head: snapshotsOf(headManifests, descriptionsOf(sides).head.manifests, unseen.hides),
  }
  const kinds = new Set([...rendered.before, ...rendered.after, ...rest.rendered].map(({ source }) => source.kind))
  const tools = kinds.size > 0 ? await renderer.tools(kinds) : []
  const bumps = isTrial ? [] : await bumpsIn(sides, rendered)
  const judged = {
    changes: compared.changes,
    ...snapshots,
    ...assume(
      { differing: compared.before, others: others.base },
      { differing: compared.after, others: others.head },
      snapshots,
      { isComparing: base !== undefined },
    ),
  }
  const isUsed = await namesInUse(sides, clusters, judged, rules)
  const stillThere = await head.checkout.texts([...read.before.loaded.keys()])
  return {
    mode: base ? 'change' : 'all',
    ...judged,
    moves: compared.moves,
    described,
    ...(isUsed ? { isUsed } : {}),
    unchangedIngresses: () => placement.ofFiles('head', ingressesIn(rest.texts)),
    writtenUnread: (ref) => compared.blind.writes(ref),
    clusters,
    lapseOf: compared.lapseOf,
    removedCharts: compared.removedCharts,
    answered: rendered.answered.clusters,
    among: compared.among,
    hasAnswersBeside: rendered.answered.areBeside,
    ...(sides.shard ? partOf(sides.shard, rendered) : {}),
    ...(sides.shard && !isTrial ? { covered: coveredBy(sides, sides.shard, baseManifests, headManifests) } : {}),
    ...(reach.isDeployed ? { isDeployed: reach.isDeployed } : {}),
    changedTexts: new Map([
      ...changedTexts(read.before, read.after, stillThere),
      ...(await read.values.texts()),
      ...describedTexts(described),
    ]),
    findings: unseen.findings,
    inspected: {
      base: base ? inspected(base, baseManifests) : null,
      head: inspected(head, headManifests),
      tools,
      ...(tools.length > 0 && (await renderer.isIsolated()) ? { confinement: 'no-network' as const } : {}),
      skipped: withoutEmpty(unseen.skipped, files),
      ...(files ? { files } : {}),
      ...(bumps.length > 0 ? { bumps } : {}),
      ...(coverage ? { coverage } : {}),
    },
    sides: { base, head },
    opened: sides.opened,
    switched: sides.switched ?? [],
    ...(sides.shard ? { shard: sides.shard } : {}),
    partners: new FoundPartners(
      rest.needed,
      [...rendered.before, ...rendered.after, ...rest.rendered],
      rest.repeated,
      [read.before, read.after],
      partners,
    ),
  }
}

/** The clusters that are judged; those of other answers are known only where their release is rendered. */
function partOf(shard: SelectedShards, { answered }: ChangedRenderings): Pick<Evidence, 'judges'> {
  return { judges: (cluster) => answered.clusters.has(cluster) || shard.judges(cluster) }
}

function inspected({ revision, tree }: SideOfChange, manifests: readonly Manifest[]): Inspected {
  const files = new Set(manifests.flatMap(({ origin }) => (origin.kind === 'file' ? [origin.path] : [])))
  const rendered = new Set(manifests.flatMap(({ origin }) => (origin.kind === 'rendered' ? [origin.id] : [])))
  return {
    revision: revision.name,
    files: tree.files.size,
    sources: files.size + rendered.size,
    rendered: rendered.size,
    manifests: manifests.length,
  }
}
