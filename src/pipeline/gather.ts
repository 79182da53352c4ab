import { accountForFiles } from './account-for-files'
import { accountForUnseen } from './account-for-unseen'
import { assignClusters } from './assign-clusters'
import { compare } from './compare'
import { cover } from './cover'
import { evidenceOf } from './evidence-of'
import { fetchCharts } from './fetch-charts'
import { fetchForKustomizations } from './fetch-for-kustomizations'
import { loadPartnerFiles } from './load-partner-files'
import { asking } from './opening/asking'
import { openSides } from './opening/open-sides'
import type { Gathered, Scope } from './opening/scope'
import { reachOf } from './reach'
import { readChanged } from './read-changed'
import { readRest } from './read-rest'
import { renderChanged } from './render-changed'

/**
 * Reads only what the gate needs: the file lists of both sides, the files that differ, the renderings of the sources
 * that differ, and of the others those that contain a partner of an object this change touches.
 */
export async function gather(scope: Scope): Promise<Gathered> {
  const opened = await openSides(scope)
  const ask = asking(opened.base, scope)
  const sides = await fetchForKustomizations(await fetchCharts(opened, ask), ask)
  const read = await readChanged(sides, scope)
  const rendered = await renderChanged(sides, read, scope)
  const rest = await readRest(sides, read, rendered, scope)
  scope.renderer.budget.doing('comparing the objects of both sides')
  const clusters = assignClusters(sides, read, rendered, rest)
  const reach = await reachOf(sides)
  const compared = await compare(sides, read, rendered, rest, clusters, reach, scope.rules)
  const partners = await loadPartnerFiles(read, rest, compared, scope)
  const unseen = await accountForUnseen(sides, read, rendered, rest, compared, reach, scope)
  const files = scope.isTrial ? undefined : await accountForFiles({ sides, read, rendered, unseen, compared }, scope)
  const isWhole = sides.base === undefined && !scope.isTrial
  const coverage = isWhole ? await cover({ sides, read, rendered, unseen, compared }, scope) : undefined
  return evidenceOf(
    { sides, read, rendered, rest, clusters, compared, partners, unseen, reach, files, coverage },
    scope,
  )
}
