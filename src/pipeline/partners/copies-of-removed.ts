import { identityOf, type Manifest } from '../../manifest/manifest'
import type { RenderedSide } from '../../sides/rendered-side'
import type { Source } from '../../sources/source'
import type { Sides } from '../opening/open-sides'
import { readableSide } from '../opening/read-in-part'
import { mayHoldOf } from './may-hold'
import type { PartnerSearch } from './partner-search'

/** The untouched sources that may still create a removed object in its cluster, and what they render to. */
interface Copies {
  readonly sides: Pick<Sides, 'base' | 'head'>
  /** Whether the change leaves a source as it was. */
  readonly isSame: (source: Source) => boolean
  readonly search: PartnerSearch
}

/**
 * Renders the untouched sources that may create an object which the change removes from a cluster that something names,
 * as far as a folder has the cluster's name and nothing shows their own: `components/rbac/production/east` for the
 * cluster `east`. An ApplicationSet whose clusters are unknown may deploy them there.
 */
export async function renderCopies(
  touched: readonly Manifest[],
  { sides: { base, head }, isSame, search }: Copies,
): Promise<RenderedSide[]> {
  const clusters = new Map(
    base?.discovery.sources.flatMap(({ id, target }) => ('cluster' in target ? [[id, target.cluster] as const] : [])),
  )
  const left = new Set(touched.flatMap((one) => (one.side === 'head' ? [identityIn(one)] : [])))
  const removed = touched.flatMap((one) => {
    const cluster = one.origin.kind === 'rendered' ? clusters.get(one.origin.id) : undefined
    return one.side === 'base' && cluster && !left.has(identityIn(one)) ? [{ cluster, ref: one.ref }] : []
  })
  if (removed.length === 0) return []
  const found = head.discovery.sources.filter(isSame).map(async (source) => {
    if (source.origin !== 'discovered' || !('path' in source.target)) return []
    const folders = source.target.path.split('/')
    const wanted = removed.filter(({ cluster }) => folders.includes(cluster))
    if (wanted.length === 0) return []
    const mayHold = await search.mayHold(head.keys.get(source.id), () => mayHoldOf(source, head, search.words))
    if (!wanted.some(({ ref }) => mayHold({ kinds: [ref.kind], strings: [ref.name] }))) return []
    return [await readableSide(head, await head.render(source))]
  })
  return (await Promise.all(found)).flat()
}

function identityIn({ ref, origin }: Manifest): string {
  return `${identityOf(ref)}\n${origin.kind === 'rendered' ? origin.id : ''}`
}
