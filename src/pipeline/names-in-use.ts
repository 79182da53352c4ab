import type { ClusterMap } from '../cluster/clusters'
import type { Evidence } from '../engine/evidence'
import { type NameAsked, namesAsked } from '../engine/names-asked'
import type { ActiveRule } from '../policy/policy'
import type { Sides } from './opening/open-sides'

/**
 * Looks in the untouched files for the names that rules ask for, and in the touched ones for the objects of these names.
 *
 * @returns whether a file of a cluster uses a name; undefined if no rule asks
 */
export async function namesInUse(
  sides: Sides,
  clusters: ClusterMap,
  evidence: Pick<Evidence, 'changes' | 'base' | 'head' | 'assumed'>,
  rules: readonly ActiveRule[],
): Promise<Evidence['isUsed']> {
  const asked = [...namesAsked(evidence, rules), ...(evidence.assumed ? namesAsked(evidence.assumed, rules) : [])]
  if (asked.length === 0) return undefined
  const { changed, head } = sides
  const asksOfChanged = asked.some(({ isMadeIn }) => isMadeIn !== undefined)
  const files = [...head.tree.entries.values()].filter(
    ({ path, type }) => type === 'file' && (asksOfChanged || !changed?.has(path)),
  )
  const texts = await head.checkout.mentioning(
    files.map(({ path }) => path),
    [...new Set(asked.map(({ name }) => name))],
  )
  const used = new Set<string>()
  for (const one of asked) {
    const { cluster } = one.change
    const isThere = [...texts].some(([path, text]) => {
      const looksIn = changed?.has(path) ? one.isMadeIn : one.isUsedIn
      return looksIn !== undefined && mayGoTo(path, one, clusters) && looksIn(text, one.name)
    })
    if (isThere) used.add(keyOf(cluster, one.name))
  }
  return (cluster, name) => used.has(keyOf(cluster, name))
}

/** Whether a file may be deployed to the cluster of a change: a base of several has none of its own. */
function mayGoTo(path: string, { change }: NameAsked, clusters: ClusterMap): boolean {
  const { evidence } = change.kind === 'removed' ? change.before : change.after
  const of = clusters.of(path).clusters
  return evidence === 'declared' || of.includes('') || of.includes(change.cluster)
}

function keyOf(cluster: string, name: string): string {
  return JSON.stringify([cluster, name])
}
