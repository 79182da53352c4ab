import type { Shard } from '../cluster/shards'
import { accountForFiles } from './account-for-files'
import { accountForUnseen } from './account-for-unseen'
import { assignClusters } from './assign-clusters'
import { compare } from './compare'
import { cover } from './cover'
import { evidenceOf } from './evidence-of'
import { fetchCharts } from './fetch-charts'
import { fetchDependencies } from './fetch-dependencies'
import { fetchForKustomizations } from './fetch-for-kustomizations'
import { filesOfShard } from './files-of-shard'
import { asJudgedAlone, foldersJudgedAlone, judgedAlone } from './judged-alone'
import { loadPartnerFiles } from './load-partner-files'
import { asking } from './opening/asking'
import { openSides, type Sides } from './opening/open-sides'
import { withProbes } from './opening/probes'
import type { Gathered, Scope } from './opening/scope'
import { shardsOf } from './opening/shard'
import { reachOf } from './reach'
import { readChanged } from './read-changed'
import { readRest } from './read-rest'
import { renderChanged } from './render-changed'
import { withTouchedRest } from './touched-rest'

/** Both sides, with what is fetched for them. */
async function sidesOf(scope: Scope): Promise<Sides> {
  const opened = await openSides(scope)
  const ask = asking(opened.base, scope)
  const released = await fetchCharts(opened, ask)
  return fetchForKustomizations(await fetchDependencies(released, ask, scope.repository), ask)
}

/** The clusters of both sides, as far as they are known before anything is rendered. */
export async function clustersIn(scope: Scope): Promise<readonly Shard[]> {
  return shardsOf(await sidesOf(scope)).all
}

/**
 * Reads only what the gate needs: the file lists of both sides, the files that differ, the renderings of the sources
 * that differ, and of the others those that contain a partner of an object this change touches.
 */
export async function gather(scope: Scope): Promise<Gathered> {
  const whole = await sidesOf(scope)
  const selected = await withProbes({ ...whole, shard: scope.select?.(whole) }, scope.switched)
  const read = await readChanged(selected, scope)
  const sides = withTouchedRest(selected, read)
  const rendered = await renderChanged(sides, read, scope)
  const rest = await readRest(sides, read, rendered, scope)
  scope.renderer.budget.doing('comparing the objects of both sides')
  const clusters = assignClusters(sides, read, rendered, rest, scope.search)
  const reach = await reachOf(sides)
  const compared = await compare(sides, read, rendered, rest, clusters, reach, scope.rules)
  const partners = await loadPartnerFiles(read, rest, compared, scope)
  const isOwn = await filesOfShard(sides, rendered)
  const alone = foldersJudgedAlone(compared.after, reach)
  const unseen = await accountForUnseen(sides, read, rendered, rest, compared, reach, isOwn, scope)
  const known = { sides, read, rendered, unseen, compared, isOwn }
  const accounts = scope.isTrial ? undefined : await accountForFiles(known, scope)
  const files = accounts?.map((entry) => asJudgedAlone(entry, alone))
  const isWhole = sides.base === undefined && !scope.isTrial && !sides.shard
  const coverage = isWhole ? await cover(known, scope) : undefined
  return evidenceOf(
    {
      ...{ sides, read, rendered, rest, clusters, compared, partners, reach, files, coverage },
      unseen: { ...unseen, skipped: [...unseen.skipped, ...judgedAlone(alone)] },
    },
    scope,
  )
}
