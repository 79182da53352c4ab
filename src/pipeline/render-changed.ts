import { failLostCharts } from '../gaps/missing-charts'
import type { Unanswered } from '../gaps/unanswered'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { readChart } from '../sources/chart'
import type { Source, Target } from '../sources/source'
import { withoutDeleted } from './after-rendering/deleted-objects'
import { withKeptDefinitions } from './after-rendering/kept-definitions'
import { protectedBy } from './after-rendering/protected-by'
import { uncertainIn } from './after-rendering/uncertain-in'
import { allOf, type Uncertain } from './after-rendering/uncertain-objects'
import type { Sides } from './opening/open-sides'
import { readInPart } from './opening/read-in-part'
import type { Scope } from './opening/scope'
import type { ChangedFiles } from './read-changed'

/** The sources that differ, rendered at the sides that have them. */
export interface ChangedRenderings {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
  /** The sources that differ and that only other shards render. */
  readonly others: { readonly before: readonly Source[]; readonly after: readonly Source[] }
  /** Whether a source renders to the same on both sides. */
  readonly isSame: (source: Source) => boolean
  /** The clusters of objects that differ with other answers of the cluster, and of charts with supposed values. */
  readonly answered: {
    readonly clusters: ReadonlySet<string>
    readonly areBeside: boolean
    /** The targets of the releases whose objects in such a cluster any cluster may have. */
    readonly among: ReadonlyMap<string, Target>
  }
  /** The releases that do not render with some answer. */
  readonly unanswered: readonly Unanswered[]
}

/** Renders the sources whose files or definition differ. */
export async function renderChanged(
  { base, head, shard }: Sides,
  { values, reached, ...files }: ChangedFiles,
  { rules, withoutAnswers = false }: Pick<Scope, 'rules' | 'withoutAnswers'>,
): Promise<ChangedRenderings> {
  const isSame = ({ id }: Source) => base !== undefined && base.keys.get(id) === head.keys.get(id) && !reached.has(id)
  const isOwn = (source: Source) => !shard || shard.renders(source)
  const differing = (side: SideOfChange | undefined, isWanted: (source: Source) => boolean) =>
    (side?.discovery.sources ?? []).filter((source) => !isSame(source) && isWanted(source))
  const others = {
    before: differing(base, (source) => !isOwn(source)),
    after: differing(head, (source) => !isOwn(source)),
  }
  const renderAll = (side: SideOfChange) => Promise.all(differing(side, isOwn).map((source) => side.render(source)))
  const whole = await Promise.all([base ? renderAll(base) : [], renderAll(head)])
  const readable = await readInPart({ base, head }, ...whole)
  const [before, after] = await Promise.all([
    values.complete('base', readable.before),
    values.complete('head', failLostCharts(readable.before, readable.after)),
  ])
  const probed = clustersOf([...before, ...after].filter(({ source }) => source.origin === 'probed'))
  if (!base) return { before, after, others, isSame, answered: onlyProbed(probed), unanswered: [] }
  const uncertain = withoutAnswers ? allOf([]) : await uncertainIn({ base, head }, files, before, after)
  const kept = withKeptDefinitions(before, after)
  const names = new Map([...(await namesOfCharts(base, kept.before)), ...(await namesOfCharts(head, kept.after))])
  const left = withoutDeleted(kept.before, kept.after, protectedBy(rules), names)
  return {
    before: [...left.before, ...uncertain.before],
    after: [...left.after, ...uncertain.after],
    others,
    isSame,
    answered: answeredIn(uncertain, probed),
    unanswered: uncertain.unanswered,
  }
}

/** The names of charts that Flux installs, as they are in `Chart.yaml`. */
async function namesOfCharts(side: SideOfChange, rendered: readonly RenderedSide[]): Promise<Map<Source, string>> {
  const ofFlux = rendered.flatMap(({ source }) =>
    source.kind === 'helm' && source.storage !== undefined && !source.chart.endsWith('.tgz') ? [source] : [],
  )
  const read = ofFlux.map(async (source) => [source, (await readChart(side.checkout, source.chart)).name] as const)
  return new Map(await Promise.all(read))
}

/**
 * The clusters of objects that differ with other answers; objects that only such an answer creates are in a cluster
 * besides that of their release.
 */
function answeredIn(
  { before, after, clusters: own }: Uncertain,
  probed: ReadonlySet<string>,
): ChangedRenderings['answered'] {
  const sides = [...before, ...after]
  const named = clustersOf(sides)
  const clusters = new Set(own.flatMap(([name]) => (named.has(name) ? [name] : [])))
  const areBeside = sides.some(({ source: { target } }) => !('cluster' in target && clusters.has(target.cluster)))
  const among = new Map(own.flatMap(([name, target]) => (clusters.has(name) && target ? [[name, target]] : [])))
  return { clusters: new Set([...clusters, ...probed]), areBeside, among }
}

function onlyProbed(clusters: ReadonlySet<string>): ChangedRenderings['answered'] {
  return { clusters, areBeside: false, among: new Map() }
}

function clustersOf(sides: readonly RenderedSide[]): Set<string> {
  return new Set(sides.flatMap(({ source: { target } }) => ('cluster' in target ? [target.cluster] : [])))
}
